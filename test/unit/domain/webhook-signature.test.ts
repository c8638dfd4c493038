/** Checks signatures of requests: the reference values of Standard Webhooks, and the earlier ones. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  canSign,
  messageIdOf,
  signedHeaders,
  standardHeaders,
} from '../../../shared/domain/record/webhook-signature.ts';

/** The example of the specification. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1_614_265_330, body: '{"test": 2432232314}' };
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('the headers of Standard Webhooks', () => {
  test('are those of the specification', () => {
    expect(standardHeaders(SECRET, MESSAGE)).toEqual({
      'webhook-id': MESSAGE.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': SIGNATURE,
    });
  });

  test('hold a signature for each key, so that a receiver can change keys', () => {
    const { 'webhook-signature': signatures = '' } = standardHeaders(`whsec_b3RoZXI=\n ${SECRET} `, MESSAGE);
    expect(signatures.split(' ')).toHaveLength(2);
    expect(signatures.split(' ')).toContain(SIGNATURE);
  });

  test.each(['plain text', 'whsec_', 'whsec_b3RoZXI= else'])('%s is one key as it stands', (secret) => {
    const { id, seconds, body } = MESSAGE;
    const own = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
    expect(standardHeaders(secret, MESSAGE)['webhook-signature']).toBe(`v1,${own}`);
  });
});

test('G42 a secret that is empty, or has an empty key, signs nothing', () => {
  for (const secret of ['', ' ', '\n\t', 'whsec_', 'whsec_=', 'whsec_!!', `${SECRET} whsec_`, `${SECRET} whsec_==`])
    expect(canSign(secret), secret).toBe(false);
  for (const secret of [SECRET, `${SECRET} ${SECRET}\n`, 'plain text']) expect(canSign(secret)).toBe(true);
});

describe('a signed request', () => {
  const AT = 1_614_265_330_500;

  test('has both signatures, over the same second', () => {
    const headers = signedHeaders(SECRET, AT, MESSAGE.body, MESSAGE.id);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-countersign-timestamp': '1614265330',
      'x-countersign-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      'webhook-timestamp': '1614265330',
      'webhook-signature': SIGNATURE,
    });
  });

  test('has an id of its own, or the one of its body', () => {
    const idOf = (at: number, body: string) => signedHeaders(SECRET, at, body)['webhook-id'];
    expect(idOf(AT, 'a')).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(new Set([idOf(AT, 'a'), idOf(AT + 1, 'a'), idOf(AT, 'b')]).size).toBe(3);
    expect(messageIdOf('a')).toBe(messageIdOf('a'));
  });
});

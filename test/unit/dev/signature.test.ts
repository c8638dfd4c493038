/** Checks signatures of requests by AWS's own vector, and each way to break one. */
import { describe, expect, test } from 'vitest';
import { type SignedRequest, signerOf } from '../../../shared/dev/endpoint/signature.ts';

/** `post-vanilla` of AWS's test suite of Signature Version 4. */
const VECTOR: SignedRequest = {
  method: 'POST',
  url: '/',
  headers: {
    host: 'example.amazonaws.com',
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, ' +
      'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  body: new Uint8Array(),
};
const SIGNED_AT = Date.parse('2015-08-30T12:36:00Z');
const SECRET = ['wJalrXUtnFEMI', 'K7MDENG+bPxRfiCYEXAMPLEKEY'].join('/');
const secretOf = (id: string) => (id === 'AKIDEXAMPLE' ? SECRET : undefined);

const withHeaders = (headers: Record<string, string>): SignedRequest => ({
  ...VECTOR,
  headers: { ...VECTOR.headers, ...headers },
});
const authorization = String(VECTOR.headers['authorization']);

test("a request of AWS's own test suite is its signer's", () => {
  expect(signerOf(VECTOR, secretOf, SIGNED_AT)).toBe('AKIDEXAMPLE');
  expect(signerOf(VECTOR, secretOf, SIGNED_AT + 299_000)).toBe('AKIDEXAMPLE');
});

describe('a request is nobody’s', () => {
  test.each<[string, SignedRequest]>([
    ['without a signature', withHeaders({ authorization: '' })],
    ['with another body', { ...VECTOR, body: Buffer.from('{}') }],
    ['to another path', { ...VECTOR, url: '/other' }],
    ['with a query', { ...VECTOR, url: '/?a=b' }],
    ['by another method', { ...VECTOR, method: 'GET' }],
    ['to another host', withHeaders({ host: 'localhost' })],
    ['of another minute', withHeaders({ 'x-amz-date': '20150830T123700Z' })],
    ['of another day', withHeaders({ 'x-amz-date': '20150831T123600Z' })],
    ['of no date', withHeaders({ 'x-amz-date': 'yesterday' })],
    [
      'in the name of an unknown key',
      withHeaders({ authorization: authorization.replace('AKIDEXAMPLE', 'AKIDOTHER') }),
    ],
    ['that leaves the host out', withHeaders({ authorization: authorization.replace('host;', '') })],
    ['that leaves the date out', withHeaders({ authorization: authorization.replace(';x-amz-date', '') })],
  ])('%s', (_, request) => {
    expect(signerOf(request, secretOf, SIGNED_AT)).toBeUndefined();
  });

  test('if it is signed under another secret', () => {
    expect(signerOf(VECTOR, () => `${SECRET}x`, SIGNED_AT)).toBeUndefined();
  });

  test.each([-301_000, 301_000])('%i ms from its time', (ms) => {
    expect(signerOf(VECTOR, secretOf, SIGNED_AT + ms)).toBeUndefined();
  });
});

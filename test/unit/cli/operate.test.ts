import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { operation } from '../../../shared/contract/operation.ts';
import { type FakeAws, fakeAws, sent } from './fake-aws.ts';
import { cli } from './run-cli.ts';

/** The SDK sends to the queue's own address. */
const envOf = ({ url }: FakeAws) => ({
  COUNTERSIGN_OPERATORS_QUEUE_URL: `${url}/operators`,
  COUNTERSIGN_QUEUE_URL: `${url}/proposals`,
  COUNTERSIGN_DEFERRED_QUEUE_URL: `${url}/deferred`,
});
let aws: FakeAws | undefined;
afterEach(() => aws?.close());

async function operationSent(argv: readonly string[]) {
  aws = await fakeAws({ SendMessage: sent });
  const ran = await cli(argv, { env: envOf(aws) });
  expect(ran).toMatchObject({ code: 0, err: '' });
  const body = aws.asked[0]?.body ?? {};
  expect(body['QueueUrl']).toBe(`${aws.url}/operators`);
  const { operationId, ...rest } = operation.parse(JSON.parse(String(body['MessageBody'])));
  return rest;
}

describe('pause', () => {
  test.each([
    [['--all', '--deny'], { scope: { all: true }, effect: 'deny' }],
    [['--agent', 'builder', '--ask'], { scope: { agent: 'builder' }, effect: 'ask' }],
    [['--tool', 'Bash', '--lift'], { scope: { tool: 'Bash' }, effect: 'lift' }],
    [['--all', '--deny', '--until', '30m'], { until: '2026-11-21T10:30:00.000Z' }],
  ])('%j', async (options, fields) => {
    const sentOperation = await operationSent(['pause', ...options, '--reason', 'an incident']);
    expect(sentOperation).toMatchObject({ kind: 'pause', reason: 'an incident', ...fields });
  });

  test.each([
    [['--deny', '--reason', 'x'], 'give one of --all, --agent and --tool'],
    [['--all', '--agent', 'a', '--deny', '--reason', 'x'], 'give one of --all, --agent and --tool'],
    [['--all', '--reason', 'x'], 'give one of --deny, --ask and --lift'],
    [['--all', '--deny', '--ask', '--reason', 'x'], 'give one of --deny, --ask and --lift'],
    [['--all', '--deny'], "required option '--reason <text>' not specified"],
    [['--all', '--deny', '--reason', ''], 'reason: must not be empty'],
    [['--all', '--lift', '--until', '1h', '--reason', 'x'], 'leave --until away'],
    [['--tool', 'a b', '--deny', '--reason', 'x'], 'scope'],
  ])('not understood, and nothing is sent: %j', async (options, says) => {
    aws = await fakeAws({ SendMessage: sent });
    const ran = await cli(['pause', ...options], { env: envOf(aws) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(says);
    expect(aws.asked).toEqual([]);
  });
});

test('decide sends one vote', async () => {
  const vote = ['decide', '--agent', 'builder', '--proposal', 'p-1', '--reject', '--reason', 'not now'];
  expect(await operationSent(vote)).toEqual({
    kind: 'decide',
    agent: 'builder',
    proposalId: 'p-1',
    choice: 'reject',
    reason: 'not now',
  });
});

describe('redrive', () => {
  const dead = (id: string, body: string, attributes: Record<string, string> | undefined) => ({
    MessageId: id,
    ReceiptHandle: `handle-${id}`,
    Body: body,
    MD5OfBody: createHash('md5').update(body).digest('hex'),
    ...(attributes ? { Attributes: attributes } : {}),
  });

  async function redriven(queue: string, messages: readonly ReturnType<typeof dead>[]) {
    const batches = [messages, []];
    aws = await fakeAws({
      GetQueueAttributes: () => ({
        Attributes: { RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead"}' },
      }),
      GetQueueUrl: () => ({ QueueUrl: `${aws?.url}/dead` }),
      ReceiveMessage: () => ({ Messages: batches.shift() ?? [] }),
      SendMessage: sent,
      DeleteMessage: () => ({}),
    });
    const ran = await cli(['redrive', queue], { env: envOf(aws) });
    const { asked } = aws;
    const of = (operation: string) => asked.filter((one) => one.operation === operation).map(({ body }) => body);
    return { ran, of };
  }

  test('proposals come back wrapped with who sent them and when (A12)', async () => {
    const raw = '{"proposalId":"p-1"}';
    const { ran, of } = await redriven('proposals', [
      dead('m1', raw, { SenderId: 'AROAEXAMPLE12345678:agent', SentTimestamp: '1763719200000' }),
    ]);
    expect(ran).toMatchObject({ code: 0, err: '', out: '1 brought back.\n' });
    expect(of('GetQueueAttributes')).toMatchObject([{ QueueUrl: expect.stringMatching(/\/proposals$/) }]);
    expect(of('SendMessage')).toMatchObject([{ QueueUrl: expect.stringMatching(/\/deferred$/) }]);
    expect(JSON.parse(String(of('SendMessage')[0]?.['MessageBody']))).toEqual({
      principal: 'AROAEXAMPLE12345678:agent',
      firstSentAt: 1763719200000,
      messageId: 'm1',
      rounds: 0,
      raw,
    });
    expect(of('DeleteMessage')).toMatchObject([{ QueueUrl: `${aws?.url}/dead`, ReceiptHandle: 'handle-m1' }]);
  });

  test('a message whose sender is not known stays where it is', async () => {
    const { ran, of } = await redriven('proposals', [dead('m1', '{}', undefined)]);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain('1 stayed where they are: m1');
    expect([...of('SendMessage'), ...of('DeleteMessage')]).toEqual([]);
  });

  test('deferred messages keep the envelope that they have', async () => {
    const body = '{"principal":"AROAEXAMPLE12345678","firstSentAt":1,"messageId":"m0","rounds":3,"raw":"{}"}';
    const { of } = await redriven('deferred', [
      dead('m1', body, { SenderId: 'AROAFUNCTION1234567', SentTimestamp: '2' }),
    ]);
    expect(of('SendMessage')).toMatchObject([{ MessageBody: body }]);
  });

  test("operators' messages are not brought back under another name", async () => {
    const ran = await cli(['redrive', 'operators']);
    expect(ran.code).toBe(2);
  });
});

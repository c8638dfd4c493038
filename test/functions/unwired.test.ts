/**
 * Checks that proposals wait while the secret of the gate's digests cannot be read (A12, G27).
 *
 * A process that starts meanwhile cannot be put together: it has no use case that could send the message anew.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Aws, AwsFault } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { AGENT, allSent, DEFERRED, intakeEnv, type SentEntry, startIntakeAws } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

type Answer = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };

const raw = JSON.stringify({ kind: 'tool-call', proposalId: 'p', toolName: 'Glob', input: { pattern: '*.pem' } });

let aws: Aws;
let secret: () => unknown;
const functions = new Map<'evaluate' | 'deliberate', Deployed>();
const one = (name: 'evaluate' | 'deliberate') => functions.get(name) as Deployed;

beforeAll(async () => {
  aws = await startIntakeAws({
    GetSecretValue: () => secret(),
    SendMessageBatch: allSent,
  });
  secret = () => {
    throw new AwsFault('AccessDeniedException');
  };
  for (const name of ['evaluate', 'deliberate'] as const)
    functions.set(name, await deploy(name, { policy: askingPolicy, env: intakeEnv(aws), aws: aws.url }));
}, 60_000);
afterAll(async () => {
  await Promise.all([...functions.values()].map((deployed) => deployed.stop()));
  await aws?.stop();
});
afterEach(() => {
  aws.calls.length = 0;
});

const received = (receiveCount: number, more: object = {}) => ({
  Records: [
    {
      messageId: 'm',
      receiptHandle: 'r',
      body: raw,
      attributes: {
        SenderId: `${AGENT}:s`,
        SentTimestamp: String(Date.now()),
        ApproximateReceiveCount: String(receiveCount),
      },
      ...more,
    },
  ],
});
const wrapper = { principal: `${AGENT}:s`, firstSentAt: Date.now(), messageId: 'first', rounds: 1, raw };
const events = {
  evaluate: (receiveCount: number) => received(receiveCount),
  deliberate: (receiveCount: number) =>
    received(receiveCount, { eventSourceARN: DEFERRED, body: JSON.stringify(wrapper) }),
};
const sent = () =>
  aws
    .asked('SendMessageBatch')
    .flatMap(({ Entries }) => Entries as SentEntry[])
    .map(({ MessageBody }) => JSON.parse(MessageBody) as { readonly raw: string });

/** The figures of messages that wait, in the order of the log. */
const figures = (name: 'evaluate' | 'deliberate', from: number) =>
  [
    ...one(name)
      .log.slice(from)
      .join('\n')
      .matchAll(/"(Proposals(?:Returned|Renewed))":1\b/g),
  ].map(([, figure]) => figure);

describe.each(['evaluate', 'deliberate'] as const)('%s without its secret', (name) => {
  test.each([
    ['is refused', 'AccessDeniedException'],
    ['is gone', 'ResourceNotFoundException'],
    ['has a key that is off', 'DecryptionFailure'],
  ])('that %s: a message comes again soon, and is sent anew before its receipts end', async (_, code) => {
    secret = () => {
      throw new AwsFault(code);
    };
    await one(name).restart();
    const from = one(name).log.length;
    const first = await one(name).invoke<Answer>(events[name](1));
    // The deferred queue would hide it for six minutes.
    const isAnew = name === 'deliberate';
    const figure = isAnew ? 'ProposalsRenewed' : 'ProposalsReturned';
    expect(first.value?.batchItemFailures).toEqual(isAnew ? [] : [{ itemIdentifier: 'm' }]);
    expect(sent()).toMatchObject(isAnew ? [{ raw }] : []);
    expect(figures(name, from)).toEqual([figure]);
    aws.calls.length = 0;
    const last = await one(name).invoke<Answer>(events[name](5));
    expect(last.value?.batchItemFailures).toEqual([]);
    expect(sent()).toMatchObject([{ raw }]);
    expect(one(name).log.join('\n')).toContain(code);
    expect(figures(name, from)).toEqual([figure, 'ProposalsRenewed']);
  });

  test('that is empty: the same', async () => {
    secret = () => ({ SecretString: ' ' });
    await one(name).restart();
    expect((await one(name).invoke<Answer>(events[name](5))).value?.batchItemFailures).toEqual([]);
    expect(sent()).toMatchObject([{ raw }]);
  });

  test('that is there again: the same process decides', async () => {
    secret = () => ({ SecretString: 'digest-key' });
    expect((await one(name).invoke<Answer>(events[name](2))).value?.batchItemFailures).toEqual([]);
    expect(aws.asked('PutItem').length).toBeGreaterThan(0);
    expect(sent()).toEqual([]);
  });
});

test('an approval that was handed over comes again to deliberate, and is not taken for worked', async () => {
  secret = () => {
    throw new AwsFault('AccessDeniedException');
  };
  await one('deliberate').restart();
  const body = JSON.stringify({ handedOver: 'a'.repeat(64) });
  const event = received(1, { eventSourceARN: DEFERRED, body });
  expect((await one('deliberate').invoke<Answer>(event)).value?.batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
});

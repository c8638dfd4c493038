/** Checks that only the gate's own queue takes a wrapper that names the first sender (A12). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Aws, AwsFault } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { AGENT, allSent, DEFERRED, intakeEnv, type SentEntry, startIntakeAws } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

const GATE = 'AROAEXAMPLE000000009:Evaluate';

let aws: Aws;
let deliberate: Deployed;

beforeAll(async () => {
  aws = await startIntakeAws({
    Query: () => {
      throw new AwsFault('InternalServerError');
    },
    SendMessageBatch: allSent,
  });
  const env = intakeEnv(aws);
  deliberate = await deploy('deliberate', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await deliberate?.stop();
  await aws?.stop();
});

const wrapper = {
  principal: AGENT,
  firstSentAt: Date.now(),
  messageId: 'first',
  rounds: 1,
  raw: '{"kind":"tool-call"}',
};
const eventFrom = (eventSourceARN: string, body: unknown = wrapper) => ({
  Records: [
    {
      messageId: 'second',
      eventSourceARN,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      attributes: { SenderId: GATE, SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' },
    },
  ],
});
const partitions = () =>
  aws.asked('PutItem').map(({ Item }) => (Item as { pk: { S: string } }).pk.S.replace(/#.*/, ''));

test('from the deferred queue the first sender counts, not the function that put the message aside', async () => {
  expect((await deliberate.invoke(eventFrom(DEFERRED))).value).toEqual({ batchItemFailures: [] });
  expect(partitions()).toEqual(['coder']);
});

test('the same wrapper on another queue is refused: whoever may send there could say anything', async () => {
  const before = partitions().length;
  const { error, value } = await deliberate.invoke(eventFrom('arn:aws:sqs:us-east-1:000000000000:proposals'));
  expect({ error, value }).toEqual({ error: 'Error', value: undefined });
  expect(partitions()).toHaveLength(before);
});

test('a wrapper that cannot be read comes again, and ends in the dead-letter queue', async () => {
  expect((await deliberate.invoke(eventFrom(DEFERRED, '{'))).error).toBe('SyntaxError');
});

test('where the share of its agent cannot be taken, a message is sent anew, and not hidden or given up', async () => {
  const slow = { ...wrapper, isSlow: true };
  expect((await deliberate.invoke(eventFrom(DEFERRED, slow))).value).toEqual({ batchItemFailures: [] });
  const [sent] = aws.asked('SendMessageBatch').flatMap(({ Entries }) => Entries as SentEntry[]);
  expect(JSON.parse(sent?.MessageBody ?? '')).toMatchObject({ messageId: 'first', isSlow: true });
});

/**
 * Checks that a request to run a call is paused while its function cannot be put together (A12).
 *
 * The secret of the gate's digests is refused. The queue would hide the request for half an hour, and the permit would be over.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Aws, AwsFault, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { AGENT, allSent, intakeEnv, type SentEntry } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:executions';

/** Variables that the function has in common with those that decide proposals. */
const SHARED = new Set([
  ...['DEPLOYMENT', 'STATE_TABLE', 'AUDIT_TABLE', 'INPUT_BUCKET', 'DIGEST_KEY_SECRET'],
  ...['CARD_QUEUE_URL', 'SENDERS_PATH', 'SEAL_KEY'],
]);

let aws: Aws;
let run: Deployed;
beforeAll(async () => {
  aws = await startAws({
    GetSecretValue: () => {
      throw new AwsFault('AccessDeniedException');
    },
    ChangeMessageVisibility: () => ({}),
    SendMessageBatch: allSent,
  });
  const shared = Object.entries(intakeEnv(aws)).filter(([name]) => SHARED.has(name));
  const own = {
    EXECUTIONS_QUEUE_URL: `${aws.url}/executions`,
    EXECUTIONS_DEAD_ARN: `${QUEUE}-dead`,
    CARRIER: 'AROACARRIER',
  };
  const env = { ...Object.fromEntries(shared), ...own };
  run = await deploy('execute-tool', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await run?.stop();
  await aws?.stop();
});

const received = (receipts: number, sentAt = Date.now()) => ({
  Records: [
    {
      messageId: 'm',
      receiptHandle: 'r',
      body: '{}',
      messageAttributes: {},
      eventSourceARN: QUEUE,
      attributes: {
        SenderId: `${AGENT}:s`,
        SentTimestamp: String(sentAt),
        ApproximateReceiveCount: String(receipts),
      },
    },
  ],
});

test.each([
  [1, 10],
  [4, 80],
])('the message of receipt %i comes again within %i s', async (receipts, seconds) => {
  aws.calls.length = 0;
  const answered = await run.invoke(received(receipts), 60_000);
  expect(answered.value).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  const [hidden] = aws.asked('ChangeMessageVisibility');
  expect(Number(hidden?.['VisibilityTimeout'])).toBeGreaterThan(0);
  expect(Number(hidden?.['VisibilityTimeout'])).toBeLessThanOrEqual(seconds);
  expect(run.log.join('\n')).toContain('AccessDeniedException');
});

test('a message that came five times is sent anew under its sender, so that its receipts never end', async () => {
  aws.calls.length = 0;
  const sentAt = Date.now() - 60 * 60_000;
  const answered = await run.invoke(received(5, sentAt), 60_000);
  expect(answered.value).toEqual({ batchItemFailures: [] });
  expect(aws.asked('ChangeMessageVisibility')).toEqual([]);
  const [{ Entries: [entry] = [] } = {}] = aws.asked('SendMessageBatch') as { readonly Entries?: SentEntry[] }[];
  const carried = { messageId: 'm', principal: `${AGENT}:s`, firstSentAt: sentAt, raw: '{}' };
  expect(JSON.parse(entry?.MessageBody ?? '')).toEqual({ carried });
});

test('a message of more than a day ago is left to its queue: no permit lasts longer', async () => {
  aws.calls.length = 0;
  const answered = await run.invoke(received(5, Date.now() - 25 * 60 * 60_000), 60_000);
  expect(answered.value).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  expect(aws.asked('SendMessageBatch')).toEqual([]);
});

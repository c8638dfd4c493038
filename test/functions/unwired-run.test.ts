/**
 * Checks that a request to run a call is paused while its function cannot be put together (A12).
 *
 * The secret of the gate's digests is refused. The queue would hide the request for half an hour, and the permit would be over.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Aws, AwsFault, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { AGENT, intakeEnv } from './support/intake-aws.ts';
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

test.each([
  [1, 10],
  [4, 80],
])('the message of receipt %i comes again within %i s', async (receipts, seconds) => {
  aws.calls.length = 0;
  const attributes = { SenderId: `${AGENT}:s`, SentTimestamp: '1', ApproximateReceiveCount: String(receipts) };
  const record = {
    messageId: 'm',
    receiptHandle: 'r',
    body: '{}',
    messageAttributes: {},
    eventSourceARN: QUEUE,
    attributes,
  };
  const answered = await run.invoke({ Records: [record] }, 60_000);
  expect(answered.value).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  const [hidden] = aws.asked('ChangeMessageVisibility');
  expect(Number(hidden?.['VisibilityTimeout'])).toBeGreaterThan(0);
  expect(Number(hidden?.['VisibilityTimeout'])).toBeLessThanOrEqual(seconds);
  expect(run.log.join('\n')).toContain('AccessDeniedException');
});

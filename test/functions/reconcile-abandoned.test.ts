/** Checks that reconcile ends a question that too few people are left to answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOK_INDEX, lookPartitions } from '../../shared/adapters/dynamodb/reconcile-index.ts';
import { type Aws, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { askingPolicy, type Row, tableOf, type Waiting, waiting } from './support/waiting.ts';

const AGO = new Date(Date.now() - 30 * 60_000).toISOString();
const LATER = new Date(Date.now() + 60 * 60_000).toISOString();

/** A question that is looked at in each run of a quarter of an hour, under another id. */
async function asked(bucket: number, quorum: number): Promise<Waiting> {
  for (let tried = 0; ; tried++) {
    const one = await waiting(`p-${bucket}-${quorum}-${tried}`, 'x', { requestedAt: AGO, expiresAt: LATER });
    if (Number.parseInt(one.pid.slice(0, 8), 16) % 15 !== bucket) continue;
    // As it was asked when the group had as many.
    const before = JSON.stringify(one.rows).replaceAll('"quorum":{"N":"1"}', `"quorum":{"N":"${quorum}"}`);
    const text = before.replaceAll('"eligible":{"N":"1"}', `"eligible":{"N":"${quorum}"}`);
    return { pid: one.pid, rows: JSON.parse(text) as Row[] };
  }
}

let aws: Aws;
let reconcile: Deployed;
let answerable: Waiting[];
let unanswerable: Waiting[];

beforeAll(async () => {
  const now = Math.floor(Date.now() / 60_000);
  // The run may begin in the next minute or two.
  const buckets = [now, now + 1, now + 2].map((run) => run % 15);
  answerable = await Promise.all(buckets.map((bucket) => asked(bucket, 1)));
  unanswerable = await Promise.all(buckets.map((bucket) => asked(bucket, 2)));
  const all = [...answerable, ...unanswerable];
  const table = tableOf(all.flatMap(({ rows }) => rows));
  const counted = `coder#platform#${Date.parse(AGO)}`;
  aws = await startAws({
    ...table,
    GetSecretValue: () => ({ SecretString: 'digest-key' }),
    GetQueueAttributes: () => ({ Attributes: {} }),
    BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
    TransactWriteItems: () => ({}),
    UpdateItem: () => ({}),
    Query(input) {
      if (input['IndexName'] === undefined) return table.Query(input);
      const values = input['ExpressionAttributeValues'] as Record<string, { readonly S?: string }>;
      if (input['IndexName'] !== LOOK_INDEX || values[':partition']?.S !== lookPartitions('approvals')[0])
        return { Items: [] };
      return { Items: all.map(({ pid }) => ({ pk: { S: `approval#${pid}` }, counted: { S: counted } })) };
    },
  });
  const env = {
    ...{ DEPLOYMENT: 'test', STATE_TABLE: 'state', AUDIT_TABLE: 'audit', INPUT_BUCKET: 'inputs' },
    ...{
      DIGEST_KEY_SECRET: 'digest-key-secret',
      CARD_QUEUE_URL: `${aws.url}/cards.fifo`,
      SENDERS_PATH: '/test/senders',
    },
    ...{ DEFERRED_QUEUE_URL: `${aws.url}/deferred`, RESUME_FUNCTION: 'resume' },
    STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:wait',
  };
  reconcile = await deploy('reconcile', { policy: askingPolicy, env, aws: aws.url });
}, 90_000);
afterAll(async () => {
  await reconcile?.stop();
  await aws?.stop();
});

test('the question that wants two people of a group of one ends as expired; the other is left alone', async () => {
  await reconcile.invoke({}, 60_000);
  const written = JSON.stringify(aws.asked('TransactWriteItems'));
  expect(unanswerable.filter(({ pid }) => written.includes(pid))).toHaveLength(1);
  expect(written).toContain('too few people are left');
  expect(answerable.filter(({ pid }) => written.includes(pid))).toEqual([]);
});

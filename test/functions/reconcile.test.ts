/** Checks a run of reconcile that can list only a part of what is due: what came of it is told. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PREFIX } from '../../shared/adapters/dynamodb/items.ts';
import { lookOf } from '../../shared/adapters/dynamodb/reconcile-index.ts';
import { type Aws, AwsFault, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { intakeEnv } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

const PID = 'a'.repeat(64);
const DUE = lookOf('approvals', 1_000, PID);

/** The row of pauses, as it is now. */
let control: object = {};
let aws: Aws;
let reconcile: Deployed;

beforeAll(async () => {
  aws = await startAws({
    GetSecretValue: () => ({ SecretString: 'digest-key' }),
    PutObject: () => ({}),
    UpdateItem: () => ({}),
    GetItem: ({ Key }) => ((Key as { readonly pk: { readonly S: string } }).pk.S === PREFIX.control ? control : {}),
    Query(input) {
      if (input['IndexName'] === undefined) return { Items: [] };
      const values = input['ExpressionAttributeValues'] as Record<string, { readonly S?: string }>;
      if (values[':look']?.S !== DUE.look) throw new AwsFault('ValidationException');
      if (values[':from']?.S !== '0') return { Items: [] };
      return { Items: [{ pk: { S: `${PREFIX.approval}${PID}` }, look: { S: DUE.look }, lookAt: { S: DUE.lookAt } }] };
    },
  });
  const env = { ...intakeEnv(aws), RESUME_FUNCTION: 'resume' };
  reconcile = await deploy('reconcile', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await reconcile?.stop();
  await aws?.stop();
});

test('a row that belongs to nothing is counted though the rest cannot be listed, and the run fails', async () => {
  const answered = await reconcile.invoke({}, 60_000);
  const lines = reconcile.log.join('\n');
  expect(answered.value).toBeUndefined();
  expect(lines).toContain('ValidationException');
  expect(lines).toMatch(/"RowsOrphaned":1\b/);
  expect(lines).not.toContain('ApprovalsLookedAfter');
});

test('a row of pauses that is gone is told once: what was paused goes on', async () => {
  const told = () => reconcile.log.join('\n').split('the row of pauses is gone, or as it was before').length - 1;
  const version = (number: string) => ({
    Item: { control: { M: { version: { N: number }, permitEpoch: { N: '0' }, pauses: { L: [] } } } },
  });
  for (const [now, times] of [
    [version('2'), 0],
    [version('3'), 0],
    [{}, 1],
    [{}, 1],
    [version('1'), 1],
  ] as const) {
    control = now;
    await reconcile.invoke({}, 60_000);
    expect(told()).toBe(times);
  }
}, 60_000);

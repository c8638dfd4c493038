/** Checks that `trace` and `dead` read past entries of a newer release, and count them. */
import { afterEach, expect, test } from 'vitest';
import { auditPut } from '../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import type { AuditEntry } from '../../../../shared/contract/index.ts';
import { pidOf } from '../../../../shared/domain/digest.ts';
import { DEAD_LETTERS_SUBJECT } from '../../../../shared/use-cases/intake/dead-letter.ts';
import { type FakeAws, fakeAws } from '../fake-aws.ts';
import { cli, NOW } from '../run-cli.ts';

const env = { COUNTERSIGN_DEPLOYMENT: 'demo', COUNTERSIGN_AUDIT_TABLE: 'audit', COUNTERSIGN_STATE_TABLE: 'state' };
const pid = pidOf('demo', 'builder', 'p-1');
const decidedBy = { type: 'a kind of the next release', id: 'x' } as never;

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

function itemOf(agent: string, of: string, sort: string, more: Partial<AuditEntry>) {
  const recordedAt = new Date(NOW).toISOString();
  const whole = {
    type: 'refused',
    pid: of,
    proposalId: 'p-1',
    agent,
    policyVersion: 'e'.repeat(64),
    recordedAt,
    ...more,
  };
  return (
    auditPut({ audit: 'audit', state: '' }, { key: { agent, pid: of, sort }, entry: whole as AuditEntry }).Item ?? {}
  );
}

const LETTERS = ['known', 'later'].map((id) =>
  itemOf(DEAD_LETTERS_SUBJECT.agent, DEAD_LETTERS_SUBJECT.pid, `dead#${id}`, {
    reasonCode: 'dead_letter',
    detail: `TypeError; message ${id}`,
    ...(id === 'later' ? { decidedBy } : {}),
  }),
);
const TRAIL = [
  itemOf('builder', pid, 'evaluated', { type: 'evaluated', outcome: 'error', reasonCode: 'dead_letter' }),
  itemOf('builder', pid, 'decided', { type: 'decided', decidedBy }),
];

const record = () =>
  fakeAws({
    Query: ({ ExpressionAttributeValues, IndexName, TableName }) => {
      if (IndexName) return { Items: LETTERS.map(({ pk, sk }) => ({ pk, sk })) };
      const { ':pk': wanted } = ExpressionAttributeValues as Record<string, { S?: string }>;
      return { Items: TableName === 'audit' ? TRAIL.filter(({ pk }) => pk?.S === wanted?.S) : [] };
    },
    BatchGetItem: () => ({ Responses: { audit: LETTERS } }),
    DescribeAlarms: () => ({
      MetricAlarms: ['CardsLate', 'CardsDead'].map((name) => ({
        AlarmName: `demo/Queues/${name}Alarm`,
        StateValue: 'OK',
        Dimensions: [{ Name: 'QueueName', Value: name }],
      })),
    }),
    GetMetricData: () => ({ MetricDataResults: [] }),
    GetQueueUrl: () => ({ QueueUrl: `${aws?.url}/1/CardsDead` }),
    GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessages: '0' } }),
  });

test('trace shows the other entries, and says how many were left out', async () => {
  aws = await record();
  const { code, lines, err } = await cli(['trace', 'p-1', '--agent', 'builder', '--json'], { env });
  expect(lines).toContainEqual(expect.objectContaining({ source: 'record', what: 'evaluated' }));
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('2 entries are left out') });
});

test('dead show finds a letter beside one that cannot be read, which may be the one that is not found', async () => {
  aws = await record();
  expect(await cli(['dead', 'show', 'known', '--json'], { env })).toMatchObject({ code: 0, err: '' });
  const none = await cli(['dead', 'show', 'another'], { env });
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('1 entry is left out') });
});

test('dead list shows the others, and says that one was left out', async () => {
  aws = await record();
  const { code, out, err } = await cli(['dead', 'list', '--json'], { env });
  expect(out).toContain('known');
  expect(out).not.toContain('later');
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('1 entry is left out') });
});

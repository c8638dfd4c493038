/**
 * Checks `countersign trace` and `countersign dead`.
 *
 * The commands show one proposal in the order of time, and messages that could not be worked.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import type { AuditEntry } from '../../../shared/contract/index.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { DEAD_LETTERS, readDeadLetter, recordDeadLetter } from '../../../shared/use-cases/intake/dead-letter.ts';
import { type Answers, type FakeAws, fakeAws } from './fake-aws.ts';
import { acts, cli, NOW } from './run-cli.ts';

const env = {
  COUNTERSIGN_DEPLOYMENT: 'demo',
  COUNTERSIGN_AUDIT_TABLE: 'audit',
  COUNTERSIGN_STATE_TABLE: 'state',
  COUNTERSIGN_POLICY: 'policy.yaml',
};
const tables = { audit: 'audit', state: 'state' };
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const pid = pidOf('demo', 'builder', 'p-1');
const MESSAGE = '7a1c2f5e-0000-4000-8000-000000000001';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const itemOf = (agent: string, of: string, sort: string, entry: Partial<AuditEntry> & Pick<AuditEntry, 'type'>) => {
  const whole = { pid: of, proposalId: 'p-1', agent, policyVersion: 'e'.repeat(64), recordedAt: ago(0), ...entry };
  return auditPut(tables, { key: { agent, pid: of, sort }, entry: whole as AuditEntry }).Item ?? {};
};
const ENTRIES = [
  itemOf('builder', pid, 'evaluated', {
    type: 'evaluated',
    recordedAt: ago(60),
    outcome: 'error',
    reasonCode: 'dead_letter',
  }),
];
const LETTERS = [
  itemOf(DEAD_LETTERS.agent, DEAD_LETTERS.pid, `dead#${MESSAGE}`, {
    type: 'refused',
    recordedAt: ago(90),
    reasonCode: 'dead_letter',
    detail: `AccessDeniedException; message ${MESSAGE}; proposal p-1 of builder`,
  }),
  itemOf(DEAD_LETTERS.agent, DEAD_LETTERS.pid, 'dead#other', {
    type: 'refused',
    recordedAt: ago(95),
    reasonCode: 'dead_letter',
    detail: 'TypeError; message other',
  }),
];
const CARD = marshall({ pk: `approval#${pid}`, sk: 'card#C1#1', card: { channel: 'C1', ts: '1' } });

/** The record and the state table, as DynamoDB answers. */
const answers: Answers = {
  Query: ({ ExpressionAttributeValues, IndexName, TableName }) => {
    const values = ExpressionAttributeValues as Record<string, { S?: string }>;
    if (IndexName) return { Items: LETTERS.map(({ pk, sk }) => ({ pk, sk })) };
    if (TableName === 'state') return { Items: values[':pk']?.S === `approval#${pid}` ? [CARD] : [] };
    return { Items: ENTRIES.filter(({ pk }) => pk?.S === values[':pk']?.S) };
  },
  BatchGetItem: ({ RequestItems }) => {
    const asked = Object.keys(RequestItems as object);
    return { Responses: Object.fromEntries(asked.map((name) => [name, name === 'audit' ? LETTERS : []])) };
  },
};

describe('countersign trace', () => {
  test.each([['p-1'], [pid], [MESSAGE]])('finds the proposal by %s, with its dead letter, oldest first', async (id) => {
    aws = await fakeAws(answers);
    const { code, out, err } = await cli(['trace', id, '--agent', 'builder', '--json'], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const steps = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const mine = steps.filter(({ source }) => source === 'dead letter' || source === 'record');
    expect(mine).toMatchObject(
      id === pid
        ? [{ source: 'record', what: 'evaluated', pid }]
        : [
            { source: 'dead letter', detail: `AccessDeniedException; message ${MESSAGE}`, pid },
            { source: 'record', what: 'evaluated', detail: expect.stringContaining('dead_letter') },
          ],
    );
  });

  test('ends with the way into the logs, and shows nothing that a terminal acts on', async () => {
    aws = await fakeAws(answers);
    const { out } = await cli(['trace', 'p-1', '--agent', 'builder'], { env });
    expect(acts(out)).toBe(false);
    expect(out).toContain(`filter @message like "${pid}"`);
  });

  test('shows what can be read, and tells what cannot', async () => {
    const { Query, BatchGetItem } = answers;
    const refusing: Answers = {
      Query: (body, path) => (body['TableName'] === 'state' ? {} : (Query?.(body, path) ?? {})),
      ...(BatchGetItem ? { BatchGetItem } : {}),
    };
    aws = await fakeAws({ Query: refusing['Query'] as never });
    const { code, out, err } = await cli(['trace', 'p-1', '--agent', 'builder'], { env });
    expect(code).toBe(1);
    expect(out).toContain('evaluated');
    expect(err).toMatch(/dead letters cannot be read: .*BatchGetItem/);
  });

  test('of what nobody knows says so, and fails', async () => {
    aws = await fakeAws(answers);
    const { code, err } = await cli(['trace', 'p-404', '--agent', 'builder'], { env });
    expect(code).toBe(1);
    expect(err).toContain('nothing is known of p-404');
  });
});

describe('countersign dead', () => {
  const watching: Answers = {
    ...answers,
    DescribeAlarms: () => ({
      MetricAlarms: ['CardsLate', 'CardsDead', 'ProposalsLate', 'ProposalsDead'].map((name) => ({
        AlarmName: `demo/Queues/${name}Alarm`,
        StateValue: 'OK',
        Dimensions: [{ Name: 'QueueName', Value: name }],
      })),
    }),
    GetMetricData: () => ({ MetricDataResults: [] }),
    GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `${aws?.url}/${QueueName}` }),
    GetQueueAttributes: ({ QueueUrl }) => ({
      Attributes: { ApproximateNumberOfMessages: String(QueueUrl).endsWith('CardsDead') ? '2' : '0' },
    }),
  };

  test('list counts by queue with the next step, and names messages, faults and proposals', async () => {
    aws = await fakeAws(watching);
    const { code, out, err } = await cli(['dead', 'list'], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/Cards +2 +countersign dead redrive cards/);
    expect(out).toMatch(/Proposals +0 +the gate answers them by itself/);
    expect(out).toMatch(/AccessDeniedException +builder +p-1/);
  });

  test('show gives the command that goes on', async () => {
    aws = await fakeAws(answers);
    const known = await cli(['dead', 'show', MESSAGE], { env });
    expect(known.out).toContain('countersign trace p-1 --agent builder');
    const nobodys = await cli(['dead', 'show', 'other'], { env });
    expect(nobodys.out).toContain('{ $.messageId = "other" }');
    const none = await cli(['dead', 'show', 'never'], { env });
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('is the message never') });
  });

  test('redrive takes what `countersign redrive` takes', async () => {
    const { code, err } = await cli(['dead', 'redrive', 'proposals', '--reason', 'x'], { env });
    expect(code).toBe(2);
    expect(err).toContain('answers the dead letters of this queue by itself');
  });
});

test('the ids of a dead letter are read back as they were written', async () => {
  const id = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => /^[\w.:-]+$/.test(text));
  const about = fc.option(fc.record({ agent: id, proposalId: id }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(id, id, about, async (messageId, fault, subject) => {
      const put: AuditEntry[] = [];
      const deps = {
        clock: { now: () => NOW },
        policy: { version: 'v', record: { retention: { refusal: 1 } } },
        audit: { put: async ({ entry }: { readonly entry: AuditEntry }) => put.push(entry) > 0 },
      };
      await recordDeadLetter({ messageId, fault, about: subject }, deps as never);
      expect(readDeadLetter(put[0] as AuditEntry)).toEqual({
        messageId,
        fault,
        ...(subject ? { about: subject } : {}),
      });
    }),
    { numRuns: 50 },
  );
});

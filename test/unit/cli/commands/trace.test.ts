/**
 * Checks `countersign trace` and `countersign dead`.
 *
 * The commands show one proposal in the order of time, and messages that could not be processed.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import type { AuditEntry } from '../../../../shared/contract/index.ts';
import { pidOf } from '../../../../shared/domain/digest.ts';
import {
  DEAD_LETTERS_SUBJECT,
  readDeadLetter,
  recordDeadLetter,
} from '../../../../shared/use-cases/intake/dead-letter.ts';
import { type Answers, type FakeAws, fakeAws } from '../fake-aws.ts';
import { acts, cli, NOW } from '../run-cli.ts';

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
  itemOf(DEAD_LETTERS_SUBJECT.agent, DEAD_LETTERS_SUBJECT.pid, `dead#${MESSAGE}`, {
    type: 'refused',
    recordedAt: ago(90),
    reasonCode: 'dead_letter',
    detail: `AccessDeniedException; message ${MESSAGE}; proposal p-1 of builder`,
  }),
  itemOf(DEAD_LETTERS_SUBJECT.agent, DEAD_LETTERS_SUBJECT.pid, 'dead#other', {
    type: 'refused',
    recordedAt: ago(95),
    reasonCode: 'dead_letter',
    detail: 'TypeError; message other',
  }),
];
const CARD = marshall({ pk: `approval#${pid}`, sk: 'card#C1#1', card: { channel: 'C1', ts: '1' } });

const MACHINE = 'arn:aws:states:eu-central-1:000000000000:stateMachine:Approvals';
const TOKEN = 'a-task-token-that-nobody-may-see';
const logged = (seconds: number, fields: object) => ({
  eventId: `${seconds}`,
  timestamp: NOW - seconds * 1000,
  message: JSON.stringify(fields),
});
const LOGS: Readonly<Record<string, readonly ReturnType<typeof logged>[]>> = {
  '/log/evaluate': [
    logged(59, {
      _aws: {
        CloudWatchMetrics: [
          {
            Dimensions: [['service'], ['service', 'outcome']],
            Metrics: [{ Name: 'Decisions' }, { Name: 'DecisionTime', Unit: 'Milliseconds' }],
          },
        ],
      },
      service: 'demo',
      Decisions: [1, 1],
      DecisionTime: [7, 1900],
      outcome: 'error',
      pid: [pid, 'another'],
    }),
    logged(92, {
      message: 'a message could not be processed',
      fault: 'AccessDeniedException',
      messageId: MESSAGE,
      function: 'evaluate',
    }),
    logged(93, { message: 'of another', fault: 'TypeError', pid: 'another' }),
  ],
  '/log/slack-out': [
    logged(58, {
      message: 'Slack refused a card',
      pid,
      proposalId: 'p-1',
      slackError: 'msg_too_long',
      version: '1',
      at: ['f index.mjs:1:1'],
      level: 'WARN',
    }),
  ],
};
const functionOf = (path: string) => /functions\/f-([\w-]+)\//.exec(path)?.[1] ?? '';

/** Alarms of the deployment name its functions, queues and workflow. */
const WATCHED: Answers = {
  DescribeAlarms: () => ({
    MetricAlarms: [
      ...['evaluate', 'slack-out'].map((name) => ({
        AlarmName: `demo/ticket/${name}/ErrorsAlarm`,
        Dimensions: [{ Name: 'FunctionName', Value: `f-${name}` }],
      })),
      { AlarmName: 'demo/ticket/Workflow/FailedAlarm', Dimensions: [{ Name: 'StateMachineArn', Value: MACHINE }] },
      ...['CardsLate', 'CardsDead'].map((name) => ({
        AlarmName: `demo/ticket/Queues/${name}Alarm`,
        Dimensions: [{ Name: 'QueueName', Value: name }],
      })),
    ],
  }),
  GetMetricData: () => ({ MetricDataResults: [] }),
  GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `${aws?.url}/${QueueName}` }),
  GetQueueAttributes: ({ QueueUrl }) => ({
    Attributes: { ApproximateNumberOfMessages: String(QueueUrl).endsWith('CardsDead') ? '2' : '0' },
  }),
  '': (_, path) => ({
    Environment: { Variables: { GATE_FUNCTION: functionOf(path) } },
    LoggingConfig: { LogGroup: `/log/${functionOf(path)}` },
  }),
  FilterLogEvents: ({ logGroupName, filterPattern }) => ({
    events: LOGS[String(logGroupName)]?.filter(({ message }) => message.includes(String(filterPattern).slice(1, -1))),
  }),
  DescribeExecution: ({ executionArn }) =>
    String(executionArn).endsWith(`:${pid}`)
      ? {
          startDate: (NOW - 57_000) / 1000,
          stopDate: (NOW - 30_000) / 1000,
          status: 'FAILED',
          input: TOKEN,
          error: TOKEN,
        }
      : { __type: 'ExecutionDoesNotExist', message: 'none' },
};

/** The record and the state table, as DynamoDB answers. */
const answers: Answers = {
  ...WATCHED,
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

  const stepsOf = async (...argv: readonly string[]) => {
    const { code, out, err, lines } = await cli(['trace', 'p-1', '--agent', 'builder', ...argv, '--json'], { env });
    return { code, out, err, steps: lines as { source: string; what: string; detail: string; at: string }[] };
  };

  test('shows the lines of all functions, the workflow and the queues in one line of time, each with its source', async () => {
    aws = await fakeAws(answers);
    const { code, err, out, steps } = await stepsOf();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(steps.map(({ source, what, detail }) => [source, what, detail])).toEqual([
      ['log evaluate', 'a message could not be processed', `fault AccessDeniedException · messageId ${MESSAGE}`],
      ['dead letter', 'set aside', `AccessDeniedException; message ${MESSAGE}`],
      ['record', 'evaluated', 'builder · error: dead_letter'],
      ['log evaluate', 'measured', 'Decisions 1, 1 · DecisionTime 7, 1900 ms · outcome error · together with 1 others'],
      ['log slack-out', 'Slack refused a card', 'slackError msg_too_long'],
      ['workflow', 'began', ''],
      ['workflow', 'ended', 'failed'],
      ['queue', 'dead letters', 'Cards: 2 now, of any proposal'],
    ]);
    expect(out).not.toContain(TOKEN);
    const asked = aws.asked.find(({ operation }) => operation === 'DescribeExecution');
    expect(asked?.body).toMatchObject({ includedData: 'METADATA_ONLY' });
    const table = await cli(['trace', 'p-1', '--agent', 'builder'], { env });
    expect(acts(table.out)).toBe(false);
  });

  test('--history shows transitions, and never the parameters of a task, which hold the token', async () => {
    const event = (type: string, more: object) => ({ id: 1, timestamp: (NOW - 50_000) / 1000, type, ...more });
    aws = await fakeAws({
      ...answers,
      GetExecutionHistory: ({ includeExecutionData }) => ({
        events: [
          event('TaskStateEntered', { stateEnteredEventDetails: { name: 'RequestApproval', input: TOKEN } }),
          event('TaskScheduled', { taskScheduledEventDetails: { parameters: TOKEN, includeExecutionData } }),
          event('TaskFailed', { taskFailedEventDetails: { error: 'StillWaiting', cause: TOKEN } }),
        ],
      }),
    });
    const { code, out, steps } = await stepsOf('--history');
    expect(code).toBe(0);
    expect(steps.filter(({ source }) => source === 'workflow').map(({ what, detail }) => [what, detail])).toEqual([
      ['TaskStateEntered', 'RequestApproval'],
      ['TaskScheduled', ''],
      ['TaskFailed', 'StillWaiting'],
    ]);
    expect(out).not.toContain(TOKEN);
  });

  test.each([
    ['FilterLogEvents', /the log of evaluate, slack-out cannot be read: .*FilterLogEvents/, 'workflow'],
    ['DescribeExecution', /workflow cannot be read: .*DescribeExecution/, 'log evaluate'],
    ['GetQueueAttributes', /queues cannot be read: .*GetQueueAttributes/, 'log evaluate'],
    ['BatchGetItem', /dead letters cannot be read: .*BatchGetItem/, 'record'],
    ['DescribeAlarms', /logs, workflow and queues cannot be read: .*DescribeAlarms/, 'record'],
    ['', /logs cannot be read: Lambda/, 'record'],
  ])('without the right to %s says which source is missing, and shows the others', async (refused, said, other) => {
    const { [refused]: _, ...rest } = answers;
    aws = await fakeAws(rest);
    const { code, err, steps } = await stepsOf();
    expect(code).toBe(1);
    expect(err).toMatch(said);
    expect(err.match(/^countersign: take the role that may: .*$/gm)).toHaveLength(1);
    expect(steps.map(({ source }) => source)).toContain(other);
  });

  test('of an operator, who may not read the record, shows the approval’s logs and its workflow', async () => {
    aws = await fakeAws({
      ...answers,
      Query: (body, path) =>
        body['TableName'] === 'audit' && !body['IndexName']
          ? { __type: 'AccessDeniedException', message: 'not authorized' }
          : (answers['Query']?.(body, path) ?? {}),
    });
    const { code, err, steps } = await stepsOf();
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/record cannot be read/) });
    expect(steps.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['log slack-out', 'workflow', 'dead letter']),
    );
  });

  test('says that a log goes on where the search ended', async () => {
    aws = await fakeAws({ ...answers, FilterLogEvents: () => ({ events: [], nextToken: 'more' }) });
    const { code, err } = await stepsOf();
    expect(code).toBe(1);
    expect(err).toMatch(/the log of evaluate, slack-out is longer than one search: state a shorter time with --since/);
  });

  test('reads logs since the first step, and since --since', async () => {
    aws = await fakeAws(answers);
    const startOf = (since: readonly string[]) =>
      stepsOf(...since).then(
        () => aws?.asked.findLast(({ operation }) => operation === 'FilterLogEvents')?.body['startTime'],
      );
    expect(await startOf([])).toBe(NOW - 90_000 - 3_600_000);
    expect(await startOf(['--since', '2m'])).toBe(NOW - 120_000);
  });

  test('shows the line of a message that nobody recorded', async () => {
    aws = await fakeAws({ ...answers, BatchGetItem: () => ({ Responses: {} }) });
    const { code, lines } = await cli(['trace', MESSAGE, '--agent', 'builder', '--json'], { env });
    expect(code).toBe(0);
    expect(lines).toContainEqual(
      expect.objectContaining({ source: 'log evaluate', what: 'a message could not be processed' }),
    );
  });

  test.each([
    ['builder,planner', 'builder', pid],
    ['planner', undefined, pid],
  ])('of a role that sees logs alone, and the agents %s: those of %s', async (agents, agent, of) => {
    const policy = agents === 'planner' ? ['--agent', 'planner'] : [];
    aws = await fakeAws({ ...answers, Query: () => ({ Items: [] }), BatchGetItem: () => ({ Responses: {} }) });
    const { lines } = await cli(['trace', 'p-1', ...policy, '--json'], { env });
    const logged = (lines as { source: string; agent?: string; pid?: string }[]).filter(({ source }) =>
      source.startsWith('log'),
    );
    expect(logged.length).toBeGreaterThan(0);
    for (const line of logged) expect([line.agent, line.pid]).toEqual([agent, of]);
  });

  test('of lines of logs alone, each stands under the decision that it names; a pid alone names no agent', async () => {
    const of = { builder: pid, planner: pidOf('demo', 'planner', 'p-1'), gone: 'f'.repeat(64) };
    const events = Object.entries(of).map(([what, of], at) =>
      logged(at, { message: what, pid: of, proposalId: 'p-1' }),
    );
    const FilterLogEvents: Answers[string] = ({ logGroupName }) => ({
      events: logGroupName === '/log/evaluate' ? [...events, logged(9, { message: 'none', proposalId: 'p-1' })] : [],
    });
    const Query = () => ({ Items: [] });
    aws = await fakeAws({ ...answers, Query, BatchGetItem: () => ({ Responses: {} }), FilterLogEvents });
    const shown = async (id: string) => {
      const { lines } = await cli(['trace', id, '--json'], { env });
      const read = lines as { source: string; what: string; agent?: string; pid?: string }[];
      return Object.fromEntries(
        read.filter(({ source }) => source === 'log evaluate').map(({ what, agent, pid }) => [what, [agent, pid]]),
      );
    };
    const none = [undefined, undefined];
    const under = (agent: 'builder' | 'planner') => [agent, of[agent]];
    // No agent that was asked about has such a decision; its line names the decision all the same.
    const gone = [undefined, of.gone];
    expect(await shown('p-1')).toEqual({ builder: under('builder'), planner: under('planner'), gone, none });
    expect(await shown(of.builder)).toMatchObject({ builder: [undefined, of.builder] });
  });

  test('of a decision by its id shows the approval once, under its agent', async () => {
    aws = await fakeAws(answers);
    const { lines } = await cli(['trace', pid, '--json'], { env });
    expect(new Set((lines as { agent: string }[]).map(({ agent }) => agent))).toEqual(new Set(['builder']));
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
        redactor: { text: async (text: string) => text },
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

/** `countersign status`: what holds now, in one look, and what could not be read. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { newSession } from '../../../../shared/domain/session.ts';
import { type Answers, type FakeAws, fakeAws } from '../fake-aws.ts';
import { acts, cli, NOW } from '../run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());
const HOUR = 3_600_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();

const PAUSES = [
  {
    scope: { agent: 'builder' },
    effect: 'deny',
    since: NOW - HOUR,
    until: NOW + HOUR,
    reason: 'incident 42 \u001b[2J',
    by: 'oncall',
  },
  { scope: { tool: 'Read' }, effect: 'ask', reason: 'older', by: 'oncall' },
  { scope: { tool: 'Bash' }, effect: 'ask', reason: 'over', by: 'oncall', until: NOW - 1 },
];
const DELEGATIONS = [
  { person: { team: 'T0', user: 'U0ANN' }, to: { team: 'T0', user: 'U0BOB' }, until: at(HOUR), by: 'oncall' },
  { person: { team: 'T0', user: 'U0EVE' }, to: { team: 'T0', user: 'U0BOB' }, until: at(-1), by: 'oncall' },
];
const rule = { effect: 'deny', pattern: 'WebFetch', source: 'user', by: 'oncall' } as const;
/** Void since the restore that the row of pauses tells of. */
const voided = { ...rule, effect: 'allow', pattern: 'Write', at: at(-2 * HOUR) } as const;
const ROWS = [
  {
    ...newSession('builder', '*'),
    rules: [rule, voided, { ...rule, pattern: 'Read', expiresAt: at(-1) }],
    updatedAt: at(0),
  },
  { ...newSession('builder', 'main'), mode: 'plan', updatedAt: at(0) },
  { ...newSession('builder', 'idle'), updatedAt: at(0) },
];
const alarm = (name: string, state: string, queue?: string) => ({
  AlarmName: `demo/${name}`,
  AlarmDescription: `${name} is late`,
  StateValue: state,
  StateUpdatedTimestamp: (NOW - HOUR) / 1000,
  Dimensions: queue ? [{ Name: 'QueueName', Value: queue }] : [],
});
const ALARMS = [
  alarm('Queues/ProposalsLateAlarm', 'ALARM', 'q-live'),
  alarm('Queues/ProposalsDeadAlarm', 'OK', 'q-dead'),
  {
    ...alarm('Evaluate/ErrorsAlarm', 'INSUFFICIENT_DATA'),
    Dimensions: [{ Name: 'FunctionName', Value: 'f-evaluate' }],
  },
  { ...alarm('Redeem/ErrorsAlarm', 'OK'), Dimensions: [{ Name: 'FunctionName', Value: 'f-redeem' }] },
];
const tables: Answers = {
  GetItem: ({ Key }) =>
    (Key as { pk: { S: string } }).pk.S === 'control'
      ? {
          Item: marshall({ control: { version: 2, pauses: PAUSES, permitEpoch: 1_763_700_000, voidedAt: NOW - HOUR } }),
        }
      : { Item: marshall({ delegations: { version: 1, delegations: DELEGATIONS, done: [] } }) },
  Query: () => ({ Items: ROWS.map((session) => marshall({ session }, { removeUndefinedValues: true })) }),
};
const watching: Answers = {
  '': (_, path) => ({
    Environment: {
      Variables: {
        GATE_FUNCTION: /f-(\w+)/.exec(path)?.[1] ?? '',
        COUNTERSIGN_VERSION: '0.1.0',
        POLICY_VERSION: (path.includes('redeem') ? 'b' : 'a').repeat(64),
      },
    },
  }),
  DescribeAlarms: ({ AlarmNamePrefix }) => ({ MetricAlarms: AlarmNamePrefix === 'demo/' ? ALARMS : [] }),
  GetMetricData: () => ({
    MetricDataResults: [{ Id: 'q0', Values: [90], Timestamps: [NOW / 1000], StatusCode: 'Complete' }],
  }),
  GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `${aws?.url}/${QueueName}` }),
  GetQueueAttributes: ({ QueueUrl }) => ({
    Attributes: {
      ApproximateNumberOfMessages: String(QueueUrl).endsWith('q-dead') ? '2' : '7',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '0',
    },
  }),
};

async function status(answers: Answers, ...argv: readonly string[]) {
  aws = await fakeAws(answers);
  const env = { COUNTERSIGN_DEPLOYMENT: 'demo', COUNTERSIGN_STATE_TABLE: 'state', COUNTERSIGN_POLICY: 'policy.yaml' };
  return cli(['status', ...argv], { env });
}

test('shows what holds now and nothing that is over', async () => {
  const { code, out, err } = await status({ ...tables, ...watching }, '--agent', 'builder');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(acts(out)).toBe(false);
  expect(out).toBe(
    `Pauses
WHAT           EFFECT  SINCE                 UNTIL                 BY      REASON
agent builder  deny    2026-11-21 09:00:00Z  2026-11-21 11:00:00Z  oncall  incident 42 \\u{001b}[2J
tool Read      ask     not known             it is lifted          oncall  older
Permits, approvals for later and allow rules of operators that were given before 2026-11-21 09:00:00Z are void.

Delegations
PERSON  VOTES FOR THEM  FROM  UNTIL                 BY
U0ANN   U0BOB                 2026-11-21 11:00:00Z  oncall

Sessions
AGENT    SESSION        WHAT HOLDS     BY      UNTIL
builder  every session  deny WebFetch  oncall  it is removed
builder  main           mode plan              it is changed

Queues
QUEUE      WAITING  IN FLIGHT  DELAYED  OLDEST  DEAD LETTERS
proposals  7        1          0        1m 30s  3

Alarms
ALARM                      SINCE                 WHAT IT MEANS
Queues/ProposalsLateAlarm  2026-11-21 09:00:00Z  Queues/ProposalsLateAlarm is late

Versions
PACKAGE  POLICY        FUNCTIONS
0.1.0    aaaaaaaaaaaa  evaluate
0.1.0    bbbbbbbbbbbb  redeem
`,
  );
});

test.each([
  ['an empty queue has no oldest message, whatever it was minutes ago', '0', [90], /^proposals {2}0 +0 +0 +2$/m],
  ['the age of what waits is not known until SQS tells it', '7', [], /^proposals {2}7 +0 +0 +not known {2}2$/m],
])('%s', async (_, waiting, ages, line) => {
  const figures: Answers = {
    ...watching,
    GetMetricData: () => ({ MetricDataResults: [{ Id: 'q0', Values: ages, Timestamps: [], StatusCode: 'Complete' }] }),
    GetQueueAttributes: ({ QueueUrl }) => ({
      Attributes: { ApproximateNumberOfMessages: String(QueueUrl).endsWith('q-dead') ? '2' : waiting },
    }),
  };
  const { out } = await status({ ...tables, ...figures }, '--agent', 'builder');
  expect(out).toMatch(line);
});

test('is one line of JSON with --json', async () => {
  const ran = await status({ ...tables, ...watching }, '--json', '--agent', 'builder');
  expect(ran.lines).toMatchObject([
    {
      control: {
        pauses: [{ effect: 'deny', since: at(-HOUR), until: at(HOUR) }, { effect: 'ask' }],
        permitEpoch: 1_763_700_000,
        voidedAt: at(-HOUR),
      },
      delegations: [{ by: 'oncall' }],
      sessions: [
        { agent: 'builder', rules: [{ pattern: 'WebFetch' }] },
        { session: 'main', mode: 'plan' },
      ],
      queues: [{ name: 'Proposals', visible: 7, inFlight: 1, delayed: 0, dead: 3, oldestSeconds: 90 }],
      alarms: [{ name: 'Queues/ProposalsLateAlarm' }],
      unread: [],
    },
  ]);
});

test('looks at every agent of the policy file that is here', async () => {
  await status({ ...tables, ...watching });
  const asked = JSON.stringify(aws?.asked.filter(({ operation }) => operation === 'Query'));
  expect(asked).toContain('sessions#builder');
});

test('a part that cannot be read hides no other, and is no success', async () => {
  const { code, out, err } = await status(tables, '--agent', 'builder');
  expect(code).toBe(1);
  expect(out).toContain('agent builder  deny');
  expect(out).not.toContain('Queues');
  expect(err).toMatch(
    /^countersign: queues cannot be read: CloudWatch: .*\ncountersign: alarms cannot be read: CloudWatch: /,
  );
  // Once for all parts that the same right takes away.
  expect(err.match(/^countersign: take the role that may: .*$/gm)).toHaveLength(1);
  const { out: json } = await cli(['status', '--agent', 'builder', '--json'], {
    env: { COUNTERSIGN_DEPLOYMENT: 'demo', COUNTERSIGN_STATE_TABLE: 'state' },
  });
  expect(JSON.parse(json).unread[0]).toEqual({
    part: 'queues',
    why: expect.stringContaining('DescribeAlarms'),
    kind: 'AccessDeniedException',
    step: expect.stringContaining('take the role that may'),
  });
});

test('another name of a deployment is not taken for one without alarms', async () => {
  aws = await fakeAws({ ...tables, ...watching });
  const env = { COUNTERSIGN_DEPLOYMENT: 'dem', COUNTERSIGN_STATE_TABLE: 'state' };
  const { code, err } = await cli(['status', '--agent', 'builder'], { env });
  expect(code).toBe(1);
  expect(err).toContain(
    'no alarm begins with dem/: is COUNTERSIGN_DEPLOYMENT the name of the deployed gate, and AWS_REGION its region?',
  );
});

test('while calls shift, both versions of a function, with their share; else the one that the alias names, and not the newest', async () => {
  const versionAt = (path: string, digest: string) => ({
    Environment: {
      Variables: {
        GATE_FUNCTION: /f-(\w+)/.exec(path)?.[1] ?? '',
        COUNTERSIGN_VERSION: '0.1.0',
        POLICY_VERSION: digest.repeat(64),
      },
    },
  });
  const shifting: Answers = {
    ...tables,
    ...watching,
    '': (_, path) => {
      const version = /Qualifier=(\d+)/.exec(path)?.[1];
      if (path.includes('/aliases/live'))
        return path.includes('redeem')
          ? { FunctionVersion: '6' }
          : { FunctionVersion: '7', RoutingConfig: { AdditionalVersionWeights: { 8: 0.3 } } };
      return versionAt(path, version === '8' ? 'c' : version === undefined ? 'd' : 'a');
    },
  };
  const { out } = await status(shifting);
  const versions = out.slice(out.indexOf('Versions'));
  expect(versions).toMatch(/aaaaaaaaaaaa {2}evaluate \(70 % of its calls\), redeem$/m);
  expect(versions).toMatch(/cccccccccccc {2}evaluate \(30 % of its calls\)$/m);
  expect(versions).not.toContain('dddddddddddd');
});

test('an alias is asked for where there can be one, and a refusal is shown beside the function', async () => {
  const asked: string[] = [];
  const answers: Answers = {
    ...tables,
    ...watching,
    '': (_, path) => {
      const name = /f-(\w+)/.exec(path)?.[1] ?? '';
      if (path.includes('/aliases/')) asked.push(name);
      if (path.includes('/aliases/')) return { __type: 'AccessDeniedException', message: 'not authorized' };
      return {
        Environment: {
          Variables: {
            GATE_FUNCTION: name === 'redeem' ? 'reconcile' : name,
            COUNTERSIGN_VERSION: '0.1.0',
            POLICY_VERSION: 'a'.repeat(64),
          },
        },
      };
    },
  };
  const { out } = await status(answers);
  expect(out).toMatch(/evaluate \(its newest; its alias may not be read\), reconcile$/m);
  expect(asked).toEqual(['evaluate']);
});

/** Checks `countersign doctor`: each fault of a deployment with the command that mends it. */
import { setTimeout as delay } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { type Answers, type FakeAws, fakeAws } from '../fake-aws.ts';
import { acts, cli, NOW } from '../run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const alarm = (name: string, dimension: readonly [string, string], more: object = {}) => ({
  AlarmName: `demo/${name}`,
  AlarmDescription: `${name} is late`,
  StateValue: 'OK',
  AlarmActions: ['arn:aws:sns:us-east-1:1:page'],
  Dimensions: [{ Name: dimension[0], Value: dimension[1] }],
  ...more,
});
const share = {
  ...alarm('ticket/Evaluate/ThrottlesAlarm', ['x', 'y'], { Dimensions: [] }),
  Metrics: [{ Id: 'a', MetricStat: { Metric: { Dimensions: [{ Name: 'FunctionName', Value: 'f-evaluate' }] } } }],
};
const ALARMS = [
  alarm('page/Queues/ProposalsLateAlarm', ['QueueName', 'q-live']),
  alarm('page/Queues/ProposalsDeadAlarm', ['QueueName', 'q-dead']),
  alarm('ticket/Redeem/ErrorsAlarm', ['FunctionName', 'f-redeem']),
  share,
];
const RIGHT = ['deny', 'ask', 'allow'].map((expected) => ({
  expected,
  result: 'right',
  got: expected,
  proposalId: 'p',
  ms: 40,
}));
const configuration = (path: string, version: string = manifest.version, policy = 'a'.repeat(64)) => ({
  LastModified: '2026-11-21T09:00:00.000+0000',
  Environment: {
    Variables: {
      GATE_FUNCTION: /f-(\w+)/.exec(path)?.[1] ?? '',
      COUNTERSIGN_VERSION: version,
      POLICY_VERSION: policy,
      SLACK_SECRET: 'secret-canary',
    },
  },
});
/** By query, the values with the minutes that have passed since, the newest first; a bare value is of now. */
const figures = (
  values: Readonly<Record<string, readonly (number | readonly [value: number, minutesAgo: number])[]>>,
) => ({
  MetricDataResults: Object.entries(values).map(([Id, all]) => ({
    Id,
    Values: all.map((one) => (typeof one === 'number' ? one : one[0])),
    Timestamps: all.map((one) => Date.now() / 1_000 - (typeof one === 'number' ? 0 : one[1] * 60)),
    StatusCode: 'Complete',
  })),
});

const HEALTHY: Answers = {
  GetItem: () => ({ Item: marshall({ control: { version: 1, pauses: [], permitEpoch: 0 } }) }),
  Query: () => ({ Items: [] }),
  DescribeAlarms: () => ({ MetricAlarms: ALARMS }),
  GetMetricData: () => figures({ reached: [1] }),
  GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `${aws?.url}/${QueueName}` }),
  GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessages: '0' } }),
  '': (_, path) => (path.includes('invocations') ? { passed: true, checks: RIGHT } : configuration(path)),
};
const DENIED = { __type: 'AccessDeniedException', message: 'not authorized to perform: lambda:InvokeFunction' };
/** Takes the answer away: the service refuses. */
const REFUSED = undefined as unknown as Answers[string];
const EXPIRED = () => ({ __type: 'ExpiredTokenException', message: 'The token is over' });
const NO_TABLE = () => ({ __type: 'ResourceNotFoundException', message: 'no such table' });
const ENV = {
  AWS_REGION: 'us-east-1',
  COUNTERSIGN_DEPLOYMENT: 'demo',
  COUNTERSIGN_STATE_TABLE: 'state',
  COUNTERSIGN_AUDIT_TABLE: 'audit',
  COUNTERSIGN_OPERATORS_QUEUE_URL: 'https://sqs/operators',
  COUNTERSIGN_CANARY_FUNCTION: 'f-canary',
};

async function doctor(answers: Answers, argv: readonly string[] = [], env: Readonly<Record<string, string>> = ENV) {
  aws = await fakeAws({ ...HEALTHY, ...answers });
  // The clock of the fake service is this machine's.
  const ran = await cli(['doctor', '--json', ...argv], { env, now: Date.now });
  const findings = ran.lines as { check: string; health: string; found: string; mend?: string }[];
  return { ...ran, findings, of: (check: string) => findings.find((one) => one.check === check) };
}

test('a gate that has what it needs', async () => {
  const { code, err, findings } = await doctor({});
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(Object.fromEntries(findings.map(({ check, health }) => [check, health]))).toEqual({
    settings: 'ok',
    'state table': 'ok',
    record: 'ok',
    clock: 'ok',
    queues: 'ok',
    'alarm topics': 'ok',
    alarms: 'ok',
    versions: 'ok',
    policy: 'skipped',
    slack: 'ok',
    requests: 'skipped',
    canary: 'ok',
  });
});

describe('a fault of Slack that was mended', () => {
  test.each([
    ['a token, by the canary that asked since', { reached: [[1, 1]], p2: [[3, 4]] }, 'ok'],
    [
      'a token that the canary was refused with before',
      {
        reached: [
          [1, 1],
          [0, 6],
        ],
        p2: [[3, 12]],
      },
      'ok',
    ],
    ['a token, with the canary before the card', { reached: [[1, 5]], p2: [[1, 2]] }, 'wrong'],
    ['a channel, with no card blocked for half an hour', { reached: [[1, 1]], p0: [[3, 30]] }, 'ok'],
    ['a channel, with a card blocked ten minutes ago', { reached: [[1, 1]], p1: [[1, 10]] }, 'wrong'],
  ] as const)('%s', async (_, values, health) => {
    const { of } = await doctor({ GetMetricData: () => figures(values) });
    expect(of('slack')?.health).toBe(health);
  });
});

test.each([
  ['Proposals', 600, true],
  ['Executions', 600, false],
  ['Deferred', 900, false],
  ['Webhooks', 1_800, false],
  ['Webhooks', 3_600, true],
] as const)('a queue is late where its alarm says so: %s after %d s, %s', async (name, seconds, isLate) => {
  const { of } = await doctor(
    {
      DescribeAlarms: () => ({ MetricAlarms: [alarm(`page/Queues/${name}LateAlarm`, ['QueueName', 'q-live'])] }),
      GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessages: '1' } }),
      GetMetricData: () => figures({ q0: [seconds] }),
    },
    ['--only', 'queues'],
  );
  expect(of('late queues')?.found).toBe(isLate ? `messages wait in ${name.toLowerCase()}` : undefined);
});

test('as a table, without the words of the environment of functions', async () => {
  aws = await fakeAws(HEALTHY);
  const { out } = await cli(['doctor'], { env: ENV });
  expect(out).toMatch(/^CHECK +HEALTH +FOUND +MEND/);
  expect(out).toMatch(/canary +ok +deny: right \(deny, 40 ms\)/);
  expect(out).not.toContain('secret-canary');
  expect(acts(out)).toBe(false);
});

test('tells of a record that is refused before the state table has answered', async () => {
  const { code, of } = await doctor(
    {
      GetItem: async () => {
        await delay(200);
        return DENIED;
      },
      Query: REFUSED,
    },
    ['--only', 'access'],
  );
  expect(code).toBe(1);
  expect(of('state table')?.health).toBe('wrong');
  expect(of('record')?.health).toBe('wrong');
});

describe('names the fault and the command that mends it', () => {
  const standing = { StateValue: 'ALARM' };
  test.each<[string, string, string, RegExp, RegExp, Answers]>([
    ['a table that may not be read', 'state table', 'wrong', /not authorized/, /OperatorRole/, { GetItem: REFUSED }],
    ['a table that is none', 'state table', 'wrong', /no such table/, /describe-stacks/, { GetItem: NO_TABLE }],
    ['a token that is over', 'state table', 'wrong', /over/, /^give the role's credentials/, { GetItem: EXPIRED }],
    ['one that other checks meet', 'alarms', 'wrong', /over/, /^give the role's cred/, { DescribeAlarms: EXPIRED }],
    [
      'dead letters',
      'queues',
      'warning',
      /dead letters in proposals/,
      /^countersign dead list$/,
      { GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessages: '2' } }) },
    ],
    [
      'alarms that tell nobody',
      'alarm topics',
      'warning',
      /^1 of 1 alarms tell nobody/,
      /pageTopicArn/,
      {
        DescribeAlarms: () => ({
          MetricAlarms: [alarm('page/Queues/ProposalsLateAlarm', ['QueueName', 'q'], { AlarmActions: [] })],
        }),
      },
    ],
    [
      'a page that stands',
      'alarms',
      'wrong',
      /page\/Queues\/ProposalsLateAlarm/,
      /status/,
      {
        DescribeAlarms: () => ({
          MetricAlarms: [alarm('page/Queues/ProposalsLateAlarm', ['QueueName', 'q'], standing)],
        }),
      },
    ],
    [
      'a page that stands, by its cause',
      'alarms',
      'wrong',
      /page\/DecisionsPage, cause\/Queues\/ProposalsLateAlarm/,
      /status/,
      {
        DescribeAlarms: () => ({
          MetricAlarms: [
            alarm('cause/Queues/ProposalsLateAlarm', ['QueueName', 'q'], { ...standing, AlarmActions: [] }),
          ],
          CompositeAlarms: [{ ...alarm('page/DecisionsPage', ['', '']), ...standing, Dimensions: undefined }],
        }),
      },
    ],
    [
      'a page of several causes that tells nobody; causes need not',
      'alarm topics',
      'warning',
      /^1 of 1 alarms tell nobody/,
      /pageTopicArn/,
      {
        DescribeAlarms: () => ({
          MetricAlarms: [alarm('cause/Queues/ProposalsLateAlarm', ['QueueName', 'q'], { AlarmActions: [] })],
          CompositeAlarms: [{ AlarmName: 'demo/page/DecisionsPage', StateValue: 'OK' }],
        }),
      },
    ],
    [
      'a ticket that stands',
      'alarms',
      'warning',
      /tickets stand: ticket/,
      /status/,
      {
        DescribeAlarms: () => ({ MetricAlarms: [alarm('ticket/Redeem/ErrorsAlarm', ['FunctionName', 'f'], standing)] }),
      },
    ],
    [
      'functions of two versions',
      'versions',
      'wrong',
      /different versions/,
      /cdk deploy/,
      { '': (_, path) => configuration(path, manifest.version, (path.includes('redeem') ? 'b' : 'a').repeat(64)) },
    ],
    [
      'a command of another release',
      'package',
      'warning',
      /the gate 0\.0\.9/,
      /^npm install countersign-0\.0\.9\.tgz$/,
      { '': (_, path) => configuration(path, '0.0.9') },
    ],
    [
      'a token without a scope',
      'slack',
      'wrong',
      /lacks a scope/,
      /runbook/,
      { GetMetricData: () => figures({ p3: [2] }) },
    ],
    [
      'an app that was installed in another workspace, whose channels are gone as well',
      'slack',
      'wrong',
      /names no person and no channel: install the app in the workspace of the approvers/,
      /runbook/,
      { GetMetricData: () => figures({ reached: [0, 1], p4: [2] }) },
    ],
    [
      'a Slack that is away',
      'slack',
      'wrong',
      /did not answer/,
      /runbook/,
      { GetMetricData: () => figures({ reached: [0, 1] }) },
    ],
    [
      'a canary that has not asked',
      'slack',
      'skipped',
      /within an hour/,
      /--only canary/,
      { GetMetricData: () => figures({}) },
    ],
  ])('%s', async (_, check, health, found, mend, answers) => {
    const all = Object.fromEntries(Object.entries({ ...HEALTHY, ...answers }).filter(([, one]) => one));
    aws = await fakeAws(all);
    const { code, lines } = await cli(['doctor', '--json'], { env: ENV, now: Date.now });
    const finding = (lines as { check: string }[]).find((one) => one.check === check);
    expect(finding).toMatchObject({ health, found: expect.stringMatching(found), mend: expect.stringMatching(mend) });
    if (health === 'wrong') expect(code).toBe(1);
  });

  test('a clock that the gate would refuse', async () => {
    aws = await fakeAws(HEALTHY);
    const { code, lines } = await cli(['doctor', '--json', '--only', 'access'], { env: ENV, now: () => NOW });
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.objectContaining({ check: 'clock', health: 'wrong' }));
  });

  test('settings that are missing, each with its output, and no check that would guess them', async () => {
    const { code, of } = await doctor({}, [], {});
    expect(code).toBe(1);
    expect(of('settings')).toMatchObject({
      found: expect.stringContaining('COUNTERSIGN_AUDIT_TABLE (output AuditTable)'),
    });
    expect(of('alarms')).toMatchObject({
      health: 'wrong',
      found: expect.stringContaining('COUNTERSIGN_DEPLOYMENT'),
      mend: expect.stringContaining('describe-stacks'),
    });
    expect(of('canary')).toMatchObject({ health: 'skipped', found: expect.stringContaining('CanaryFunction') });
  });
});

test('a region that only other tools read is none', async () => {
  vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
  vi.stubEnv('AWS_REGION', undefined);
  vi.stubEnv('AWS_DEFAULT_REGION', 'us-east-1');
  aws = await fakeAws(HEALTHY);
  delete process.env['AWS_REGION'];
  const { code, lines } = await cli(['doctor', '--json', '--only', 'settings', 'access'], { env: ENV });
  vi.unstubAllEnvs();
  expect(code).toBe(1);
  expect(lines).toContainEqual(expect.objectContaining({ check: 'region', health: 'wrong' }));
  // Two requests share the fault, which names its service once.
  const { found = '' } = (lines as { check: string; found: string }[]).find(({ check }) => check === 'record') ?? {};
  expect(found.match(/DynamoDB: /g)).toHaveLength(1);
});

test('an environment that cannot be decrypted is no version', async () => {
  const locked = { Environment: { Error: { ErrorCode: 'AccessDeniedException', Message: 'no' } } };
  const { code, of } = await doctor({ '': () => locked }, ['--only', 'versions']);
  expect(code).toBe(1);
  expect(of('versions')).toMatchObject({ health: 'wrong' });
});

describe('the canary alone is the test after a deployment', () => {
  const ran = (passed: boolean, result: string, got: string) =>
    doctor({ '': () => ({ passed, checks: [{ expected: 'deny', result, got, proposalId: 'p', ms: 5 }] }) }, [
      '--only',
      'canary',
    ]);

  test('a wrong verdict is the loudest', async () => {
    const { code, err, of } = await ran(false, 'wrong', 'allow');
    expect(code).toBe(1);
    expect(err).toContain('canary');
    expect(of('canary')).toMatchObject({
      health: 'wrong',
      found: 'THE GATE ALLOWS WHAT IT MUST NOT: deny: wrong (allow, 5 ms)',
      mend: expect.stringContaining('countersign pause --all --deny'),
    });
  });

  test('a canary that cannot be run fails, where it was asked for', async () => {
    const unset = { ...ENV, COUNTERSIGN_CANARY_FUNCTION: '' };
    expect((await doctor({}, ['--only', 'canary'], unset)).code).toBe(1);
    await aws?.close();
    expect((await doctor({}, [], unset)).code).toBe(0);
  });

  test('an auditor, who may not run it, is told who may', async () => {
    const answers = { '': (_: unknown, path: string) => (path.includes('invocations') ? DENIED : configuration(path)) };
    const { code, of } = await doctor(answers);
    expect(of('canary')).toMatchObject({ health: 'skipped', mend: expect.stringContaining('operator') });
    expect(code).toBe(0);
    await aws?.close();
    expect((await doctor(answers, ['--only', 'canary'])).code).toBe(1);
  });

  test('a gate that does not decide fails, a stricter one does not', async () => {
    expect(await ran(false, 'failed', 'NoDecisionError')).toMatchObject({ code: 1 });
    await aws?.close();
    expect(await ran(true, 'stricter', 'deny')).toMatchObject({ code: 0 });
  });
});

/** Checks `countersign support`: a bundle with what helps, and no word of people, agents or secrets. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { HOLDS } from '../../../../shared/cli/status/bundle.ts';
import { DEAD_LETTERS_AGENT } from '../../../../shared/domain/proposal/reserved-ids.ts';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { type Answers, type FakeAws, fakeAws } from '../fake-aws.ts';
import { acts, cli, NOW } from '../run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const SECRETS = INVENTED_SECRETS.map(({ text }) => text).join(' ');
const PEOPLE = ['U0ANNCANARY', 'oncall-canary', 'session-canary', 'agent-canary', 'proposal-canary'];

const letter = (at: string, messageId: string) => ({
  ...auditPut(
    { audit: 'audit', state: '' },
    {
      key: { agent: DEAD_LETTERS_AGENT, pid: 'c'.repeat(64), sort: `refused#${messageId}` },
      entry: {
        type: 'refused' as const,
        pid: 'c'.repeat(64),
        proposalId: null,
        agent: DEAD_LETTERS_AGENT,
        policyVersion: 'a'.repeat(64),
        recordedAt: at,
        reasonCode: 'dead_letter',
        detail: `AccessDeniedException; message ${messageId}; proposal ${PEOPLE[4]} of ${PEOPLE[3]}`,
      },
    },
  ).Item,
});

const FRAMES = ['writeVote chunk-KR5WSBYK.mjs:13:5417', 'index.mjs:1:99'];
/** A line of a fault, with everything that a line can hold. */
const fault = (more: object = {}) => ({
  level: 'ERROR',
  message: SECRETS,
  function: 'redeem',
  version: '0.1.0',
  fault: 'AccessDeniedException',
  operation: 'TransactWriteItems state',
  at: FRAMES,
  pid: PEOPLE[4],
  proposalId: PEOPLE[4],
  agent: PEOPLE[3],
  text: `${PEOPLE[1]} is not authorized`,
  channel: PEOPLE[2],
  ...more,
});
const LINES: readonly (readonly [ago: number, fields: object])[] = [
  [3 * 3_600_000, fault()],
  [50_000, fault()],
  [40_000, fault({ at: [FRAMES[1]] })],
  [30_000, fault()],
  [20_000, fault({ fault: SECRETS })],
  [
    10_000,
    fault({ fault: 'TypeError', operation: SECRETS, code: SECRETS, slackError: PEOPLE[0], at: [SECRETS, FRAMES[1]] }),
  ],
  [5_000, { _aws: {}, Faults: 1, fault: 'AccessDeniedException', function: 'redeem' }],
];

const GATE: Answers = {
  GetItem: ({ Key }) =>
    (Key as { pk: { S: string } }).pk.S === 'control'
      ? {
          Item: marshall({
            control: {
              version: 1,
              permitEpoch: 0,
              pauses: [
                { scope: { agent: PEOPLE[3] }, effect: 'deny', since: NOW - 1000, reason: SECRETS, by: PEOPLE[1] },
              ],
            },
          }),
        }
      : {
          Item: marshall({
            delegations: {
              version: 1,
              done: [],
              delegations: [
                {
                  person: { team: 'T0', user: PEOPLE[0] },
                  to: { team: 'T0', user: PEOPLE[0] },
                  until: new Date(NOW + 1000).toISOString(),
                  by: PEOPLE[1],
                },
              ],
            },
          }),
        },
  Query: () => ({ Items: [] }),
  DescribeAlarms: () => ({
    MetricAlarms: [
      {
        AlarmName: 'demo/page/Queues/ProposalsLateAlarm',
        AlarmDescription: SECRETS,
        StateValue: 'ALARM',
        StateReason: SECRETS,
        StateUpdatedTimestamp: NOW / 1000,
        Dimensions: [{ Name: 'QueueName', Value: 'q' }],
      },
      {
        AlarmName: 'demo/ticket/Redeem/ErrorsAlarm',
        StateValue: 'OK',
        Dimensions: [{ Name: 'FunctionName', Value: 'f-redeem' }],
      },
    ],
  }),
  GetMetricData: () => ({
    MetricDataResults: [{ Id: 'm0', Values: [3], Timestamps: [NOW / 1000], StatusCode: 'Complete' }],
  }),
  GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `${aws?.url}/${QueueName}` }),
  GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessages: '4' } }),
  FilterLogEvents: ({ startTime, endTime }) => ({
    events: LINES.filter(([ago]) => NOW - ago >= Number(startTime) && NOW - ago <= Number(endTime)).map(
      ([ago, fields], index) => ({ eventId: `${index}`, timestamp: NOW - ago, message: JSON.stringify(fields) }),
    ),
  }),
  '': () => ({
    LoggingConfig: { LogGroup: '/log/redeem' },
    LastModified: '2026-11-21T09:00:00.000+0000',
    Environment: {
      Variables: {
        GATE_FUNCTION: 'redeem',
        COUNTERSIGN_VERSION: '0.1.0',
        POLICY_VERSION: 'a'.repeat(64),
        LEAK: SECRETS,
      },
    },
  }),
};
const ENV = { COUNTERSIGN_DEPLOYMENT: 'demo', COUNTERSIGN_STATE_TABLE: 'state', COUNTERSIGN_AUDIT_TABLE: 'audit' };

async function support(answers: Answers, ...argv: readonly string[]) {
  aws = await fakeAws({ ...GATE, ...answers });
  const { code, out } = await cli(['support', ...argv], { env: ENV });
  return { code, out, bundle: JSON.parse(out) as Record<string, unknown> };
}

function expectNothingOfThem(text: string): void {
  for (const { kind, secret } of INVENTED_SECRETS) expect(text, kind).not.toContain(secret);
  for (const one of PEOPLE) expect(text).not.toContain(one);
}

describe('the bundle', () => {
  test('holds the parts that it lists, and no secret, person, agent or reason (G37)', async () => {
    const { code, out, bundle } = await support({});
    expect(code).toBe(0);
    expect(acts(out)).toBe(false);
    expectNothingOfThem(out);
    expect(Object.keys(bundle).filter((key) => key in HOLDS)).toEqual(Object.keys(HOLDS));
    expect(bundle).toMatchObject({
      holds: HOLDS,
      deployment: 'demo',
      unread: [],
      versions: [{ name: 'redeem', version: '0.1.0', policyVersion: 'a'.repeat(64) }],
      alarms: [
        { name: 'page/Queues/ProposalsLateAlarm', state: 'ALARM', tells: false },
        { name: 'ticket/Redeem/ErrorsAlarm', state: 'OK' },
      ],
      queues: [{ name: 'Proposals', visible: 4 }],
      pauses: [{ scope: 'agent', effect: 'deny', since: new Date(NOW - 1000).toISOString() }],
      metrics: [{ metric: 'Faults', statistic: 'Sum', values: [[expect.any(String), 3]] }],
    });
  });

  test('faults of the logs stand in groups of function, kind and frames, with counts and times, and no word of a line', async () => {
    const { out, bundle } = await support({});
    expectNothingOfThem(out);
    const at = (ago: number) => new Date(NOW - ago).toISOString();
    const denied = {
      function: 'redeem',
      version: '0.1.0',
      fault: 'AccessDeniedException',
      operation: 'TransactWriteItems state',
    };
    expect(bundle['faults']).toEqual([
      { ...denied, at: FRAMES, count: 2, first: at(50_000), last: at(30_000) },
      { ...denied, at: [FRAMES[1]], count: 1, first: at(40_000), last: at(40_000) },
      {
        function: 'redeem',
        version: '0.1.0',
        fault: 'TypeError',
        at: [FRAMES[1]],
        count: 1,
        first: at(10_000),
        last: at(10_000),
      },
    ]);
    const longer = await support({}, '--since', '4h');
    expect((longer.bundle['faults'] as { count: number }[])[0]?.count).toBe(3);
  });

  test('a log that cannot be read leaves no groups, which would pass for all', async () => {
    const { code, bundle } = await support({
      FilterLogEvents: () => ({ __type: 'AccessDeniedException', message: PEOPLE[1] }),
    });
    expect(code).toBe(1);
    expect(bundle['faults']).toBeUndefined();
    expect(bundle['unread']).toEqual([{ part: 'faults', error: 'AccessDeniedException' }]);
  });

  test('totals are those of every page', async () => {
    const page = (values: readonly number[], next?: string) => ({
      MetricDataResults: [{ Id: 'm0', Values: values, Timestamps: values.map((n) => (NOW - n) / 1000) }],
      ...(next ? { NextToken: next } : {}),
    });
    const answers: Answers = { GetMetricData: ({ NextToken }) => (NextToken ? page([5]) : page([3, 4], 'more')) };
    const { bundle } = await support(answers, '--since', '7d');
    const [{ values }] = bundle['metrics'] as [{ values: [string, number][] }];
    expect(values.map(([, value]) => value)).toEqual([3, 4, 5]);
  });

  test('dead letters have ids and the kind of the fault, from the time that is asked about', async () => {
    const at = (ago: number) => new Date(NOW - ago).toISOString();
    const rows = [letter(at(60_000), 'm-new'), letter(at(3 * 3_600_000), 'm-old')];
    const answers: Answers = { Query: () => ({ Items: rows }), BatchGetItem: () => ({ Responses: { audit: rows } }) };
    const { out, bundle } = await support(answers, '--since', '2h');
    expectNothingOfThem(out);
    expect(bundle['deadLetters']).toEqual([{ at: at(60_000), messageId: 'm-new', fault: 'AccessDeniedException' }]);
  });

  test('a part that cannot be read is named with the kind of the error, whose text may name a person', async () => {
    const refused: Answers = {
      ...GATE,
      DescribeAlarms: () => {
        throw new Error();
      },
    };
    const { DescribeAlarms: _, ...others } = refused;
    aws = await fakeAws(others);
    const { code, out, err } = await cli(['support'], { env: ENV });
    expect(code).toBe(1);
    expect(err).toContain('alarms cannot be read: ');
    expect(`${out}${err}`).not.toContain('not authorized');
    expect(err.match(/take the role that may/g)).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({
      pauses: [{ effect: 'deny' }],
      unread: expect.arrayContaining([{ part: 'queues', error: 'AccessDeniedException' }]),
    });
  });

  test('not understood: a time that is none', async () => {
    const ran = await cli(['support', '--since', 'yesterday'], { env: ENV });
    expect(ran.code).toBe(2);
  });
});

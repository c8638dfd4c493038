/**
 * Checks the events of the deciding function, on a bus or as log lines, and their trace.
 *
 * With the bus down or silent the decision is the same, nothing of the record is lost, and lost events are counted
 * (R3-098, G9). X-Ray's header goes with every request.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Aws, AwsFault } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { AGENT, intakeEnv, startIntakeAws } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

const TRACE = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0';

let aws: Aws;
let env: Record<string, string>;
let onBus: Deployed;
let asLines: Deployed;
let silent: Deployed;
let bus: () => unknown;

beforeAll(async () => {
  aws = await startIntakeAws({
    PutEvents: () => bus(),
  });
  env = { ...intakeEnv(aws), _X_AMZN_TRACE_ID: TRACE };
  const parts = { policy: askingPolicy, aws: aws.url };
  onBus = await deploy('evaluate', { ...parts, env: { ...env, EVENT_BUS: 'audience' } });
  asLines = await deploy('evaluate', { ...parts, env: { ...env, EVENT_BUS: 'log' } });
  silent = await deploy('evaluate', { ...parts, env });
}, 60_000);
afterAll(async () => {
  await Promise.all([onBus, asLines, silent].map((one) => one?.stop()));
  await aws?.stop();
});
beforeEach(() => {
  bus = () => ({ FailedEntryCount: 0, Entries: [] });
  aws.calls.length = 0;
});

let sent = 0;
/** One call that is denied at once, and one that waits for people. */
const batch = () => ({
  Records: ['Glob', 'Write'].map((toolName) => {
    const proposalId = `p${++sent}`;
    const input = toolName === 'Write' ? { file_path: '/workspace/a', content: 'x' } : { pattern: '*.pem' };
    const body = {
      kind: 'tool-call',
      proposalId,
      toolName,
      input,
      ...(toolName === 'Glob' ? { mode: 'dontAsk' } : {}),
    };
    return {
      messageId: `m${sent}`,
      body: JSON.stringify(body),
      attributes: { SenderId: `${AGENT}:s`, SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' },
    };
  }),
});

/** Decided in full: the claim of one, claim and approval of the other, and its workflow. */
async function decides(evaluate: Deployed) {
  const { value } = await evaluate.invoke<{ readonly batchItemFailures: unknown[] }>(batch());
  expect(value?.batchItemFailures).toEqual([]);
  const claims = aws.asked('PutItem').filter(({ TableName }) => TableName === 'audit').length;
  const opened = aws.asked('TransactWriteItems').length;
  expect({ claims, opened, started: aws.asked('StartExecution').length }).toEqual({ claims: 1, opened: 1, started: 1 });
}
const linesOf = (evaluate: Deployed, from: number) =>
  evaluate.log.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
const lostIn = (lines: readonly Record<string, unknown>[]) =>
  lines.reduce((sum, { EventsLost = 0 }) => sum + Number(EventsLost), 0);

describe('events', () => {
  test('on the bus: one of each decision', async () => {
    await decides(onBus);
    const entries = aws
      .asked('PutEvents')
      .flatMap(({ Entries }) => Entries as { DetailType: string; EventBusName: string }[]);
    expect(entries.map(({ DetailType }) => DetailType).toSorted()).toEqual(['ApprovalOpened', 'ProposalDecided']);
    expect(new Set(entries.map(({ EventBusName }) => EventBusName))).toEqual(new Set(['audience']));
  });

  test('as log lines where the log is chosen, with the same words', async () => {
    const from = asLines.log.length;
    await decides(asLines);
    expect(aws.asked('PutEvents')).toEqual([]);
    const told = linesOf(asLines, from).filter(({ message }) => message === 'event');
    expect(told.map(({ event }) => event).toSorted()).toEqual(['ApprovalOpened', 'ProposalDecided']);
    for (const one of told)
      expect(one).toMatchObject({ eventVersion: 1, agentId: 'coder', deployment: 'test', pid: expect.any(String) });
  });

  test('nowhere by default: the same decisions and the same figures, and no call or line for it', async () => {
    const [from, logFrom] = [silent.log.length, asLines.log.length];
    await decides(silent);
    expect(aws.asked('PutEvents')).toEqual([]);
    const lines = linesOf(silent, from);
    expect(lines.filter(({ message }) => message === 'event')).toEqual([]);
    aws.calls.length = 0;
    await decides(asLines);
    const measured = (all: readonly Record<string, unknown>[]) =>
      new Set(all.flatMap((line) => ('_aws' in line ? Object.keys(line).filter((key) => /^[A-Z]/.test(key)) : [])));
    expect(measured(lines)).toContain('DecisionLatency');
    expect(measured(lines)).toEqual(measured(linesOf(asLines, logFrom)));
  });

  test.each([
    [
      'refuses',
      () => {
        throw new AwsFault('AccessDeniedException');
      },
      2,
      { fault: 'AccessDeniedException', operation: 'PutEvents' },
    ],
    [
      'takes one of two',
      () => ({ FailedEntryCount: 1, Entries: [{ EventId: 'e' }, { ErrorCode: 'ThrottlingException' }] }),
      1,
      { fault: 'EventRefusedError', code: 'ThrottlingException' },
    ],
    [
      'is down',
      () => {
        throw new AwsFault('ServiceUnavailable');
      },
      2,
      { fault: 'ServiceUnavailable' },
    ],
  ])(
    'a bus that %s: everything is decided and on the record, and what was lost is counted and logged with its cause',
    async (_, says, lost, cause) => {
      bus = says;
      const from = onBus.log.length;
      await decides(onBus);
      const lines = linesOf(onBus, from);
      expect(lostIn(lines)).toBe(lost);
      expect(lines.filter(({ message }) => message === 'events could not be put on the bus')).toMatchObject([
        { events: lost, ...cause },
      ]);
      // A page about decisions counts these.
      expect(lines.some((line) => '_aws' in line && 'Faults' in line)).toBe(false);
    },
  );

  test('a bus that never answers holds up a batch for little more than a second', async () => {
    bus = () => new Promise(() => undefined);
    const from = onBus.log.length;
    const began = Date.now();
    await decides(onBus);
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(lostIn(linesOf(onBus, from))).toBe(2);
  });
});

test("the trace of the message goes on: its header is on every request, queue's, workflow's and bus's too", async () => {
  await decides(onBus);
  const without = aws.calls.filter(({ trace }) => trace !== TRACE).map(({ operation }) => operation);
  expect(without).toEqual([]);
  expect(aws.calls.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['BatchGetItem', 'PutItem', 'TransactWriteItems', 'StartExecution', 'PutEvents']),
  );
});

/** A message of a queue, from nobody in particular. */
const record = (body: unknown) => ({
  Records: [
    {
      messageId: 'm1',
      receiptHandle: 'r1',
      body: JSON.stringify(body),
      attributes: { SenderId: `${AGENT}:s`, SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' },
    },
  ],
});
const underPermit = { proposalId: 'p', callId: 'c1', permitId: 'permit-1' };

test.each([
  ['resume', { pid: 'a'.repeat(64) }],
  ['execute-tool', record({ ...underPermit, requestId: 'r', toolName: 'Read', input: {} })],
  ['collect-outcomes', record({ ...underPermit, actionDigest: 'a'.repeat(64), status: 'succeeded', durationMs: 1 })],
] as const)(
  'the trace goes on through %s, too',
  async (name, event) => {
    const more = {
      EXECUTIONS_QUEUE_URL: `${aws.url}/executions`,
      CARRIER: 'AROACARRIER000000001',
      OUTCOMES_QUEUE_URL: `${aws.url}/outcomes`,
      OUTCOMES_DEAD_ARN: 'arn:aws:sqs:us-east-1:000000000000:outcomes-dead',
      EXECUTIONS_DEAD_ARN: 'arn:aws:sqs:us-east-1:000000000000:executions-dead',
    };
    const deployed = await deploy(name, { policy: askingPolicy, env: { ...env, ...more }, aws: aws.url });
    await deployed.invoke(event);
    await deployed.stop();
    const requests = aws.calls.filter(({ operation }) => operation !== '');
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.filter(({ trace }) => trace !== TRACE)).toEqual([]);
  },
  60_000,
);

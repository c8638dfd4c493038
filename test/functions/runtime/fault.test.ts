/**
 * Checks that a fault's log line has ids, cause and frames, and no text of a message (G37).
 *
 * A secret's text and a person's are absent, too.
 */
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { idsOfRecord } from '../../../functions/runtime/queues/record-ids.ts';
import { noteOperations } from '../../../functions/runtime/telemetry/aws-operations.ts';
import { events } from '../../../functions/runtime/telemetry/events.ts';
import { faultOf } from '../../../functions/runtime/telemetry/fault.ts';
import { aboutMessage } from '../../../functions/runtime/telemetry/message-in-work.ts';
import { count, logFault } from '../../../functions/runtime/telemetry/observe.ts';
import { withTelemetry } from '../../../functions/runtime/telemetry/with-telemetry.ts';
import { SlackProblemError, SlackRefusedError } from '../../../shared/adapters/slack/posting/errors.ts';
import { AwsFault, startAws } from '../support/aws.ts';
import { logged } from '../support/logged.ts';

const PID = 'a'.repeat(64);
type Context = Parameters<Parameters<typeof withTelemetry>[0]>[1];
const contextFor = (leftMs: number) =>
  ({ awsRequestId: 'request-1', getRemainingTimeInMillis: () => leftMs }) as Context;
const context = contextFor(60_000);

const named = (name: string, message: string, fields: object = {}) =>
  Object.assign(new Error(message), { name }, fields);

describe('a fault in the log', () => {
  test('of AWS names the call, its table, the answer and the request', async () => {
    const aws = await startAws({
      PutItem: () => {
        throw new AwsFault('AccessDeniedException');
      },
    });
    const client = noteOperations(
      new DynamoDBClient({
        endpoint: aws.url,
        region: 'us-east-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      }),
    );
    const put = client.send(new PutItemCommand({ TableName: 'gate-state', Item: { pk: { S: 'xoxb-canary' } } }));
    const fault = faultOf(await put.catch((error: unknown) => error));
    await aws.stop();
    expect(fault).toMatchObject({ fault: 'AccessDeniedException', status: 400, operation: 'PutItem gate-state' });
    expect(JSON.stringify(fault)).not.toContain('canary');
  });

  test('is counted under its cause, and names the errors that wrap it', () => {
    const cause = named('AccessDeniedException', 'User: arn:aws:sts::1:assumed-role/gate is not authorized', {
      $metadata: { requestId: 'R1', httpStatusCode: 400 },
    });
    const bolt = named('Error', 'a text of Bolt', { code: 'slack_bolt_unknown_error', original: cause });
    expect(faultOf(bolt)).toMatchObject({
      fault: 'AccessDeniedException',
      causes: ['Error', 'AccessDeniedException'],
      code: 'slack_bolt_unknown_error',
      status: 400,
      awsRequestId: 'R1',
      text: 'User: arn:aws:sts::1:assumed-role/gate is not authorized',
    });
  });

  test('of Slack has Slack’s own word', () => {
    const answer = (error: string) =>
      named('Error', `An API error occurred: ${error}`, { code: 'slack_webapi_platform_error', data: { error } });
    const problem = new SlackProblemError('restricted_action', { cause: answer('restricted_action') });
    expect(faultOf(problem)).toMatchObject({ fault: 'SlackProblemError', slackError: 'restricted_action' });
    expect(faultOf(new SlackRefusedError('msg_too_long'))).toMatchObject({ slackError: 'msg_too_long' });
    expect(faultOf(answer('Text with a person: <@U0A>')).slackError).toBeUndefined();
  });

  test('has the frames below its text, and none that its text pretends', () => {
    const fault = faultOf(new TypeError('a\n    at canary (file:///x/canary.mjs:1:1)\nb'));
    expect(fault.at?.[0]).toMatch(/fault\.test\.ts:\d+:\d+$/);
    expect(JSON.stringify(fault)).not.toContain('canary');
    const changed = new Error('canary\n    at canary (file:///x/canary.mjs:1:1)');
    expect(changed.stack).toContain('canary.mjs:1:1');
    changed.message = 'another text';
    expect(faultOf(changed).at).toBeUndefined();
  });

  test('never holds a text that was thrown, whichever field holds it', () => {
    const CANARY = 'Xoxb-Canary 17';
    const holds = fc.constantFrom('message', 'code', 'name', 'reason', 'data', 'status', 'stack', 'requestId');
    const frame = fc.constantFrom('', '\n    at f (file:///a.mjs:1:1)', '\r\n', '\u2028', '": ');
    fc.assert(
      fc.property(fc.array(holds, { minLength: 1 }), frame, fc.boolean(), (fields, around, deep) => {
        const text = `${around}${CANARY}${around}`;
        const given: Record<string, unknown> = { $metadata: {} };
        for (const field of fields) {
          if (field === 'data') given['data'] = { error: text };
          else if (field === 'requestId') given['$metadata'] = { requestId: text };
          else given[field] = text;
        }
        const thrown = Object.assign(new Error(text), given);
        const fault = faultOf(deep ? new Error(CANARY, { cause: thrown }) : thrown);
        expect(JSON.stringify(fault)).not.toContain('Canary');
      }),
    );
  });

  test('is logged and counted once for each message, however often it is met', async () => {
    const error = new TypeError('text');
    const lines = await logged(() => {
      logFault('first', error, { pid: PID });
      logFault('again', error, { pid: PID });
      logFault('again', error, { run: true });
    });
    expect(lines.filter(({ message }) => message === 'first' || message === 'again')).toMatchObject([
      { message: 'first', pid: PID, fault: 'TypeError' },
    ]);
    expect(lines.filter(({ Faults }) => Faults === 1)).toMatchObject([{ fault: 'TypeError', function: 'unknown' }]);
  });
});

describe('a handler that throws', () => {
  test('is logged with the ids of its event and rethrown by name, without its text', async () => {
    const handler = withTelemetry<{ pid: string }, void>(
      async () => {
        throw new RangeError('canary of a message');
      },
      ({ pid }) => ({ pid }),
    );
    let thrown: unknown;
    const lines = await logged(() => handler({ pid: PID }, context).catch((error: unknown) => (thrown = error)));
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'a function failed', pid: PID, fault: 'RangeError' }),
    );
    expect(thrown).toMatchObject({ name: 'RangeError', message: expect.stringContaining('request-1') });
    expect(`${(thrown as Error).stack}${JSON.stringify(lines)}`).not.toContain('canary');
  });

  test('with an answer to the workflow has no fault', async () => {
    const handler = withTelemetry<unknown, void>(async () => {
      throw named('StillWaiting', 'the approval waits on');
    });
    const lines = await logged(() => handler({}, context).catch(() => undefined));
    expect(lines.filter((line) => 'Faults' in line || line['level'] === 'ERROR')).toEqual([]);
  });
});

describe('a handler that ends', () => {
  const run = { runMs: expect.any(Number), memoryMb: expect.any(Number) };
  const isRun = (line: Record<string, unknown>) => 'runMs' in line;

  test('tells its time and its memory with what was counted', async () => {
    const handler = withTelemetry<unknown, void>(async () => count('ProposalsWorked', 2));
    const lines = await logged(() => handler({}, context));
    expect(lines.filter(isRun)).toEqual([expect.objectContaining({ ...run, ProposalsWorked: 2 })]);
  });

  test.each([
    ['nothing was counted', async () => undefined],
    ['it answers by an error', async () => Promise.reject(named('StillWaiting', 'the approval waits on'))],
  ])('writes no line for them if %s', async (_, work) => {
    const handler = withTelemetry<unknown, void>(work);
    expect((await logged(() => handler({}, context).catch(() => undefined))).filter(isRun)).toEqual([]);
  });
});

test('the events of a run that is nearly out of time leave before its end, and no second time', async () => {
  vi.stubEnv('EVENT_BUS', 'log');
  onTestFinished(() => void vi.unstubAllEnvs());
  const told = { name: 'VoteCounted', eventVersion: 1, at: 0, pid: PID, proposalId: 'p1', agentId: 'coder' } as const;
  const { promise: stuck, resolve: goOn } = Promise.withResolvers<void>();
  const handler = withTelemetry<unknown, void>(async () => {
    events.emit({ ...told, sessionId: 'main', detail: {} });
    await stuck;
  });
  const isEvent = ({ message }: Record<string, unknown>) => message === 'event';
  let running: Promise<void> | undefined;
  const early = await logged(async () => {
    running = handler({}, contextFor(1_010));
    await setTimeout(50);
  });
  expect(early.filter(isEvent)).toHaveLength(1);
  const late = await logged(async () => {
    goOn();
    await running;
  });
  expect(late.filter(isEvent)).toEqual([]);
});

test('a line of code that knows no approval has that of the work around it', async () => {
  const lines = await logged(() =>
    aboutMessage({ pid: PID }, async () => logFault('a person could not be told', new Error('text'), { run: true })),
  );
  expect(lines).toContainEqual(expect.objectContaining({ message: 'a person could not be told', pid: PID }));
});

test('a message in a queue is named by its own id and the pid that it holds', () => {
  const record = (body: string) => ({
    ...{ messageId: 'm1', body },
    attributes: { ApproximateReceiveCount: '3' } as Parameters<typeof idsOfRecord>[0]['attributes'],
  });
  expect(idsOfRecord(record(`{"kind":"card","pid":"${PID}"}`))).toEqual({ messageId: 'm1', receiveCount: 3, pid: PID });
  expect(idsOfRecord(record('{"pid":"xoxb-canary"}'))).toEqual({ messageId: 'm1', receiveCount: 3 });
});

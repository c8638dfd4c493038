// Runs functions on LocalStack without Docker.
//
// Each execution environment is a Node process that fares as one on Lambda does.
import { CloudWatchLogsClient, DescribeLogStreamsCommand, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  InvokeCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../../shared/dev/aws/cache.ts';
import { clientConfig, type Endpoint, startEndpoint } from '../endpoint/index.ts';
import { type Clients, clientsOf, codeOf, makeFunction } from '../endpoint/testing/fixtures.ts';
import { until } from '../endpoint/testing/until.ts';

let endpoint: Endpoint;
let root: Clients;

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
});
afterAll(() => endpoint?.stop());

async function invoke(name: string, event: unknown = {}) {
  const command = new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event), LogType: 'Tail' });
  const { Payload, FunctionError, LogResult } = await root.lambda.send(command);
  return {
    answer: JSON.parse(Payload?.transformToString() ?? 'null') as unknown,
    failed: FunctionError !== undefined,
    log: Buffer.from(LogResult ?? '', 'base64').toString(),
  };
}

const updated = (FunctionName: string) =>
  waitUntilFunctionUpdatedV2({ client: root.lambda, maxWaitTime: 60, minDelay: 0.1, maxDelay: 1 }, { FunctionName });

/** Waits until the streams of this log hold all of these words. */
async function stored(logGroupName: string, ...words: readonly string[]): Promise<void> {
  const logs = new CloudWatchLogsClient(clientConfig(endpoint));
  await until('the log to be stored', async () => {
    const { logStreams = [] } = await logs
      .send(new DescribeLogStreamsCommand({ logGroupName }))
      .catch(() => ({ logStreams: [] }));
    const lines = await Promise.all(
      logStreams.map(async ({ logStreamName }) => {
        const { events = [] } = await logs.send(new GetLogEventsCommand({ logGroupName, logStreamName }));
        return events.map(({ message }) => message).join('\n');
      }),
    );
    return words.every((word) => lines.join('\n').includes(word));
  });
}

describe('a function', () => {
  test('runs on Node 24 with its own environment, its context and nothing of this machine', async () => {
    const body = `return { version: process.version, env: process.env, id: context.awsRequestId, left: context.getRemainingTimeInMillis(), event };`;
    const { name, arn } = await makeFunction(root, body, { variables: { OWN: 'value' } });
    const { answer } = await invoke(name, { greeting: 'Grüße' });
    expect(answer).toMatchObject({
      version: expect.stringMatching(/^v24\./),
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: { greeting: 'Grüße' },
      env: { OWN: 'value', AWS_LAMBDA_FUNCTION_NAME: name, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: endpoint.url },
    });
    const { env, left } = answer as { env: Record<string, string>; left: number };
    expect(Object.keys(env).filter((key) => /COUNTERSIGN|LOCALSTACK|HOME/.test(key))).toEqual([]);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(10_000);
    expect(arn).toContain(name);
  });

  test('that throws is a function error with name and message, and answers the next event in the same process', async () => {
    const body = `if (event.fail) throw Object.assign(new Error('not today'), { name: 'Refused' }); return process.pid;`;
    const { name } = await makeFunction(root, body);
    const before = await invoke(name);
    const { answer, failed } = await invoke(name, { fail: true });
    expect({ answer, failed }).toMatchObject({
      failed: true,
      answer: { errorType: 'Refused', errorMessage: 'not today' },
    });
    expect((await invoke(name)).answer).toBe(before.answer);
  });

  test('that takes too long is ended, and starts anew', async () => {
    const body = `if (event.hang) for (;;); return process.pid;`;
    const { name } = await makeFunction(root, body, { timeout: 1 });
    const before = (await invoke(name)).answer;
    const { answer, failed } = await invoke(name, { hang: true });
    expect(failed).toBe(true);
    expect(answer).toMatchObject({ errorMessage: expect.stringMatching(/Task timed out after 1\.00 seconds$/) });
    await until('the process to end', () => !isAlive(Number(before)));
    expect((await invoke(name)).answer).not.toBe(before);
  });

  test('that exits or is killed fails this invocation only', async () => {
    const body = `if (event.exit) process.exit(3); if (event.kill) process.kill(process.pid, 'SIGKILL'); await new Promise((done) => setTimeout(done, event.kill ? 5000 : 0)); return 'well';`;
    const { name } = await makeFunction(root, body);
    expect((await invoke(name, { exit: true })).answer).toMatchObject({
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringContaining('exit status 3'),
    });
    expect((await invoke(name, { kill: true })).answer).toMatchObject({
      errorMessage: expect.stringContaining('signal: SIGKILL'),
    });
    expect((await invoke(name)).answer).toBe('well');
  });

  test('that cannot be loaded says so in every invocation', async () => {
    const { name } = await makeFunction(root, `} ; throw new Error('no start'); {`);
    for (let time = 0; time < 2; time++) {
      const { answer, failed } = await invoke(name);
      expect({ answer, failed }).toMatchObject({ failed: true, answer: { errorMessage: 'no start' } });
    }
  });

  test('has its lines in its own log, each invocation apart, also the last before it ends', async () => {
    const body = `console.log('said', event.say); process.stdout.write('raw ' + event.say); if (event.exit) process.exit(1);`;
    const { name } = await makeFunction(root, body);
    const first = await invoke(name, { say: 'one' });
    const second = await invoke(name, { say: 'two', exit: true });
    expect(first.log).toMatch(/START RequestId.*\n[^\n]*INFO\tsaid one\nraw oneEND RequestId/s);
    expect(second.log).toContain('raw two');
    expect(second.log).not.toContain('one');
    await stored(`/aws/lambda/${name}`, 'said one', 'said two');
  });

  test('has its lines in the log that its configuration names, also after a change of it', async () => {
    const { name } = await makeFunction(root, `console.log('said', event.say);`, { logGroup: '/own/first' });
    await invoke(name, { say: 'one' });
    await stored('/own/first', 'said one');
    const LoggingConfig = { LogGroup: '/own/second' };
    await root.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: name, LoggingConfig }));
    await updated(name);
    await invoke(name, { say: 'two' });
    await stored('/own/second', 'said two');
  });

  test('runs at once for callers at once, one event a process', async () => {
    const { name } = await makeFunction(
      root,
      `await new Promise((done) => setTimeout(done, 1500)); return process.pid;`,
    );
    const answers = await Promise.all([1, 2, 3].map(() => invoke(name)));
    expect(new Set(answers.map(({ answer }) => answer)).size).toBe(3);
  });

  test('runs its new code, and with its new environment, after an update', async () => {
    const { name } = await makeFunction(root, `return 'old';`);
    expect((await invoke(name)).answer).toBe('old');
    const ZipFile = codeOf(`return process.env.OWN ?? 'new';`);
    await root.lambda.send(new UpdateFunctionCodeCommand({ FunctionName: name, ZipFile }));
    await updated(name);
    expect((await invoke(name)).answer).toBe('new');
    const Environment = { Variables: { OWN: 'changed' } };
    await root.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: name, Environment }));
    await updated(name);
    expect((await invoke(name)).answer).toBe('changed');
  });

  test('carries large events and answers whole', async () => {
    const { name } = await makeFunction(root, `return { length: event.text.length, back: event.text };`);
    const text = 'ü'.repeat(500_000);
    const { answer } = await invoke(name, { text });
    expect(answer).toEqual({ length: 500_000, back: text });
  });
});

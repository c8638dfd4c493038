// Checks the Step Functions of the local endpoint.
//
// Covers behaviour that Countersign's workflow relies on and MiniStack alone lacks.
import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Endpoint, startEndpoint } from './index.ts';
import { type Clients, clientsOf, makeFunction, makeMachine, makeQueue, uniqueName } from './testing/fixtures.ts';
import { until } from './testing/until.ts';

let endpoint: Endpoint;
let root: Clients;
/** Tells a queue what it was called with, so that the test knows the token. */
let teller: { arn: string };
let told: string;

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
  const queue = await makeQueue(root);
  told = queue.url;
  // Without an SDK in its zip a function has MiniStack's own stub of it.
  teller = await makeFunction(
    root,
    `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
     await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${told}', MessageBody: JSON.stringify(event) }));
     if (event.fail) throw Object.assign(new Error('no'), { name: event.fail });`,
  );
});
afterAll(() => endpoint?.stop());

const waiting = (fields: object, resource = teller.arn) => ({
  QueryLanguage: 'JSONata',
  StartAt: 'Ask',
  States: {
    Ask: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      Arguments: {
        FunctionName: resource,
        Payload: {
          token: '{% $states.context.Task.Token %}',
          retry: '{% $states.context.State.RetryCount %}',
          entered: '{% $states.context.State.EnteredTime %}',
          name: '{% $states.context.Execution.Name %}',
          fail: '{% $exists($states.input.fail) ? $states.input.fail : null %}',
        },
      },
      Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput %}', Next: 'Caught' }],
      End: true,
      ...fields,
    },
    Caught: { Type: 'Succeed', Output: { caught: '{% $states.input.Error %}', cause: '{% $states.input.Cause %}' } },
  },
});

interface Told {
  token: string;
  retry: number;
  entered: string;
  name: string;
}

const start = (machine: string, input: object = {}, name = uniqueName('run')) =>
  root.sfn.send(new StartExecutionCommand({ stateMachineArn: machine, input: JSON.stringify(input), name }));

const heard = (name: string) =>
  until('the function to be called', async () => {
    const { Messages } = await root.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: told, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    );
    const calls = (Messages ?? []).map((message) => JSON.parse(String(message.Body)) as Told);
    return calls.filter((call) => call.name === name).at(-1);
  });

const ended = (executionArn: string | undefined) =>
  until('the execution to end', async () => {
    const execution = await root.sfn.send(new DescribeExecutionCommand({ executionArn }));
    return execution.status !== 'RUNNING' && { ...execution, output: JSON.parse(execution.output ?? 'null') };
  });

const errorName = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Error) => error.name,
  );

describe('the time of a task that waits for its token', () => {
  const expiry = {
    TimeoutSeconds:
      '{% $max([1, $ceil(($toMillis($states.input.expiresAt) - $toMillis($states.context.State.EnteredTime)) / 1000) + 1]) %}',
  };

  test('is a JSONata expression of the input and the context', async () => {
    const machine = await makeMachine(root, waiting(expiry));
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const { executionArn, startDate } = await start(machine, { expiresAt });
    const { output, stopDate } = await ended(executionArn);
    expect(output.caught).toBe('States.Timeout');
    expect(Number(stopDate)).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    // Far below the time of a task without one, also where the first expression starts a Java machine.
    expect(Number(stopDate) - Number(startDate)).toBeLessThan(50_000);
  });

  test('is a path into the input', async () => {
    const machine = await makeMachine(root, {
      StartAt: 'Ask',
      States: {
        Ask: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
          TimeoutSecondsPath: '$.seconds',
          Parameters: {
            FunctionName: teller.arn,
            Payload: { 'token.$': '$$.Task.Token', 'name.$': '$$.Execution.Name' },
          },
          Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'Caught' }],
          End: true,
        },
        Caught: { Type: 'Succeed' },
      },
    });
    const { executionArn } = await start(machine, { seconds: 1 });
    expect((await ended(executionArn)).output.Error).toBe('States.Timeout');
  });

  test('that is no positive whole number fails the task, inside its Catch', async () => {
    const machine = await makeMachine(root, waiting({ TimeoutSeconds: '{% $states.input.nothing %}' }));
    const { executionArn } = await start(machine);
    expect((await ended(executionArn)).output.caught).toBe('States.QueryEvaluationError');
  });

  test('may be kept alive by heartbeats, and ends when one is missed', async () => {
    const machine = await makeMachine(root, waiting({ HeartbeatSeconds: '{% 1 + 0 %}' }));
    const { executionArn } = await start(machine, {}, 'beats');
    const { token } = await heard('beats');
    await root.sfn.send(new SendTaskHeartbeatCommand({ taskToken: token }));
    expect((await ended(executionArn)).output.caught).toBe('States.HeartbeatTimeout');
  });
});

describe('a task token', () => {
  test('is closed by the first answer; a later one changes nothing', async () => {
    const { executionArn } = await start(await makeMachine(root, waiting({})), {}, 'first');
    const { token, entered } = await heard('first');
    expect(Date.parse(entered)).toBeGreaterThan(0);
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((output) =>
        errorName(root.sfn.send(new SendTaskSuccessCommand({ taskToken: token, output: JSON.stringify(output) }))),
      ),
    );
    expect(answers.toSorted()).toEqual(['TaskTimedOut', 'TaskTimedOut', undefined]);
    const { output } = await ended(executionArn);
    expect(output).toBe(['one', 'two', 'three'][answers.indexOf(undefined)]);
    const late = root.sfn.send(new SendTaskFailureCommand({ taskToken: token, error: 'Late' }));
    expect(await errorName(late)).toBe('TaskTimedOut');
  });

  test('is closed by the time-out', async () => {
    const { executionArn } = await start(await makeMachine(root, waiting({ TimeoutSeconds: 1 })), {}, 'timed');
    const { token } = await heard('timed');
    await ended(executionArn);
    await until(
      'the token to be closed',
      async () =>
        (await errorName(root.sfn.send(new SendTaskHeartbeatCommand({ taskToken: token })))) === 'TaskTimedOut',
    );
  });

  test('is closed by stopping the execution', async () => {
    const { executionArn } = await start(await makeMachine(root, waiting({})), {}, 'stopped');
    const { token } = await heard('stopped');
    await root.sfn.send(new StopExecutionCommand({ executionArn }));
    expect(await errorName(root.sfn.send(new SendTaskHeartbeatCommand({ taskToken: token })))).toBe('TaskTimedOut');
    expect((await ended(executionArn)).status).toBe('ABORTED');
  });

  test('is another one for each attempt, and too long for a button of Slack', async () => {
    const retry = { Retry: [{ ErrorEquals: ['Again'], IntervalSeconds: 1, MaxAttempts: 1 }] };
    const { executionArn } = await start(await makeMachine(root, waiting(retry)), {}, 'again');
    const first = await heard('again');
    expect(first.token.length).toBeGreaterThan(255);
    await root.sfn.send(new SendTaskFailureCommand({ taskToken: first.token, error: 'Again' }));
    const second = await until('the second attempt', async () => {
      const call = await heard('again');
      return call.retry === 1 && call;
    });
    expect(second.token).not.toBe(first.token);
    expect(await errorName(root.sfn.send(new SendTaskSuccessCommand({ taskToken: first.token, output: '1' })))).toBe(
      'TaskTimedOut',
    );
    await root.sfn.send(new SendTaskSuccessCommand({ taskToken: second.token, output: '2' }));
    expect((await ended(executionArn)).output).toBe(2);
  });
});

test('an error of the function behind the token fails the task by the name of the error', async () => {
  const { executionArn } = await start(await makeMachine(root, waiting({})), { fail: 'AlreadyDecided' });
  const { output } = await ended(executionArn);
  expect(output.caught).toBe('AlreadyDecided');
  expect(JSON.parse(output.cause)).toMatchObject({ errorType: 'AlreadyDecided', errorMessage: 'no' });
});

describe('starting an execution again under its name', () => {
  test('is the same execution while it runs with the same input', async () => {
    const machine = await makeMachine(root, waiting({}));
    const first = await start(machine, { a: 1 }, 'same');
    const second = await start(machine, { a: 1 }, 'same');
    expect(second).toMatchObject({ executionArn: first.executionArn, startDate: first.startDate });
    expect(await errorName(start(machine, { a: 2 }, 'same'))).toBe('ExecutionAlreadyExists');
    await root.sfn.send(new StopExecutionCommand({ executionArn: first.executionArn }));
    await ended(first.executionArn);
    expect(await errorName(start(machine, { a: 1 }, 'same'))).toBe('ExecutionAlreadyExists');
  });

  test('and the name has at most 80 characters, none of them a colon', async () => {
    const machine = await makeMachine(root, waiting({}));
    expect(await errorName(start(machine, {}, 'a'.repeat(81)))).toBe('InvalidName');
    expect(await errorName(start(machine, {}, 'agent:1'))).toBe('InvalidName');
  });
});

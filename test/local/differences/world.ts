// Builds the world of observations: a function that reports its calls, and waiting machines.
//
// Machines wait for a token.
import { DescribeExecutionCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Endpoint } from '../endpoint/index.ts';
import {
  type Clients,
  clientsOf,
  makeFunction,
  makeMachine,
  makeQueue,
  uniqueName,
} from '../endpoint/testing/fixtures.ts';
import { until } from '../endpoint/testing/until.ts';

interface Asked {
  readonly token: string;
  readonly executionArn: string | undefined;
  /** The end of the task: its output, or the name of the error that was caught; `nothing` if it still waits. */
  ended(patienceMs?: number): Promise<string>;
}

export type World = Awaited<ReturnType<typeof worldOf>>;

const MAX_WAIT_MS = 60_000;

export async function worldOf(endpoint: Endpoint) {
  const root = clientsOf(endpoint);
  const told = await makeQueue(root);
  const teller = await makeFunction(
    root,
    `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
     await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${told.url}', MessageBody: JSON.stringify(event) }));
     if (event.fail) throw Object.assign(new Error('no'), { name: event.fail });`,
  );
  /** Messages of other executions wait here for their readers. */
  const heard = new Map<string, string>();
  const tokenOf = (name: string) =>
    until(
      'the token',
      async () => {
        for (const { Body = '{}' } of await take(root, told.url)) {
          const call = JSON.parse(Body) as { name: string; token: string };
          heard.set(call.name, call.token);
        }
        return heard.get(name);
      },
      MAX_WAIT_MS,
    );

  return {
    endpoint,
    root,
    /** An execution that waits for its token, with more fields of its state; it has been asked when this returns. */
    async ask(fields: object = {}, input: object = {}): Promise<Asked> {
      const machine = await makeMachine(root, waiting(teller.arn, fields));
      const name = uniqueName('run');
      const start = new StartExecutionCommand({ stateMachineArn: machine, input: JSON.stringify(input), name });
      const { executionArn } = await root.sfn.send(start);
      return {
        token: await tokenOf(name),
        executionArn,
        ended: (patienceMs = MAX_WAIT_MS) =>
          until(
            'the end',
            async () => {
              const { status, output } = await root.sfn.send(new DescribeExecutionCommand({ executionArn }));
              if (status === 'RUNNING') return undefined;
              return status === 'SUCCEEDED' ? String(JSON.parse(output ?? 'null')) : String(status);
            },
            patienceMs,
          ).catch(() => 'nothing: it waits on'),
      };
    },
  };
}

const waiting = (FunctionName: string, fields: object) => ({
  QueryLanguage: 'JSONata',
  StartAt: 'Ask',
  States: {
    Ask: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      Arguments: {
        FunctionName,
        Payload: {
          token: '{% $states.context.Task.Token %}',
          name: '{% $states.context.Execution.Name %}',
          fail: '{% $exists($states.input.fail) ? $states.input.fail : null %}',
        },
      },
      Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput.Error %}', Next: 'Caught' }],
      End: true,
      ...fields,
    },
    Caught: { Type: 'Succeed' },
  },
});

/** Receives and deletes what is in the queue now. */
export async function take(root: Clients, QueueUrl: string): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageSystemAttributeNames: ['All'],
  });
  const { Messages = [] } = await root.sqs.send(command);
  for (const { ReceiptHandle } of Messages) await root.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return Messages;
}

/** `accepted`, or the name of the error. */
export const answerOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'accepted',
    (error: Error) => error.name,
  );

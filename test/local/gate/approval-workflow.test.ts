/** Checks on the local endpoint by which answers the approval workflow ends, and by which it decides. */
import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definition } from '../../../cdk/constructs/workflow/workflow-definition.ts';
import { type Endpoint, startEndpoint } from '../endpoint/index.ts';
import { type Clients, clientsOf, makeFunction, makeMachine, makeQueue } from '../endpoint/testing/fixtures.ts';
import { until } from '../endpoint/testing/until.ts';

let endpoint: Endpoint;
let root: Clients;

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
});
afterAll(() => endpoint?.stop());

test.each([
  ['{"decided":true}', 'ends'],
  ['AlreadyDecided', 'has the approval decided'],
  ['{"decided":false}', 'has the approval decided'],
  // As the previous release answers.
  ['{}', 'has the approval decided'],
  ['null', 'has the approval decided'],
])('a wait that is answered with %s %s', async (answer, then) => {
  const queue = await makeQueue(root);
  const teller = await makeFunction(
    root,
    `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
     await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${queue.url}', MessageBody: event.token }));`,
  );
  const { States, ...rest } = definition(teller.arn, teller.arn, 60, 'aws') as { States: Record<string, object> };
  const Resume = { Type: 'Succeed', Output: { resumed: true } };
  const machine = await makeMachine(root, { ...rest, States: { ...States, Resume } });
  const input = { pid: 'a', expiresAt: new Date(Date.now() + 60_000).toISOString() };
  const { executionArn } = await root.sfn.send(
    new StartExecutionCommand({ stateMachineArn: machine, input: JSON.stringify(input) }),
  );
  const taskToken = await until('the function to be called', async () => {
    const { Messages } = await root.sqs.send(new ReceiveMessageCommand({ QueueUrl: queue.url }));
    return Messages?.[0]?.Body;
  });
  if (answer === 'AlreadyDecided') await root.sfn.send(new SendTaskFailureCommand({ taskToken, error: answer }));
  else await root.sfn.send(new SendTaskSuccessCommand({ taskToken, output: answer }));
  const { status, output = '' } = await until('the execution to end', async () => {
    const execution = await root.sfn.send(new DescribeExecutionCommand({ executionArn }));
    return execution.status !== 'RUNNING' && execution;
  });
  const ends = then === 'ends' ? input : { resumed: true };
  expect({ status, output: JSON.parse(output) }).toEqual({ status: 'SUCCEEDED', output: ends });
});

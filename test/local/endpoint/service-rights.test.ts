// Checks that the local endpoint's services have the rights of the role they act for, and no others.

import { setTimeout as delay } from 'node:timers/promises';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { PutItemCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateEventSourceMappingCommand, InvokeCommand } from '@aws-sdk/client-lambda';
import { DescribeExecutionCommand, StartExecutionCommand, UpdateStateMachineCommand } from '@aws-sdk/client-sfn';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientConfig, type Endpoint, startEndpoint } from './index.ts';
import {
  assume,
  type Clients,
  clientsOf,
  makeFunction,
  makeMachine,
  makeQueue,
  makeRole,
  makeTable,
} from './testing/fixtures.ts';
import { until } from './testing/until.ts';

let endpoint: Endpoint;
let root: Clients;

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
});
afterAll(() => endpoint?.stop());

/** Longer than the endpoint takes to look at a source again. */
const A_WHILE_MS = 2_500;

/** A function with the role of these actions that says what it was called with in a queue. */
async function told(actions: readonly string[]) {
  const out = await makeQueue(root);
  const role = await makeRole(root, [{ Action: ['sqs:SendMessage', ...actions] }]);
  const { name } = await makeFunction(
    root,
    `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
     await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${out.url}', MessageBody: 'called' }));`,
    { role: role.arn },
  );
  const isCalled = async () => {
    const { Messages = [] } = await root.sqs.send(new ReceiveMessageCommand({ QueueUrl: out.url }));
    return Messages.length > 0;
  };
  const may = (more: readonly string[]) =>
    root.iam.send(
      new PutRolePolicyCommand({
        RoleName: role.arn.split('/').at(-1),
        PolicyName: 'more',
        PolicyDocument: JSON.stringify({ Statement: [{ Effect: 'Allow', Action: more, Resource: '*' }] }),
      }),
    );
  return { name, isCalled, may };
}

const OF_QUEUES = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const OF_STREAMS = ['dynamodb:DescribeStream', 'dynamodb:GetShardIterator', 'dynamodb:GetRecords'];

test('a request is allowed by what the policy of its role says then, also where it said so before', async () => {
  const { arn } = await makeRole(root, [{ Action: 'sts:GetCallerIdentity' }]);
  const may = (Resource: string) =>
    root.iam.send(
      new PutRolePolicyCommand({
        RoleName: arn.split('/').at(-1),
        PolicyName: 'own',
        PolicyDocument: JSON.stringify({ Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource }] }),
      }),
    );
  const queue = await makeQueue(root);
  const { sqs } = clientsOf(endpoint, await assume(root, arn, 'sender'));
  const isSent = () =>
    sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'work' })).then(
      () => true,
      ({ name }) => name !== 'AccessDenied' && name,
    );
  const sent = [];
  for (const resource of [queue.arn, `${queue.arn}-other`, queue.arn]) {
    await may(resource);
    sent.push(await isSent());
  }
  expect(sent).toEqual([true, false, true]);
});

test.each(OF_QUEUES)('a queue is read for a function once its role has %s', async (lacking) => {
  const { name, isCalled, may } = await told(OF_QUEUES.filter((action) => action !== lacking));
  const source = await makeQueue(root);
  await root.lambda.send(new CreateEventSourceMappingCommand({ FunctionName: name, EventSourceArn: source.arn }));
  await root.sqs.send(new SendMessageCommand({ QueueUrl: source.url, MessageBody: 'work' }));
  await delay(A_WHILE_MS);
  expect(await isCalled()).toBe(false);
  await may([lacking]);
  await until('the call', isCalled);
});

test('a stream is read for a function once its role has every right on it', async () => {
  const { name, isCalled, may } = await told(OF_STREAMS.slice(1));
  const table = await makeTable(root);
  const { TableDescription } = await root.dynamodb.send(
    new UpdateTableCommand({
      TableName: table.name,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
  const EventSourceArn = String(TableDescription?.LatestStreamArn);
  const StartingPosition = 'TRIM_HORIZON';
  await root.lambda.send(new CreateEventSourceMappingCommand({ FunctionName: name, EventSourceArn, StartingPosition }));
  await root.dynamodb.send(new PutItemCommand({ TableName: table.name, Item: { pk: { S: 'a' }, sk: { S: 'b' } } }));
  await delay(A_WHILE_MS);
  expect(await isCalled()).toBe(false);
  await may(OF_STREAMS.slice(0, 1));
  await until('the call', isCalled);
});

test('a machine calls a function with the right of its role', async () => {
  const { name } = await makeFunction(root, 'return 1;');
  const Resource = 'arn:aws:states:::lambda:invoke';
  const Ask = { Type: 'Task', Resource, Parameters: { FunctionName: name, Payload: {} }, End: true };
  const stateMachineArn = await makeMachine(root, { StartAt: 'Ask', States: { Ask } });
  const ended = async () => {
    const { executionArn } = await root.sfn.send(new StartExecutionCommand({ stateMachineArn, input: '{}' }));
    return until('its end', async () => {
      const found = await root.sfn.send(new DescribeExecutionCommand({ executionArn }));
      return found.status !== 'RUNNING' && found;
    });
  };
  expect(await ended()).toMatchObject({ status: 'SUCCEEDED' });
  const roleArn = (await makeRole(root, [{ Action: 'lambda:GetFunction' }])).arn;
  await root.sfn.send(new UpdateStateMachineCommand({ stateMachineArn, roleArn }));
  expect(await ended()).toMatchObject({ status: 'FAILED', error: 'Lambda.AWSLambdaException' });
});

test.each(['logs:CreateLogStream', 'logs:PutLogEvents'])(
  'a function runs without %s, and leaves no log',
  async (lacking) => {
    const both = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    const { name, isCalled, may } = await told(both.filter((action) => action !== lacking));
    const logGroupName = `/aws/lambda/${name}`;
    const logs = new CloudWatchLogsClient(clientConfig(endpoint));
    const logged = async () => {
      const found = await logs.send(new FilterLogEventsCommand({ logGroupName })).catch(() => undefined);
      return found?.events?.length ?? 0;
    };
    const call = () => root.lambda.send(new InvokeCommand({ FunctionName: name }));
    await call();
    expect(await isCalled()).toBe(true);
    expect(await logged()).toBe(0);
    await may([lacking]);
    await call();
    expect(await logged()).toBeGreaterThan(0);
  },
);

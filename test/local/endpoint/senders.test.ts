// Checks that the local endpoint's SQS says who sent a message, which authenticates an agent (A2).
import { CreateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Endpoint, startEndpoint } from './index.ts';
import { assume, type Clients, clientsOf, makeFunction, makeQueue, makeRole, makeUser } from './testing/fixtures.ts';
import { until } from './testing/until.ts';

let endpoint: Endpoint;
let root: Clients;
let queue: { url: string; arn: string };

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
  queue = await makeQueue(root);
});
afterAll(() => endpoint?.stop());

const maySend = () => [{ Action: 'sqs:SendMessage', Resource: queue.arn }];

/** By body, the sender of every message in the queue. */
async function senders(url: string, count: number): Promise<Record<string, string | undefined>> {
  const seen: Record<string, string | undefined> = {};
  return until(`${count} messages`, async () => {
    const { Messages } = await root.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['SenderId'] }),
    );
    for (const message of Messages ?? []) {
      seen[String(message.Body)] = message.Attributes?.SenderId;
      await root.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
    }
    return Object.keys(seen).length >= count && seen;
  });
}

describe('SenderId', () => {
  test('is the unique id of a user, in single and batched messages', async () => {
    const user = await makeUser(root, maySend());
    const { sqs } = clientsOf(endpoint, user.credentials);
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'single' }));
    const Entries = [{ Id: 'a', MessageBody: 'batched' }];
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    expect(user.id).toMatch(/^AIDA[A-Z0-9]{17}$/);
    expect(await senders(queue.url, 2)).toEqual({ single: user.id, batched: user.id });
  });

  test('is the id of a role and the name of its session', async () => {
    const role = await makeRole(root, maySend());
    const { sqs } = clientsOf(endpoint, await assume(root, role.arn, 'mine'));
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'role' }));
    expect(role.id).toMatch(/^AROA[A-Z0-9]{17}$/);
    expect(await senders(queue.url, 1)).toEqual({ role: `${role.id}:mine` });
  });

  test("is a function's role and name if a function sent it", async () => {
    const reads = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
    const role = await makeRole(root, [...maySend(), { Action: reads }]);
    const relay = await makeFunction(
      root,
      `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
       for (const { attributes } of event.Records)
         await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${queue.url}', MessageBody: attributes.SenderId }));`,
      { role: role.arn },
    );
    const source = await makeQueue(root);
    await root.lambda.send(
      new CreateEventSourceMappingCommand({ FunctionName: relay.name, EventSourceArn: source.arn, BatchSize: 10 }),
    );
    const user = await makeUser(root, [{ Action: 'sqs:SendMessage', Resource: source.arn }]);
    await clientsOf(endpoint, user.credentials).sqs.send(
      new SendMessageCommand({ QueueUrl: source.url, MessageBody: 'through the event source' }),
    );
    // The body is the sender that the event source told the function.
    expect(await senders(queue.url, 1)).toEqual({ [user.id]: `${role.id}:${relay.name}` });
  });

  test('is the account for its root', async () => {
    await root.sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'root' }));
    expect(await senders(queue.url, 1)).toEqual({ root: '000000000000' });
  });
});

test('who has no right to send is refused', async () => {
  const user = await makeUser(root, [{ Action: 'sqs:ReceiveMessage', Resource: queue.arn }]);
  const { sqs } = clientsOf(endpoint, user.credentials);
  const sent = sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'no' }));
  await expect(sent).rejects.toMatchObject({ name: expect.stringMatching(/AccessDenied/) });
});

test('a session is its role where a policy asks who the principal is', async () => {
  const session = async (Condition: object) => {
    const deny = { Effect: 'Deny', Action: 'sqs:SendMessage', Resource: queue.arn, Condition };
    const role = await makeRole(root, [...maySend(), deny]);
    return { role, ...clientsOf(endpoint, await assume(root, role.arn, 'someone')) };
  };
  const like = (arn: string) => ({ ArnNotLike: { 'aws:PrincipalArn': arn } });
  const message = { QueueUrl: queue.url, MessageBody: 'as its role' };
  const own = await session(like('arn:aws:iam::*:role/*'));
  await own.sqs.send(new SendMessageCommand(message));
  await senders(queue.url, 1);
  const other = await session(like(own.role.arn));
  await expect(other.sqs.send(new SendMessageCommand(message))).rejects.toMatchObject({
    name: expect.stringMatching(/AccessDenied/),
  });
});

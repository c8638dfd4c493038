// Checks the local endpoint's queues and event source mappings.
//
// Covers FIFO, partial batches, visibility, redrive and concurrency.
import { CreateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Endpoint, startEndpoint } from './index.ts';
import { type Clients, clientsOf, makeFunction, makeQueue, makeUser } from './testing/fixtures.ts';
import { until } from './testing/until.ts';

let endpoint: Endpoint;
let root: Clients;

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
});
afterAll(() => endpoint?.stop());

const send = (QueueUrl: string, MessageBody: string, rest: object = {}) =>
  root.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...rest }));

const receive = async (QueueUrl: string, rest: object = {}): Promise<Message[]> => {
  const input = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const], ...rest };
  return (await root.sqs.send(new ReceiveMessageCommand(input))).Messages ?? [];
};

const bodies = (messages: Message[]) => messages.map((message) => message.Body);

describe('a FIFO queue', () => {
  const fifo = () => makeQueue(root, { FifoQueue: 'true', VisibilityTimeout: '30' });
  const of = (group: string, id: string) => ({ MessageGroupId: group, MessageDeduplicationId: id });

  test('drops what has the same deduplication id, even after the first was deleted', async () => {
    const { url } = await fifo();
    const first = await send(url, 'card 1', of('channel', 'card#1'));
    expect((await send(url, 'card 1', of('channel', 'card#1'))).MessageId).toBe(first.MessageId);
    const [message] = await receive(url);
    await root.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));
    await send(url, 'card 1', of('channel', 'card#1'));
    expect(await receive(url)).toEqual([]);
  });

  test('holds a group back while one of its messages is in flight, and no other group', async () => {
    const { url } = await fifo();
    await send(url, 'a1', of('a', '1'));
    await send(url, 'a2', of('a', '2'));
    await send(url, 'b1', of('b', '3'));
    const [first] = await receive(url, { MaxNumberOfMessages: 1 });
    expect(first?.Body).toBe('a1');
    expect(bodies(await receive(url))).toEqual(['b1']);
    await root.sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 }),
    );
    expect(bodies(await receive(url))).toEqual(['a1', 'a2']);
  });
});

test('what failed in one group of a FIFO queue comes again while another group is in flight', async () => {
  const { url } = await makeQueue(root, { FifoQueue: 'true', VisibilityTimeout: '30' });
  for (const group of ['a', 'b']) await send(url, group, { MessageGroupId: group, MessageDeduplicationId: group });
  const [, second] = await receive(url);
  await root.sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: second?.ReceiptHandle, VisibilityTimeout: 1 }),
  );
  await until('the second group', async () => (await receive(url)).some(({ Body }) => Body === second?.Body));
});

test('a standard queue keeps the message group, for fair queues', async () => {
  const { url } = await makeQueue(root);
  await send(url, 'x', { MessageGroupId: 'agent' });
  expect((await receive(url))[0]?.Attributes?.MessageGroupId).toBe('agent');
});

test('a standard queue serves groups by turns, those with the fewest in flight first', async () => {
  const { url } = await makeQueue(root, { VisibilityTimeout: '30' });
  for (const text of ['flood 1', 'flood 2', 'flood 3', 'flood 4']) await send(url, text, { MessageGroupId: 'flooder' });
  expect(bodies(await receive(url, { MaxNumberOfMessages: 2 }))).toEqual(['flood 1', 'flood 2']);
  await send(url, 'calm', { MessageGroupId: 'calm' });
  await send(url, 'of no group');
  expect(bodies(await receive(url, { MaxNumberOfMessages: 3 }))).toEqual(['calm', 'of no group', 'flood 3']);
  expect(bodies(await receive(url))).toEqual(['flood 4']);
});

test('a message received too often goes to the dead-letter queue, with its sender', async () => {
  const dead = await makeQueue(root);
  const { url } = await makeQueue(root, {
    VisibilityTimeout: '0',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 }),
  });
  await send(url, 'poison');
  const [moved] = await until('the message in the dead-letter queue', async () => {
    await receive(url);
    const found = await receive(dead.url);
    return found.length > 0 && found;
  });
  expect(moved).toMatchObject({ Body: 'poison', Attributes: { SenderId: '000000000000' } });
});

test('the rights for one message are the rights for a batch', async () => {
  const { url, arn } = await makeQueue(root);
  const user = await makeUser(root, [{ Action: 'sqs:SendMessage', Resource: arn }]);
  const { sqs } = clientsOf(endpoint, user.credentials);
  const Entries = [{ Id: 'a', MessageBody: 'x' }];
  expect((await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }))).Successful).toHaveLength(1);
});

describe('an event source mapping', () => {
  /** A queue, a function whose body is given, and a queue `out` that it may answer to with `say(text)`. */
  async function mapped(body: string, mapping: object = {}, visibility = '1') {
    const [dead, out] = [await makeQueue(root), await makeQueue(root)];
    const source = await makeQueue(root, {
      VisibilityTimeout: visibility,
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 }),
    });
    const { name } = await makeFunction(
      root,
      `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
       const say = (text) => new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${out.url}', MessageBody: text }));
       const bodies = event.Records.map((record) => record.body);
       ${body}`,
    );
    await root.lambda.send(
      new CreateEventSourceMappingCommand({
        FunctionName: name,
        EventSourceArn: source.arn,
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ...mapping,
      }),
    );
    return { source, dead, out };
  }

  const sendAll = (QueueUrl: string, texts: string[]) =>
    root.sqs.send(
      new SendMessageBatchCommand({ QueueUrl, Entries: texts.map((text, i) => ({ Id: `m${i}`, MessageBody: text })) }),
    );

  const collect = (url: string, count: number) => {
    const seen: Message[] = [];
    return until(`${count} messages`, async () => {
      for (const message of await receive(url)) {
        seen.push(message);
        await root.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
      }
      return seen.length >= count && seen;
    });
  };

  const left = async (QueueUrl: string) => {
    const AttributeNames = ['ApproximateNumberOfMessages' as const, 'ApproximateNumberOfMessagesNotVisible' as const];
    const { Attributes } = await root.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    return Object.values(Attributes ?? {}).reduce((sum, value) => sum + Number(value), 0);
  };

  test('retries only what the function names, and sends it to the dead-letter queue in the end', async () => {
    const { source, dead } = await mapped(
      `return { batchItemFailures: event.Records.filter((r) => r.body === 'poison').map((r) => ({ itemIdentifier: r.messageId })) };`,
    );
    await sendAll(source.url, ['good', 'poison', 'fine']);
    expect(bodies(await collect(dead.url, 1))).toEqual(['poison']);
    expect(await left(source.url)).toBe(0);
  });

  test.each([
    ['an empty id', `[{ itemIdentifier: '' }]`],
    ['no id', '[{}]'],
    ['a foreign id', `[{ itemIdentifier: 'foreign' }]`],
  ])('retries the whole batch for %s', async (_name, failures) => {
    const { source, dead } = await mapped(`return { batchItemFailures: ${failures} };`);
    await sendAll(source.url, ['one', 'two']);
    expect(bodies(await collect(dead.url, 2)).toSorted()).toEqual(['one', 'two']);
  });

  test('leaves a message whose visibility the function moved until then', async () => {
    const { source, out } = await mapped(
      `const { ChangeMessageVisibilityCommand } = require('@aws-sdk/client-sqs');
       const [record] = event.Records;
       await say(record.attributes.ApproximateReceiveCount + ' ' + Date.now());
       if (record.attributes.ApproximateReceiveCount !== '1') return;
       await new SQSClient({}).send(new ChangeMessageVisibilityCommand({
         QueueUrl: process.env.AWS_ENDPOINT_URL + '/000000000000/' + record.eventSourceARN.split(':').at(-1),
         ReceiptHandle: record.receiptHandle, VisibilityTimeout: 3 }));
       return { batchItemFailures: [{ itemIdentifier: record.messageId }] };`,
    );
    await send(source.url, 'later');
    const times = bodies(await collect(out.url, 2)).map((text) => Number(String(text).split(' ')[1]));
    const [first = 0, second = 0] = times.toSorted();
    expect(second - first).toBeGreaterThan(2_800);
  });

  test('runs no more batches at once than its maximum concurrency', async () => {
    const { source, out } = await mapped(
      `const at = Date.now(); await new Promise((done) => setTimeout(done, 300)); await say(at + ' ' + Date.now());`,
      { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } },
    );
    await sendAll(source.url, ['1', '2', '3', '4', '5', '6']);
    const spans = bodies(await collect(out.url, 6)).map((text) => String(text).split(' ').map(Number));
    const atOnce = spans.map(([at = 0]) => spans.filter(([from = 0, to = 0]) => from <= at && at < to).length);
    expect(Math.max(...atOnce)).toBe(2);
  });

  test('loses nothing while messages come in and others are deleted', async () => {
    const { source, out } = await mapped('await Promise.all(bodies.map(say));', {}, '30');
    const texts = Array.from({ length: 200 }, (_, i) => `message ${i}`);
    for (let i = 0; i < texts.length; i += 10) await sendAll(source.url, texts.slice(i, i + 10));
    const seen = new Set(bodies(await collect(out.url, texts.length)));
    expect(seen.size).toBe(texts.length);
  });

  test('hands over the bytes of a body as they were sent', async () => {
    const { source, out } = await mapped('await Promise.all(bodies.map(say));');
    const body = '{ "a": 1,  "a": 2, "ü": "\\u00fc" }';
    await send(source.url, body);
    expect(bodies(await collect(out.url, 1))).toEqual([body]);
  });

  test('gives a function that failed its own process again', async () => {
    const { source, out } = await mapped(
      `globalThis.calls = (globalThis.calls ?? 0) + 1; await say(process.pid + ' ' + globalThis.calls);
       if (globalThis.calls === 1) throw new Error('once');`,
    );
    await send(source.url, 'again');
    const [first = '', second = ''] = bodies(await collect(out.url, 2))
      .map(String)
      .toSorted();
    expect([first.split(' ')[1], second.split(' ')[1]]).toEqual(['1', '2']);
  });
});

/** Observes SQS: senders, receipts, redelivery and event sources. */
import { CreateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { assume, clientsOf, makeFunction, makeQueue, makeRole, makeUser } from '../endpoint/testing/fixtures.ts';
import { until } from '../endpoint/testing/until.ts';
import type { Observation } from './observation.ts';
import { answerOf, take, type World } from './world.ts';

const GUIDE = 'AWSSimpleQueueService/latest/SQSDeveloperGuide';
const API = 'AWSSimpleQueueService/latest/APIReference';
const LAMBDA = 'lambda/latest/dg';
const MAX_WAIT_MS = 60_000;

type Sqs = World['root']['sqs'];

const send = (sqs: Sqs, QueueUrl: string, MessageBody: string, more: object = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));

/** The sender of one message, with what differs from run to run replaced by what it is. */
async function senderOf({ root }: World, sqs: Sqs, id: string): Promise<string> {
  const { url } = await makeQueue(root);
  await send(sqs, url, 'x');
  const [message] = await until('the message', async () => {
    const messages = await take(root, url);
    return messages.length > 0 && messages;
  });
  const sender = message?.Attributes?.SenderId ?? 'nothing';
  const kind = /^(AIDA|AROA)/.test(id) ? `${id.slice(0, 4)}…` : 'an id of no kind';
  return sender === '000000000000' ? 'the account' : sender.replace(id, kind);
}

const maySend = [{ Action: 'sqs:*' }];

async function redrive({ root }: World): Promise<string> {
  const dead = await makeQueue(root);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 });
  const { url } = await makeQueue(root, { VisibilityTimeout: '0', RedrivePolicy });
  await send(root.sqs, url, 'poison');
  let receipts = 0;
  const [letter] = await until(
    'the dead letter',
    async () => {
      const { Messages = [] } = await root.sqs.send(new ReceiveMessageCommand({ QueueUrl: url }));
      receipts += Messages.length;
      const letters = await take(root, dead.url);
      return letters.length > 0 && letters;
    },
    MAX_WAIT_MS,
  );
  return `received ${receipts} times; counted ${letter?.Attributes?.ApproximateReceiveCount} in the dead-letter queue`;
}

/** Seconds from the first delivery to the second of a message that was invisible for one. */
async function redelivery({ root }: World): Promise<string> {
  const { url } = await makeQueue(root, { VisibilityTimeout: '1' });
  await send(root.sqs, url, 'again');
  const received = () =>
    until('the message', async () => {
      const { Messages = [] } = await root.sqs.send(new ReceiveMessageCommand({ QueueUrl: url }));
      return Messages.length > 0;
    });
  await received();
  const first = performance.now();
  await received();
  return `${((performance.now() - first) / 1000).toFixed(1)} s`;
}

/** A queue whose messages go to a function with this body; it may answer with `say`. */
async function mapped({ root }: World, body: string, visibility = '30') {
  const [source, out] = [await makeQueue(root, { VisibilityTimeout: visibility }), await makeQueue(root)];
  const { name } = await makeFunction(
    root,
    `const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
     const say = (text) => new SQSClient({}).send(new SendMessageCommand({ QueueUrl: '${out.url}', MessageBody: text }));
     for (const record of event.Records) { ${body} }`,
  );
  await root.lambda.send(
    new CreateEventSourceMappingCommand({ FunctionName: name, EventSourceArn: source.arn, BatchSize: 1 }),
  );
  const reported = async (count: number) => {
    const texts: string[] = [];
    return until(
      'what the function says',
      async () => {
        for (const { Body = '' } of await take(root, out.url)) texts.push(Body);
        return texts.length >= count && texts;
      },
      MAX_WAIT_MS,
    );
  };
  return { source, reported };
}

export const QUEUE_OBSERVATIONS: readonly Observation[] = [
  {
    operation: "SenderId of a user's message",
    aws: 'AIDA…',
    document: `${API}/API_ReceiveMessage.html`,
    look: async (world) => {
      const { id, credentials } = await makeUser(world.root, maySend);
      return senderOf(world, clientsOf(world.endpoint, credentials).sqs, id);
    },
  },
  {
    operation: "SenderId of a role's message, in the session mine",
    aws: 'AROA…:mine',
    document: `${API}/API_ReceiveMessage.html`,
    look: async (world) => {
      const { id, arn } = await makeRole(world.root, maySend);
      const credentials = await assume(world.root, arn, 'mine');
      return senderOf(world, clientsOf(world.endpoint, credentials).sqs, id);
    },
  },
  {
    operation: 'SendMessage without the right to',
    aws: 'AccessDenied',
    document: `${GUIDE}/sqs-authentication-and-access-control.html`,
    look: async ({ root, endpoint }) => {
      const { url } = await makeQueue(root);
      const { credentials } = await makeUser(root, [{ Action: 'sqs:ReceiveMessage' }]);
      return answerOf(send(clientsOf(endpoint, credentials).sqs, url, 'x'));
    },
  },
  {
    operation: 'redrive with maxReceiveCount 2',
    aws: 'received 2 times; its count is kept',
    document: `${GUIDE}/sqs-dead-letter-queues.html`,
    look: redrive,
  },
  {
    operation: 'redelivery of a message with VisibilityTimeout 1',
    aws: 'after a second or a little more',
    document: `${GUIDE}/sqs-visibility-timeout.html`,
    measured: true,
    look: redelivery,
  },
  {
    operation: 'a message that a function failed, with VisibilityTimeout 1',
    aws: 'after a second or a little more, when its pollers look again',
    document: `${LAMBDA}/services-sqs-errorhandling.html`,
    measured: true,
    look: async (world) => {
      const body = `await say(String(Date.now())); if (record.attributes.ApproximateReceiveCount === '1') throw new Error('once');`;
      const { source, reported } = await mapped(world, body, '1');
      await send(world.root.sqs, source.url, 'again');
      const [first = 0, second = 0] = (await reported(2)).map(Number).toSorted();
      return `${((second - first) / 1000).toFixed(1)} s`;
    },
  },
  {
    operation: 'the body of an event: {"a":1, "a":2}',
    aws: 'as it was sent',
    document: `${LAMBDA}/with-sqs.html`,
    look: async (world) => {
      const { source, reported } = await mapped(world, 'await say(record.body);');
      const body = '{"a":1, "a":2}';
      await send(world.root.sqs, source.url, body);
      const [got] = await reported(1);
      return got === body ? 'as it was sent' : String(got);
    },
  },
  {
    operation: 'a deduplication id again, after its message was deleted',
    aws: 'accepted and not delivered, for five minutes',
    document: `${GUIDE}/FIFO-queues-exactly-once-processing.html`,
    look: async ({ root }) => {
      const { url } = await makeQueue(root, { FifoQueue: 'true' });
      const ids = { MessageGroupId: 'group', MessageDeduplicationId: 'same' };
      await send(root.sqs, url, 'x', ids);
      await take(root, url);
      const sent = await answerOf(send(root.sqs, url, 'x', ids));
      return `${sent} and ${(await take(root, url)).length ? 'delivered' : 'not delivered'}`;
    },
  },
];

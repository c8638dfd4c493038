/** Dead letters come back as they were, in their line, each deleted only once its copy was taken. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redrive } from '../../../shared/adapters/sqs/dead-letters.ts';
import { carriedBody, unwrap } from '../../../shared/ports/carried-message.ts';

interface Letter {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, object>>;
}

const letter = (id: string, attributes?: Readonly<Record<string, string>>, body = `{"id":"${id}"}`): Letter => ({
  MessageId: id,
  ReceiptHandle: `handle-${id}`,
  Body: body,
  ...(attributes ? { Attributes: attributes } : {}),
});
const SENT = { SenderId: 'AROAAGENT:one', SentTimestamp: '1763719200000', MessageGroupId: 'builder' };

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

/** A dead-letter queue, and what was sent. `takes`: whether the target takes an entry; a batch has at most `most` bytes. */
function queues(letters: readonly Letter[], takes: (entry: Entry) => boolean = () => true, most = 262_144) {
  const dead = new Map(letters.map((one) => [one.ReceiptHandle, one]));
  const sent: Entry[] = [];
  const order: string[] = [];
  let hidden = new Set<string>();
  const client = {
    send: async (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
      const { input } = command;
      const { name } = command.constructor;
      order.push(name);
      switch (name) {
        case 'ReceiveMessageCommand': {
          const Messages = [...dead.values()]
            .filter(({ ReceiptHandle }) => !hidden.has(ReceiptHandle))
            .slice(0, Number(input['MaxNumberOfMessages']));
          for (const { ReceiptHandle } of Messages) hidden.add(ReceiptHandle);
          return { Messages };
        }
        case 'SendMessageBatchCommand': {
          const entries = input['Entries'] as Entry[];
          if (entries.reduce((bytes, { MessageBody }) => bytes + MessageBody.length, 0) > most)
            throw Object.assign(new Error('too long'), { name: 'BatchRequestTooLong' });
          const taken = entries.filter(takes);
          sent.push(...taken);
          return { Successful: taken.map(({ Id }) => ({ Id })) };
        }
        case 'DeleteMessageBatchCommand':
          for (const { ReceiptHandle } of input['Entries'] as { ReceiptHandle: string }[]) dead.delete(ReceiptHandle);
          return {};
        default:
          throw new Error(name);
      }
    },
  } as unknown as SQSClient;
  return {
    client,
    sent,
    order,
    left: () => [...dead.values()].map(({ MessageId }) => MessageId),
    /** The visibility time of the messages is over. */
    show: () => {
      hidden = new Set();
    },
  };
}

const given = { deadUrl: 'https://sqs/dead', targetUrl: 'https://sqs/live', limit: 1_000, isOver: () => false };

test('a message comes back as it is, with its attributes, in its line', async () => {
  const sentAt = { DataType: 'Number', StringValue: '1763719200000' };
  const { client, sent } = queues([{ ...letter('m1', SENT, 'raw'), MessageAttributes: { sentAt } }]);
  await redrive(client, { ...given, targetUrl: 'https://sqs/live.fifo' });
  expect(sent).toEqual([
    {
      Id: '0',
      MessageBody: 'raw',
      MessageAttributes: { sentAt },
      MessageGroupId: 'builder',
      MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
});

test('whoever is no carrier speaks for nobody else, whatever the message says', () => {
  const message = { messageId: 'm', principal: 'AROAVICTIM:x', firstSentAt: 1, raw: '{}' };
  const delivered = { messageId: 'm2', principal: 'AROAAGENT:one', firstSentAt: 5, raw: carriedBody(message) };
  expect(unwrap(delivered, 'AROACARRIER')).toEqual(delivered);
  expect(unwrap(delivered, undefined)).toEqual(delivered);
  expect(unwrap({ ...delivered, principal: 'AROACARRIER:x' }, 'AROACARRIER')).toEqual(message);
  expect(() => unwrap({ ...delivered, principal: 'AROACARRIER:x', raw: '{}' }, 'AROACARRIER')).toThrow();
});

test('one that is too long for the queue stays and is named; those beside it are moved', async () => {
  const small = Array.from({ length: 12 }, (_, index) => letter(`s${index}`, SENT));
  const big = letter('big', SENT, 'x'.repeat(300_000));
  const { client, left } = queues([...small.slice(0, 4), big, ...small.slice(4)], () => true, 262_144);
  expect(await redrive(client, given)).toEqual({ moved: 12, left: ['big'] });
  expect(left()).toEqual(['big']);
});

test('one that the queue does not take stays; the others are moved', async () => {
  const { client, left } = queues(
    [letter('m1', SENT), letter('m2', SENT)],
    ({ MessageBody }) => !MessageBody.includes('m1'),
  );
  expect(await redrive(client, given)).toEqual({ moved: 1, left: ['m1'] });
  expect(left()).toEqual(['m1']);
});

test('a request for twenty takes two batches; no batch is begun when the time is over', async () => {
  const letters = Array.from({ length: 30 }, (_, index) => letter(`m${index}`, SENT));
  const { client, order, left } = queues(letters);
  expect(await redrive(client, { ...given, limit: 20 })).toMatchObject({ moved: 20 });
  expect(order.filter((one) => one === 'SendMessageBatchCommand')).toHaveLength(2);
  expect(await redrive(client, { ...given, isOver: () => true })).toMatchObject({ moved: 0 });
  expect(left()).toHaveLength(10);
});

test('interrupted anywhere and run again, each message is sent at least once, and none is deleted unsent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 12 }), async (count, stopsAt) => {
      const ids = Array.from({ length: count }, (_, index) => `<${index}>`);
      const world = queues(ids.map((id) => letter(id, SENT, `raw ${id}`)));
      let calls = 0;
      const stopping = {
        send: async (command: never) => {
          if (++calls === stopsAt) throw new Error('the process is gone');
          return world.client.send(command);
        },
      } as unknown as SQSClient;
      await redrive(stopping, given).catch(() => undefined);
      const sentFor = (id: string) => world.sent.some(({ MessageBody }) => MessageBody.includes(`raw ${id}`));
      for (const id of ids) expect(sentFor(id) || world.left().includes(id)).toBe(true);
      world.show();
      await redrive(world.client, given);
      expect(world.left()).toEqual([]);
      for (const id of ids) expect(sentFor(id)).toBe(true);
    }),
  );
});

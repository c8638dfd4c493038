/** Dead letters come back whole: with their sender, their time and their line, each deleted only once its copy was taken. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redrive } from '../../../shared/adapters/sqs/dead-letters.ts';
import { GATE_QUEUES } from '../../../shared/contract/redrive.ts';
import { unwrap } from '../../../shared/ports/carried.ts';

interface Letter {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
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

/** A dead-letter queue, and what was sent. `takes`: whether the target takes an entry. */
function queues(letters: readonly Letter[], takes: (entry: Entry) => boolean = () => true) {
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
          const taken = (input['Entries'] as Entry[]).filter(takes);
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
    /** Their visibility time is over. */
    show: () => {
      hidden = new Set();
    },
  };
}

const given = { deadUrl: 'https://sqs/dead', targetUrl: 'https://sqs/live', limit: 1_000, isOver: () => false };

test('a proposal comes back in the wrapper of the deferred queue', async () => {
  const { client, sent, left } = queues([letter('m1', SENT, 'raw')]);
  expect(await redrive(client, { ...given, queue: 'proposals' })).toEqual({ moved: 1, left: [] });
  expect(JSON.parse(sent[0]?.MessageBody ?? '')).toEqual({
    principal: SENT.SenderId,
    groupId: 'builder',
    firstSentAt: 1763719200000,
    messageId: 'm1',
    rounds: 0,
    raw: 'raw',
  });
  expect(sent[0]?.MessageGroupId).toBe('builder');
  expect(left()).toEqual([]);
});

test.each(['operators', 'executions', 'outcomes'] as const)(
  'a message of %s is carried for its sender',
  async (queue) => {
    const { client, sent } = queues([letter('m1', SENT, 'raw')]);
    await redrive(client, { ...given, queue });
    const delivered = {
      messageId: 'm2',
      principal: 'AROAREDRIVE:one',
      firstSentAt: 5,
      raw: sent[0]?.MessageBody ?? '',
    };
    expect(unwrap(delivered, ['AROAREDRIVE'])).toEqual({
      messageId: 'm1',
      principal: SENT.SenderId,
      firstSentAt: 1763719200000,
      raw: 'raw',
    });
    // Set aside again, and brought back again.
    const again = queues([letter('m2', { ...SENT, SenderId: delivered.principal }, delivered.raw)]);
    await redrive(again.client, { ...given, queue });
    expect(unwrap({ ...delivered, raw: again.sent[0]?.MessageBody ?? '' }, ['AROAREDRIVE'])).toMatchObject({
      messageId: 'm1',
      principal: SENT.SenderId,
    });
  },
);

test('whoever is no carrier speaks for nobody else, whatever the message says', () => {
  const raw = JSON.stringify({
    carried: { messageId: 'm', principal: 'AROAVICTIM:x', firstSentAt: 1, raw: '{}' },
  });
  const delivered = { messageId: 'm2', principal: 'AROAAGENT:one', firstSentAt: 5, raw };
  expect(unwrap(delivered, ['AROAREDRIVE'])).toEqual(delivered);
  expect(() => unwrap({ ...delivered, principal: 'AROAREDRIVE:x', raw: '{}' }, ['AROAREDRIVE'])).toThrow();
});

test.each(['deferred', 'cards', 'talk'] as const)('a message of %s comes back as it is, in its line', async (queue) => {
  const { client, sent } = queues([letter('m1', SENT, 'raw')]);
  await redrive(client, { ...given, targetUrl: 'https://sqs/live.fifo', queue });
  expect(sent).toMatchObject([
    { MessageBody: 'raw', MessageGroupId: 'builder', MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
});

test('a message whose sender is not known stays where it is', async () => {
  const { client, sent, left } = queues([letter('m1'), letter('m2', SENT)]);
  expect(await redrive(client, { ...given, queue: 'outcomes' })).toEqual({ moved: 1, left: ['m1'] });
  expect(sent).toHaveLength(1);
  expect(left()).toEqual(['m1']);
});

test('one that the queue does not take stays; the others are moved', async () => {
  const { client, left } = queues(
    [letter('m1', SENT), letter('m2', SENT)],
    ({ MessageBody }) => !MessageBody.includes('m1'),
  );
  expect(await redrive(client, { ...given, queue: 'outcomes' })).toMatchObject({ moved: 1 });
  expect(left()).toEqual(['m1']);
});

test('a request for twenty takes two batches; no batch is begun when the time is over', async () => {
  const letters = Array.from({ length: 30 }, (_, index) => letter(`m${index}`, SENT));
  const { client, order, left } = queues(letters);
  expect(await redrive(client, { ...given, queue: 'outcomes', limit: 20 })).toMatchObject({ moved: 20 });
  expect(order.filter((one) => one === 'SendMessageBatchCommand')).toHaveLength(2);
  expect(await redrive(client, { ...given, queue: 'outcomes', isOver: () => true })).toMatchObject({ moved: 0 });
  expect(left()).toHaveLength(10);
});

test('interrupted anywhere and run again, each message is sent at least once, and none is deleted unsent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...GATE_QUEUES),
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 12 }),
      async (queue, count, stopsAt) => {
        const ids = Array.from({ length: count }, (_, index) => `<${index}>`);
        const world = queues(ids.map((id) => letter(id, SENT, `raw ${id}`)));
        let calls = 0;
        const stopping = {
          send: async (command: never) => {
            if (++calls === stopsAt) throw new Error('the process is gone');
            return world.client.send(command);
          },
        } as unknown as SQSClient;
        await redrive(stopping, { ...given, queue }).catch(() => undefined);
        const sentFor = (id: string) => world.sent.some(({ MessageBody }) => MessageBody.includes(`raw ${id}`));
        for (const id of ids) expect(sentFor(id) || world.left().includes(id)).toBe(true);
        world.show();
        await redrive(world.client, { ...given, queue });
        expect(world.left()).toEqual([]);
        for (const id of ids) expect(sentFor(id)).toBe(true);
      },
    ),
  );
});

/**
 * Checks the groups of requests for cards, and their deduplication by revision (A22).
 *
 * An agent's posts and its updates are groups of their own.
 */
import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { sqsCardQueue } from '../../../../shared/adapters/sqs/outbox.ts';

function queueOf(counts: Readonly<Record<string, string>> = {}) {
  const sent: SendMessageCommand['input'][] = [];
  const client = {
    async send(command: unknown) {
      if (command instanceof SendMessageCommand) sent.push(command.input);
      return command instanceof GetQueueAttributesCommand ? { Attributes: counts } : {};
    },
  } as unknown as SQSClient;
  return { sent, queue: sqsCardQueue(client, 'https://sqs.example/cards.fifo') };
}

test('posts and updates of two agents in a channel are four groups', async () => {
  const { sent, queue } = queueOf();
  for (const agent of ['coder', 'writer'])
    for (const only of ['post', 'update'] as const) await queue.refresh('pid', 'C1', 'r1', { agent, only });
  expect(new Set(sent.map(({ MessageGroupId }) => MessageGroupId)).size).toBe(4);
  expect(sent.map(({ MessageBody }) => JSON.parse(MessageBody ?? '') as unknown)[1]).toEqual({
    kind: 'card',
    pid: 'pid',
    only: 'update',
  });
});

test('the same request twice has one id, another revision or line another', async () => {
  const { sent, queue } = queueOf();
  const line = { agent: 'coder', only: 'post' } as const;
  await queue.refresh('pid', 'C1', 'r1', line);
  await queue.refresh('pid', 'C1', 'r1', line);
  await queue.refresh('pid', 'C1', 'r2', line);
  await queue.refresh('pid', 'C1', 'r1', { ...line, only: 'update' });
  await queue.refresh('pid', 'C1', 'r1');
  const ids = sent.map(({ MessageDeduplicationId }) => MessageDeduplicationId);
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(4);
});

test.each([
  [{}, true],
  [{ ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '0' }, true],
  [{ ApproximateNumberOfMessages: '1' }, false],
  [{ ApproximateNumberOfMessagesNotVisible: '2' }, false],
  [{ ApproximateNumberOfMessagesDelayed: '3' }, false],
])('with %j it is idle: %s', async (counts, isIdle) => {
  expect(await queueOf(counts as Record<string, string>).queue.isIdle()).toBe(isIdle);
});

/**
 * Checks that an operation states when it was first sent (A5).
 *
 * The attribute survives a move between queues.
 */
import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { STATED_TIME, sendOperation, statedTimeOf } from '../../../../shared/adapters/sqs/operators-queue.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';

test('an operation is sent with its time beside it, so that gates of before read it too', async () => {
  const sent: SendMessageCommand[] = [];
  const client = { send: async (command: SendMessageCommand) => sent.push(command) } as unknown as SQSClient;
  const clock = new FakeClock();
  const operation = { kind: 'undelegate', operationId: 'o1', reason: 'back', person: 'alice' } as const;
  await sendOperation(client, 'queue', operation, clock);
  expect(JSON.parse(sent[0]?.input.MessageBody ?? '')).toEqual(operation);
  const stated = sent[0]?.input.MessageAttributes?.[STATED_TIME];
  expect(stated).toEqual({ DataType: 'Number', StringValue: String(clock.now()) });
  expect(statedTimeOf(stated?.StringValue)).toBe(clock.now());
});

test.each([
  [undefined, undefined],
  ['17', 17],
  ['soon', 0],
  ['-1', 0],
  ['Infinity', 0],
])('of a stated time %s the gate makes %s', (text, time) => {
  expect(statedTimeOf(text)).toBe(time);
});

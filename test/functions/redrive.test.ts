/** Checks the redrive function as it is deployed: it begins no batch after its caller's time. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPolicy } from '../../shared/config/load.ts';
import type { RedriveAnswer } from '../../shared/contract/redrive.ts';
import { type Aws, startAws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
let aws: Aws;
let redrive: Deployed;
let letters = 0;
let count = 0;
const PAUSE_MS = 100;

beforeAll(async () => {
  aws = await startAws({
    async ReceiveMessage({ MaxNumberOfMessages: most }) {
      await delay(PAUSE_MS);
      const taken = Math.min(letters, Number(most));
      letters -= taken;
      const one = () => ({ MessageId: `m${++count}`, ReceiptHandle: `r${count}`, Body: '{}', MD5OfBody: md5('{}') });
      return { Messages: Array.from({ length: taken }, one) };
    },
    SendMessageBatch: ({ Entries }) => ({
      Successful: (Entries as { Id: string; MessageBody: string }[]).map(({ Id, MessageBody }) => ({
        Id,
        MessageId: Id,
        MD5OfMessageBody: md5(MessageBody),
      })),
      Failed: [],
    }),
    DeleteMessageBatch: ({ Entries }) => ({
      Successful: (Entries as { Id: string }[]).map(({ Id }) => ({ Id })),
      Failed: [],
    }),
  });
  const queue = (name: string) => ({
    live: `${aws.url}/000000000000/${name}`,
    dead: `${aws.url}/000000000000/${name}Dead`,
  });
  const QUEUES = JSON.stringify({ cards: queue('Cards'), webhooks: queue('Webhooks') });
  const policy = loadPolicy('agents: {}\n', 'test.yaml');
  redrive = await deploy('redrive', { policy, env: { DEPLOYMENT: 'shop', QUEUES }, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await redrive?.stop();
  await aws?.stop();
});

test('moves all that are there within the time', async () => {
  letters = 12;
  const { value } = await redrive.invoke<RedriveAnswer>({ queue: 'cards', limit: 500, withinMs: 45_000 }, 60_000);
  expect(value).toEqual({ moved: 12, left: [] });
});

test('begins no batch after the time of its caller, and leaves the rest', async () => {
  letters = 500;
  const within = { queue: 'webhooks', limit: 500, withinMs: PAUSE_MS / 2 };
  const { value } = await redrive.invoke<RedriveAnswer>(within, 60_000);
  expect(value?.moved).toBeLessThanOrEqual(10);
  expect(letters).toBeGreaterThanOrEqual(490);
});

test.each([
  [{ queue: 'cards', limit: 500 }],
  [{ queue: 'operators', limit: 1, withinMs: 1_000 }],
  [{ queue: 'cards', limit: 501, withinMs: 1_000 }],
  [{ queue: 'cards', limit: 1, withinMs: 60_000 }],
])('moves nothing for a request that is none: %j', async (request) => {
  letters = 1;
  const { value, error } = await redrive.invoke(request, 60_000);
  expect({ value, letters }).toEqual({ value: undefined, letters: 1 });
  expect(error).toBeDefined();
});

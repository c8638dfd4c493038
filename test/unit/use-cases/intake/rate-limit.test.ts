// Checks the rate of a sender: who is over it waits in line, and comes back once (A12, A14, G34).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryRateLimits } from '../../../../shared/adapters/memory/guardrails/rate-limits.ts';
import type { DeferredMessage } from '../../../../shared/ports/stores/outbox.ts';
import type { Incoming } from '../../../../shared/use-cases/intake/message.ts';
import { admit, MAX_ROUNDS } from '../../../../shared/use-cases/intake/rate-limit.ts';

const MAX_LINE_S = 900;
const message = (messageId: string, rounds = 0): Incoming => ({
  messageId,
  raw: '{}',
  principal: 'AROAEXAMPLE',
  firstSentAt: 0,
  rounds,
});

/** One sender's messages, with the time of each batch in milliseconds, until all are admitted: when each was, and how often it was deferred. */
async function run(batches: readonly { readonly at: number; readonly size: number }[], rate: Rate) {
  let now = 0;
  const rates = new MemoryRateLimits(() => now);
  const due: { readonly at: number; readonly batch: readonly Incoming[] }[] = batches.map(({ at, size }, n) => ({
    at,
    batch: Array.from({ length: size }, (_, index) => message(`${n}-${index}`)),
  }));
  const admittedAt = new Map<string, number>();
  const asides = new Map<string, number>();
  const deferred = {
    handOver: async () => undefined,
    async defer(one: DeferredMessage, seconds: number) {
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(MAX_LINE_S);
      asides.set(one.messageId, (asides.get(one.messageId) ?? 0) + 1);
      due.push({ at: now + seconds * 1000, batch: [one] });
    },
  };
  while (due.length) {
    due.sort((a, b) => a.at - b.at);
    const { at, batch } = due.shift() as (typeof due)[number];
    now = at;
    const { admitted, notAdmitted } = await admit('coder', batch, rate, { rates, deferred });
    await Promise.all(notAdmitted.values());
    for (const { messageId } of admitted) admittedAt.set(messageId, now);
  }
  return { admittedAt, asides };
}

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 10, max: 40 }) });
const floods = fc.array(fc.record({ at: fc.integer({ min: 0, max: 20_000 }), size: fc.integer({ min: 1, max: 10 }) }), {
  minLength: 1,
  maxLength: 60,
});

test('each message of a flood is put notAdmitted at most once, and none is worked earlier than its rate allows', async () => {
  await fc.assert(
    fc.asyncProperty(floods, rates, async (flood, rate) => {
      const { admittedAt, asides } = await run(flood, rate);
      expect(admittedAt.size).toBe(flood.reduce((sum, { size }) => sum + size, 0));
      expect([...asides.values()].every((times) => times === 1)).toBe(true);
      // By any time no more than the burst and what the rate adds, and a second of delays that are whole seconds.
      const times = [...admittedAt.values()].toSorted((a, b) => a - b);
      times.forEach((at, index) => {
        expect(index + 1).toBeLessThanOrEqual(rate.burst + (at / 1000) * rate.perSecond + 1e-6);
      });
    }),
  );
});

test('what is put notAdmitted comes back in the order in which it was sent', async () => {
  const flood = Array.from({ length: 20 }, (_, n) => ({ at: n, size: 5 }));
  const { admittedAt } = await run(flood, { perSecond: 2, burst: 10 });
  const times = flood.flatMap(({ size }, n) => Array.from({ length: size }, (_, i) => admittedAt.get(`${n}-${i}`)));
  expect(times).toEqual(times.toSorted((a = 0, b = 0) => a - b));
});

test('a flood longer than the line asks again now and then, and is worked off all the same', async () => {
  // Twice as many as the longest line holds.
  const flood = Array.from({ length: 180 }, () => ({ at: 0, size: 10 }));
  const { admittedAt, asides } = await run(flood, { perSecond: 1, burst: 10 });
  expect(admittedAt.size).toBe(1800);
  expect(Math.max(...admittedAt.values())).toBeLessThan(2 * 1800 * 1000);
  expect(Math.max(...asides.values())).toBeLessThan(10);
});

test('A12 what asked for its turn too often is answered without it', async () => {
  const closed = { book: async () => undefined };
  const state = { rates: Object.assign(new MemoryRateLimits(() => 0), closed) };
  const put: DeferredMessage[] = [];
  const deferred = { handOver: async () => undefined, defer: async (one: DeferredMessage) => void put.push(one) };
  const messages = [message('tired', MAX_ROUNDS), message('fresh', MAX_ROUNDS - 1)];
  const { admitted } = await admit('coder', messages, { perSecond: 1, burst: 10 }, { ...state, deferred });
  expect(admitted.map(({ messageId }) => messageId)).toEqual(['tired']);
  expect(put).toMatchObject([{ messageId: 'fresh', rounds: MAX_ROUNDS }]);
  expect(put[0]?.admitted).toBeUndefined();
});

test('what had its turn, or needs more time for its answer, is not counted again', async () => {
  const nobody = { book: () => Promise.reject(new Error('asked')) };
  const state = { rates: Object.assign(new MemoryRateLimits(() => 0), nobody) };
  const deferred = { handOver: async () => undefined, defer: async () => undefined };
  const turn = { ...message('turn', 1), admitted: true };
  const { admitted } = await admit('coder', [turn], { perSecond: 1, burst: 10 }, { ...state, deferred });
  expect(admitted).toEqual([turn]);
});

test('a message that shall have no turn takes its place in the rate, and is refused when it is over', async () => {
  const rates = new MemoryRateLimits(() => 0);
  const deferred = { handOver: async () => undefined, defer: async () => undefined };
  const messages = Array.from({ length: 15 }, (_, n) => message(`m${n}`));
  const refused: string[] = [];
  const refuse = ({ messageId }: Incoming) => {
    refused.push(messageId);
    return Promise.resolve();
  };
  const { admitted, notAdmitted } = await admit(
    'coder',
    messages,
    { perSecond: 1, burst: 10 },
    { rates, deferred },
    refuse,
  );
  expect(admitted).toHaveLength(10);
  expect([...notAdmitted.keys()].map(({ messageId }) => messageId)).toEqual(refused);
  expect(refused).toEqual(['m10', 'm11', 'm12', 'm13', 'm14']);
});

/** Checks concurrency caps: never exceeded, fair between agents, bounded, and nothing left behind. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { ConcurrencyLimiter, type SlotGrant, type SlotWish } from '../../../../shared/guardrails/limits/concurrency.ts';
import { FakeRuntime } from '../fake-runtime.ts';
import { world } from '../harness.ts';

const setup = () => {
  const runtime = new FakeRuntime();
  const state = memoryGuardrailState(runtime.now);
  const process = () => new ConcurrencyLimiter(state.slots, runtime);
  return { runtime, state, limiter: process(), process };
};
const wish = (agent: string, more: Partial<SlotWish> & { limit?: number } = {}): SlotWish => ({
  caps: [{ key: 'k', id: 'local::t', limit: more.limit ?? 1 }],
  agent,
  leaseMs: 10_000,
  maxQueue: 100,
  ...more,
});
const leasesOf = (grant: SlotGrant) => (grant.granted ? grant.leases : []);

describe('fairness', () => {
  test('an agent that floods waits behind itself, not before others (R3-064)', async () => {
    const order: string[] = [];
    const w = world({
      environment: { ratePerSecond: 1000, maxConcurrent: 1, maxQueue: 100 },
      behaviour: async ({ input }, runtime) => {
        order.push(String(input));
        await runtime.sleep(10);
      },
    });
    const calls = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    await w.runtime.run(
      Promise.all(calls.map((id) => w.guardrails.invoke({ toolName: 't', input: id, agentId: id.charAt(0) }))),
    );
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('a full queue gives up the newest of whoever waits most (G34)', async () => {
    const { runtime, limiter } = setup();
    const queue = { maxQueue: 3 };
    const holder = await runtime.run(limiter.acquire(wish('h', queue)));
    const flood = Array.from({ length: 6 }, () => limiter.acquire(wish('flood', queue)));
    await runtime.advance(0);
    const quiet = limiter.acquire(wish('quiet', queue));
    await runtime.advance(0);
    await limiter.release(leasesOf(holder));
    const first = await runtime.run(flood[0] as Promise<SlotGrant>);
    await limiter.release(leasesOf(first));
    expect((await runtime.run(quiet)).granted).toBe(true);
    expect(limiter.waiting).toBe(1);
  });
});

describe('waiting', () => {
  test('ends with the deadline, and that is a Timeout of a call that never began (R3-066)', async () => {
    const w = world({
      environment: { maxConcurrent: 1, timeoutMs: 500 },
      behaviour: (_attempt, runtime) => runtime.sleep(400),
    });
    const holder = w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' });
    const queued = await w.invoke({ limits: { timeoutMs: 100 } });
    expect(queued).toMatchObject({
      error: { code: 'Timeout', details: { elapsedMs: 100, deadlineMs: 100 } },
      effect: 'not-started',
    });
    expect((await w.runtime.run(holder)).status).toBe('Ok');
    expect(w.calls).toHaveLength(1);
  });

  test('the time in the queue is missing for the call (R3-066)', async () => {
    const w = world({
      environment: { maxConcurrent: 1, timeoutMs: 100 },
      behaviour: (_attempt, runtime) => runtime.sleep(60),
    });
    const holder = w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' });
    const queued = await w.invoke();
    expect(queued).toMatchObject({
      durationMs: 100,
      error: { code: 'Timeout', details: { elapsedMs: 100, deadlineMs: 100 } },
    });
    await w.runtime.run(holder);
  });

  test('a caller that goes away leaves the queue', async () => {
    const { runtime, limiter } = setup();
    const holder = await runtime.run(limiter.acquire(wish('a')));
    const caller = new AbortController();
    const queued = limiter.acquire(wish('b', { signal: caller.signal }));
    await runtime.advance(0);
    caller.abort();
    expect(await runtime.run(queued)).toEqual({ granted: false, aborted: true });
    await limiter.release(leasesOf(holder));
    expect((await runtime.run(limiter.acquire(wish('c')))).granted).toBe(true);
  });

  test('nobody waits for a slot that another process holds: refused with a jittered hint (A21)', async () => {
    const { runtime, limiter, process } = setup();
    await runtime.run(limiter.acquire(wish('a')));
    const elsewhere = await runtime.run(process().acquire(wish('b')));
    const limits = ['maxConcurrent 1'];
    expect(elsewhere).toEqual({ granted: false, aborted: false, limiterId: 'local::t', limits, retryAfterMs: 300 });
  });

  test('GR-030 the slot of a dead worker is refused until its lease ends', async () => {
    const { runtime, limiter, process } = setup();
    await runtime.run(limiter.acquire(wish('dead')));
    expect((await runtime.run(process().acquire(wish('b')))).granted).toBe(false);
    runtime.jump(10_000);
    expect((await runtime.run(process().acquire(wish('b')))).granted).toBe(true);
  });
});

describe('slots come back', () => {
  test('after success, failure, time-out and cancellation alike (R3-067)', async () => {
    const endings = ['ok', 'fails', 'hangs', 'cancelled'];
    const w = world({
      environment: { maxConcurrent: 1, maxQueue: 0, timeoutMs: 100, ratePerSecond: 1000, failureThreshold: 100 },
      behaviour: async ({ input }) => {
        if (input === 'fails') throw new Error('no');
        if (input === 'hangs' || input === 'cancelled') await new Promise(() => {});
        return 'ok';
      },
    });
    for (const input of endings) {
      const caller = new AbortController();
      const call = w.guardrails.invoke({ toolName: 't', input, agentId: 'a1', signal: caller.signal });
      await w.runtime.advance(10);
      if (input === 'cancelled') caller.abort();
      await w.runtime.run(call);
      expect((await w.invoke({ input: 'ok' })).status).toBe('Ok');
    }
  });

  test('also when the cap of the provider refuses after that of the tool (R3-062)', async () => {
    const { runtime, limiter, state } = setup();
    const caps = [
      { key: 'tool', id: 't', limit: 5 },
      { key: 'provider', id: 'p', limit: 1 },
    ];
    const first = await runtime.run(limiter.acquire(wish('a', { caps, maxQueue: 0 })));
    const second = await runtime.run(limiter.acquire(wish('b', { caps, maxQueue: 0 })));
    expect(second).toMatchObject({ granted: false, limiterId: 'p' });
    expect(await state.slots.inUse('tool')).toBe(1);
    await limiter.release(leasesOf(first));
    expect(await state.slots.inUse('tool')).toBe(0);
  });
});

test('whoever comes, goes and gives up, in two processes: the cap holds, slots are not lost, waiters are woken', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('ask' as const), agent: fc.constantFrom('a', 'b', 'c'), side: fc.nat(1) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), at: fc.nat(4) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), at: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'settle' as const }) },
  );
  return fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 40 }), async (limit, steps) => {
      const { runtime, state, process } = setup();
      const sides = [process(), process()];
      const held: { side: ConcurrencyLimiter; grant: SlotGrant }[] = [];
      const waiting = new Map<AbortController, Promise<void>>();
      const ask = (agent: string, side: ConcurrencyLimiter) => {
        const caller = new AbortController();
        const asked = side.acquire(wish(agent, { limit, signal: caller.signal, leaseMs: 1e9 })).then((grant) => {
          waiting.delete(caller);
          if (grant.granted) held.push({ side, grant });
        });
        waiting.set(caller, asked);
      };
      for (const one of steps) {
        if (one.do === 'ask') ask(one.agent, sides[one.side] as ConcurrencyLimiter);
        if (one.do === 'abort') [...waiting.keys()][one.at]?.abort();
        if (one.do === 'settle') await runtime.advance(1);
        if (one.do === 'release') {
          const [freed] = held.splice(one.at, 1);
          if (freed) await freed.side.release(leasesOf(freed.grant));
        }
        expect(held.length).toBeLessThanOrEqual(limit);
        expect(await state.slots.inUse('k')).toBeLessThanOrEqual(limit);
      }
      // Everybody who holds leaves, one by one: whoever still waits is served or refused, and nothing stays behind.
      for (let round = 0; round < 200 && (waiting.size > 0 || held.length > 0); round++) {
        await runtime.advance(1);
        const freed = held.shift();
        if (freed) await freed.side.release(leasesOf(freed.grant));
      }
      // A slot that was taken for a caller who had just left is on its way back.
      await runtime.advance(1);
      expect([waiting.size, held.length, await state.slots.inUse('k')]).toEqual([0, 0, 0]);
    }),
    { numRuns: 60 },
  );
});

/** Checks the circuit breaker against a plain reference, over shared state, and in a whole call. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { CircuitBreaker, type CircuitEntry } from '../../../../shared/guardrails/limits/circuit.ts';
import { circuitResult } from '../../../../shared/guardrails/limits/circuit-breaker.ts';
import {
  budgetExceededError,
  circuitOpenError,
  concurrencyLimitedError,
  rateLimitedError,
  timeoutError,
} from '../../../../shared/guardrails/limits/limit-errors.ts';
import {
  authError,
  contractError,
  executionError,
  systemError,
} from '../../../../shared/guardrails/settings/errors.ts';
import { BUILT_IN } from '../../../../shared/guardrails/settings/settings.ts';
import { FakeRuntime } from '../fake-runtime.ts';
import { world } from '../harness.ts';

const WIDE = { ratePerSecond: 100_000, maxConcurrent: 1000 };
const failing = () => Promise.reject(executionError('down'));

describe('what counts as a failure (R3-049)', () => {
  test('GR-024 refusals of the policy, of people and of the caller do not; the tool failing does', () => {
    const neutral = [
      rateLimitedError({ scope: 'tool', throttlingScope: 't' }),
      budgetExceededError('b', 1),
      concurrencyLimitedError('t'),
      circuitOpenError('open', 1),
      contractError('Bad', 'bad'),
      authError('Denied', 'a person said no'),
      executionError('gone', { code: 'Cancelled' }),
    ];
    for (const error of neutral) expect(circuitResult(error, 1)).toBe('neutral');
    for (const error of [timeoutError(1, 1, 'unknown'), executionError('x'), systemError('X', 'x')])
      expect(circuitResult(error, 1)).toBe('failure');
    expect(circuitResult(undefined, 200, 100)).toBe('failure');
    expect(circuitResult(undefined, 100, 100)).toBe('success');
  });

  test('GR-024 an agent that is refused over and over shuts the tool for nobody', async () => {
    const w = world({
      environment: { ...WIDE, ratePerSecond: 1, burst: 1, costPerCall: 1, budget: { costPerDay: 3 } },
      deps: { authorize: async ({ agentId }) => (agentId === 'denied' ? 'a person said no' : undefined) },
    });
    for (let i = 0; i < 20; i++) await w.invoke({ agentId: 'denied' });
    for (let i = 0; i < 20; i++) await w.invoke();
    await w.runtime.advance(1000);
    expect((await w.invoke({ agentId: 'other' })).status).toBe('Ok');
    expect(w.named('CircuitOpen')).toHaveLength(0);
  });
});

describe('in a call', () => {
  test('opens, is left alone, is probed by one call, and closes (R3-044 … R3-047)', async () => {
    let down = true;
    const w = world({
      environment: WIDE,
      behaviour: async (_attempt, runtime) => {
        await runtime.sleep(100);
        return down ? failing() : 'ok';
      },
    });
    for (let i = 0; i < 5; i++) await w.invoke();
    const refused = await w.invoke();
    expect(refused).toMatchObject({
      error: { code: 'CircuitOpen', details: { circuitState: 'open', retryAfterMs: 60_000 } },
      effect: 'not-started',
      durationMs: 0,
    });
    await w.runtime.advance(60_000);
    down = false;
    const both = [w.invoke(), w.invoke({ agentId: 'a2' })];
    const results = await Promise.all(both);
    expect(results.map(({ status }) => status).sort()).toEqual(['Error', 'Ok']);
    expect(w.events.map(({ name }) => name).filter((name) => name.startsWith('Circuit'))).toEqual([
      'CircuitOpen',
      'CircuitHalfOpen',
      'CircuitClosed',
    ]);
    expect((await w.invoke()).status).toBe('Ok');
  });

  test('GR-022 while a probe hangs, others are refused at once and not left waiting', async () => {
    const w = world({ environment: { ...WIDE, timeoutMs: 30_000 }, behaviour: failing });
    for (let i = 0; i < 5; i++) await w.invoke();
    await w.runtime.advance(60_000);
    const hanging = world({
      environment: { ...WIDE, timeoutMs: 30_000 },
      behaviour: () => new Promise(() => {}),
      state: w.state,
      runtime: w.runtime,
    });
    const probe = hanging.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' });
    await w.runtime.advance(1);
    const refused = await hanging.invoke();
    expect(refused).toMatchObject({
      durationMs: 0,
      error: { code: 'CircuitOpen', details: { circuitState: 'half-open' } },
    });
    expect((await w.runtime.run(probe)).error?.code).toBe('Timeout');
  });

  test('a probe that a later stage refuses gives its place to the next', async () => {
    let down = true;
    const w = world({
      environment: { ...WIDE, ratePerSecond: 0.01, burst: 6 },
      behaviour: async () => (down ? failing() : 'ok'),
    });
    for (let i = 0; i < 5; i++) await w.invoke();
    await w.runtime.advance(60_000);
    down = false;
    const limits = { ratePerSecond: 0.001, burst: 1 };
    expect((await w.invoke({ limits })).status).toBe('Ok');
    expect(w.named('CircuitClosed')).toHaveLength(1);
  });

  test('slow calls open it too (R3-043)', async () => {
    const w = world({
      environment: { ...WIDE, slowCallMs: 50, failureThreshold: 2 },
      behaviour: (_attempt, runtime) => runtime.sleep(51),
    });
    for (let i = 0; i < 2; i++) expect((await w.invoke()).status).toBe('Ok');
    expect((await w.invoke()).error?.code).toBe('CircuitOpen');
  });

  test('a ratio is judged only after enough calls (R3-042)', async () => {
    let n = 0;
    const w = world({
      environment: { ...WIDE, circuitMode: 'ratio', failureRatio: 0.5, minimumCalls: 4, windowCalls: 10 },
      behaviour: async () => (n++ % 2 === 1 ? failing() : 'ok'),
    });
    const statuses: string[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await w.invoke()).error?.code ?? 'ok');
    expect(statuses).toEqual(['ok', 'ToolFailed', 'ok', 'ToolFailed', 'CircuitOpen']);
  });
});

describe('over shared state', () => {
  test('GR-023 failures in ten processes open one circuit', async () => {
    const runtime = new FakeRuntime();
    runtime.random = Math.random;
    const state = memoryGuardrailState(runtime.now);
    const { load } = state.circuits;
    // As far away as a database: everybody reads before anybody writes.
    state.circuits.load = async (key) => {
      const row = await load.call(state.circuits, key);
      await runtime.sleep(1);
      return row;
    };
    const processes = Array.from({ length: 10 }, () => new CircuitBreaker(state.circuits, runtime));
    const settings = { ...BUILT_IN, failureThreshold: 5, resetAfterMs: 60_000 };
    const entries = await runtime.run(Promise.all(processes.map((one) => one.admit('c', settings, 1000))));
    const entered = await runtime.run(
      Promise.all(
        entries.map((entry, i) => {
          const breaker = processes[i];
          if (!entry.admitted || !breaker) throw new Error('refused');
          return breaker.report('c', settings, entry.ticket, 'failure');
        }),
      ),
    );
    // Told once, however many saw it.
    expect(entered.filter((state) => state === 'open')).toHaveLength(1);
    const last = await runtime.run(new CircuitBreaker(state.circuits, runtime).admit('c', settings, 1000));
    expect(last).toMatchObject({ admitted: false, state: 'open' });
  });

  test('G31 a dead probe frees its place when its lease ends', async () => {
    const runtime = new FakeRuntime();
    const breaker = new CircuitBreaker(memoryGuardrailState(runtime.now).circuits, runtime);
    const settings = { ...BUILT_IN, failureThreshold: 1, resetAfterMs: 1000 };
    const first = await breaker.admit('c', settings, 500);
    if (first.admitted) await breaker.report('c', settings, first.ticket, 'failure');
    runtime.jump(1000);
    const dead = await breaker.admit('c', settings, 500);
    expect(dead).toMatchObject({ admitted: true, entered: 'half-open' });
    expect(await breaker.admit('c', settings, 500)).toMatchObject({ admitted: false, retryAfterMs: 500 });
    runtime.jump(500);
    const next = await breaker.admit('c', settings, 500);
    expect(next).toMatchObject({ admitted: true });
    // The dead one comes back: it has no say any more.
    if (dead.admitted) expect(await breaker.report('c', settings, dead.ticket, 'failure')).toBeUndefined();
    if (next.admitted) expect(await breaker.report('c', settings, next.ticket, 'success')).toBe('closed');
  });
});

test.each([0, 1, 2])(
  'a call from before the circuit opened says nothing about the tool after it closed again, also after %i such rounds',
  async (rounds) => {
    const runtime = new FakeRuntime();
    const breaker = new CircuitBreaker(memoryGuardrailState(runtime.now).circuits, runtime);
    const settings = { ...BUILT_IN, failureThreshold: 1, resetAfterMs: 1000 };
    const end = async (entry: CircuitEntry, result: 'success' | 'failure') => {
      if (!entry.admitted) throw new Error('refused');
      return breaker.report('c', settings, entry.ticket, result);
    };
    const round = async () => {
      expect(await end(await breaker.admit('c', settings, 500), 'failure')).toBe('open');
      runtime.jump(1000);
      expect(await end(await breaker.admit('c', settings, 500), 'success')).toBe('closed');
    };
    for (let n = 0; n < rounds; n++) await round();
    const slow = await breaker.admit('c', settings, 500);
    await round();
    expect(await end(slow, 'failure')).toBeUndefined();
    expect((await breaker.admit('c', settings, 500)).admitted).toBe(true);
  },
);

/** The reference: the rules in words, over a list of what happened. */
class PlainBreaker {
  state: 'closed' | 'open' | 'half-open' = 'closed';
  failures = 0;
  openedAt = 0;
  era = 0;
  probes = new Map<number, number>();

  admit(now: number, call: number, s: { probes: number; reset: number; lease: number }): boolean {
    if (this.state === 'closed') return true;
    if (this.state === 'open') {
      if (now < this.openedAt + s.reset) return false;
      this.state = 'half-open';
      this.era++;
      this.probes.clear();
    }
    for (const [id, until] of this.probes) if (until <= now) this.probes.delete(id);
    if (this.probes.size >= s.probes) return false;
    this.probes.set(call, now + s.lease);
    return true;
  }

  report(now: number, call: number, era: number, result: string, threshold: number): void {
    if (era !== this.era || this.state === 'open') return;
    if (this.state === 'half-open') {
      if (!this.probes.delete(call)) return;
      if (result === 'success') this.become('closed');
      if (result === 'failure') this.trip(now);
      return;
    }
    if (result === 'success') this.failures = 0;
    if (result === 'failure' && ++this.failures >= threshold) this.trip(now);
  }

  trip(now: number): void {
    this.become('open');
    this.openedAt = now;
  }

  become(state: 'closed' | 'open'): void {
    this.state = state;
    this.failures = 0;
    this.era++;
  }
}

test('whatever calls begin, end, die and wait: the breaker does what the plain one does, and never stays half-open', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ do: 'begin' as const }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        at: fc.nat(5),
        result: fc.constantFrom('success' as const, 'failure' as const, 'neutral' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1500 }) }) },
  );
  const numbers = fc.record({ threshold: fc.integer({ min: 1, max: 3 }), probes: fc.integer({ min: 1, max: 2 }) });
  return fc.assert(
    fc.asyncProperty(numbers, fc.array(step, { maxLength: 80 }), async ({ threshold, probes }, steps) => {
      const runtime = new FakeRuntime();
      const state = memoryGuardrailState(runtime.now);
      const breaker = new CircuitBreaker(state.circuits, runtime);
      const settings = { ...BUILT_IN, failureThreshold: threshold, halfOpenProbes: probes, resetAfterMs: 1000 };
      const plain = new PlainBreaker();
      const rules = { probes, reset: 1000, lease: 700 };
      const open: { ticket: Extract<CircuitEntry, { admitted: true }>['ticket']; call: number; era: number }[] = [];
      for (const [call, one] of steps.entries()) {
        if (one.do === 'wait') runtime.jump(one.ms);
        else if (one.do === 'begin') {
          const entry = await breaker.admit('c', settings, rules.lease);
          expect(entry.admitted).toBe(plain.admit(runtime.now(), call, rules));
          if (entry.admitted) open.push({ ticket: entry.ticket, call, era: plain.era });
        } else {
          const [ended] = open.splice(one.at, 1);
          if (!ended) continue;
          // A clean success is not written: a failure that came in between still counts, towards refusal.
          const unwritten = one.result === 'success' && ended.ticket.clean;
          if (!unwritten) plain.report(runtime.now(), ended.call, ended.era, one.result, threshold);
          await breaker.report('c', settings, ended.ticket, one.result);
        }
        expect((await state.circuits.load('c'))?.row.state ?? 'closed').toBe(plain.state);
      }
      // G31: after cooldown and lease somebody may try again, whatever happened.
      runtime.jump(1000 + rules.lease);
      expect((await breaker.admit('c', settings, rules.lease)).admitted).toBe(true);
    }),
  );
});

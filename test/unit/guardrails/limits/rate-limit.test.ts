/** Checks rate limits against a plain token bucket, and over several buckets. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { type NamedBucket, RateLimiter } from '../../../../shared/guardrails/limits/rate-limit.ts';
import { FakeRuntime } from '../fake-runtime.ts';
import { world } from '../harness.ts';

/** The reference: tokens as R3-055 writes them, in exact fractions of a microsecond. */
class PlainBucket {
  #tokensUs: number;
  #at: number;
  readonly #rate: number;
  readonly #burst: number;
  constructor(rate: number, burst: number, now: number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#tokensUs = burst * 1e6;
    this.#at = now;
  }
  take(now: number): boolean {
    this.#tokensUs = Math.min(this.#burst * 1e6, this.#tokensUs + (now - this.#at) * 1000 * this.#rate);
    this.#at = now;
    if (this.#tokensUs < 1e6) return false;
    this.#tokensUs -= 1e6;
    return true;
  }
}

const setup = () => {
  const runtime = new FakeRuntime();
  const { rate } = memoryGuardrailState(runtime.now);
  return { runtime, rate, limiter: new RateLimiter(rate, runtime) };
};
const named = (id: string, scope: NamedBucket['scope'], burst: number, ratePerSecond = 1): NamedBucket => ({
  key: `${scope}:${id}`,
  id,
  scope,
  burst,
  ratePerSecond,
});

test('admits exactly what a plain token bucket admits', () => {
  // Rates that divide a million, so that the interval is exact; the others are a little late (see below).
  const rates = fc.constantFrom(1, 2, 4, 5, 10, 20, 50, 100, 1000);
  const gaps = fc.array(fc.nat(700), { minLength: 1, maxLength: 60 });
  return fc.assert(
    fc.asyncProperty(rates, fc.integer({ min: 1, max: 8 }), gaps, async (ratePerSecond, burst, gapsMs) => {
      const { runtime, rate } = setup();
      const plain = new PlainBucket(ratePerSecond, burst, runtime.now());
      for (const gap of gapsMs) {
        runtime.jump(gap);
        const decision = await rate.take({ key: 'k', ratePerSecond, burst });
        expect(decision.admitted).toBe(plain.take(runtime.now()));
      }
    }),
  );
});

test('R3-055 never admits what a plain token bucket refuses, whatever the rate', () => {
  const gaps = fc.array(fc.nat(300), { minLength: 1, maxLength: 60 });
  const whole = (max: number) => fc.integer({ min: 1, max });
  return fc.assert(
    fc.asyncProperty(whole(1000), whole(40), gaps, async (ratePerSecond, burst, gapsMs) => {
      const { runtime, rate } = setup();
      const plain = new PlainBucket(ratePerSecond, burst, runtime.now());
      for (const gap of gapsMs) {
        runtime.jump(gap);
        // The bucket only ever has more than the exact one: every call that the exact bucket admits beyond it still fits.
        if ((await rate.take({ key: 'k', ratePerSecond, burst })).admitted)
          expect(plain.take(runtime.now())).toBe(true);
      }
    }),
  );
});

test.each([3, 6, 7, 9, 12, 30])('R3-055 a bucket of %i a second is full again after each second', async (n) => {
  const { runtime, rate } = setup();
  const bucket = { key: 'k', ratePerSecond: n, burst: n };
  for (let second = 0; second < 5; second++, runtime.jump(1000)) {
    const taken: boolean[] = [];
    for (let i = 0; i <= n; i++) taken.push((await rate.take(bucket)).admitted);
    expect(taken).toEqual([...Array(n).fill(true), false]);
  }
});

test('the hint is true: refused until then, admitted at it', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 5 }), async (ratePerSecond, burst) => {
      const { runtime, rate } = setup();
      const bucket = { key: 'k', ratePerSecond, burst };
      for (let i = 0; i < burst; i++) await rate.take(bucket);
      const refused = await rate.take(bucket);
      if (refused.admitted || refused.retryAfterMs === undefined) throw new Error('no hint');
      runtime.jump(refused.retryAfterMs - 1);
      expect((await rate.take(bucket)).admitted).toBe(false);
      runtime.jump(1);
      expect((await rate.take(bucket)).admitted).toBe(true);
    }),
  ));

describe('several buckets', () => {
  test('all admit or none is charged, whichever refuses (R3-058)', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), async (bursts) => {
        const { limiter } = setup();
        const buckets = bursts.map((burst, index) => named(`b${index}`, 'tool', burst));
        const refusal = await limiter.take(buckets);
        const firstEmpty = bursts.indexOf(0);
        expect(refusal?.throttlingScope).toBe(firstEmpty < 0 ? undefined : `b${firstEmpty}`);
        for (const [index, bucket] of buckets.entries())
          expect(limiter.peek(bucket)).toBe((bursts[index] ?? 0) - (firstEmpty < 0 ? 1 : 0));
      }),
    ));

  test('a refusal is remembered until its retry-after, and costs the store nothing', async () => {
    const { runtime, rate, limiter } = setup();
    const bucket = named('t', 'tool', 1);
    await limiter.take([bucket]);
    await limiter.take([bucket]);
    let asked = 0;
    const { take } = rate;
    rate.take = (one) => {
      asked++;
      return take.call(rate, one);
    };
    expect(await limiter.take([bucket])).toMatchObject({ retryAfterMs: 1000 });
    expect(asked).toBe(0);
    runtime.jump(1000);
    expect(await limiter.take([bucket])).toBeUndefined();
    expect(asked).toBe(1);
  });

  test('what one tool uses up is not missing at another provider (R3-061)', async () => {
    const tools = [{ name: 'u', origin: 'mcp::s', execute: async () => 'ok' }];
    const w = world({
      environment: { ratePerSecond: 1, burst: 1 },
      tools,
      config: { tools: { u: { origin: 'mcp::s' } } },
    });
    await w.invoke();
    expect((await w.invoke()).error?.details).toMatchObject({ scope: 'tool', throttlingScope: 'local::t' });
    expect((await w.invoke({ toolName: 'u' })).status).toBe('Ok');
  });

  test("a call's own tiny rate shuts the tool for nobody else", async () => {
    const w = world({ environment: { ratePerSecond: 10, burst: 10 } });
    await w.invoke({ limits: { ratePerSecond: 0.001 } });
    expect((await w.invoke({ limits: { ratePerSecond: 0.001 } })).error?.code).toBe('RateLimited');
    expect((await w.invoke({ agentId: 'a2' })).status).toBe('Ok');
  });

  test('GR-016 GR-039 one call more than the burst is refused, and no mode of the caller changes that', async () => {
    const w = world({ environment: { ratePerSecond: 10, burst: 10 } });
    for (let i = 0; i < 10; i++) expect((await w.invoke()).status).toBe('Ok');
    const metadata = { mode: 'bypass', approved: true };
    const eleventh = await w.invoke({ metadata, headers: { 'x-mode': 'bypass' }, input: { mode: 'bypass' } });
    expect(eleventh.error).toMatchObject({
      category: 'PolicyError',
      code: 'RateLimited',
      details: { retryAfterMs: 100 },
    });
    expect(w.calls).toHaveLength(10);
  });
});

test('R3-060 a 429 that names a day in the year 9999 shuts its provider for a day at most', async () => {
  const { runtime, limiter } = setup();
  const bucket = named('local', 'provider', 1000, 1000);
  await limiter.close(bucket.key, Date.UTC(9999, 11, 31));
  expect(await limiter.take([bucket])).toMatchObject({ retryAfterMs: 86_400_000 });
  runtime.jump(86_400_000);
  expect(await limiter.take([bucket])).toBeUndefined();
});

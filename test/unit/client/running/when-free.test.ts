/** Checks how long an approved call waits for a busy tool, and which refusals it is told. */
import { expect, test } from 'vitest';
import { Lines } from '../../../../shared/client/exchange/lines.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import { whenFree } from '../../../../shared/client/running/when-free.ts';
import type { RedeemAnswer } from '../../../../shared/contract/execution.ts';
import type { Redeemer } from '../../../../shared/ports/agent-side.ts';
import { createTestGate } from '../../../../shared/testing/index.ts';
import { GUARDED_POLICY } from '../guarded-policy.ts';

const GRANTED: RedeemAnswer = {
  granted: true,
  redemptionId: 'r',
  idempotencyKey: 'k',
  effect: 'Pure',
  timeoutMs: 1_000,
  deadlineAt: '1970-01-01T00:00:01Z',
  reportBy: '1970-01-01T00:00:02Z',
};

const refused = (code: string, details: object = {}, permit: 'usable' | 'spent' = 'usable'): RedeemAnswer => ({
  granted: false,
  permit,
  error: { category: 'PolicyError', code, message: '', isRetryable: false, details: { ...details } },
});
const limited = (retryAfterMs?: number) => refused('RateLimited', retryAfterMs === undefined ? {} : { retryAfterMs });

/** Redeems under a permit of ten minutes. */
const redeemed = (...answers: readonly RedeemAnswer[]) => redeemedUntil(Number.POSITIVE_INFINITY, ...answers);

async function redeemedUntil(endsAt: number, ...answers: readonly RedeemAnswer[]) {
  const slept: number[] = [];
  let now = 0;
  const left = [...answers];
  const redeem = async () => left.shift() ?? limited(1_000);
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms;
  };
  const waits = { until: new AbortController().signal, lines: new Lines(), line: 'Refund', endsAt };
  const answer = await whenFree(redeem, { expiresAt: '1970-01-01T00:10:00Z' }, waits, {
    clock: { now: () => now },
    sleep,
  });
  return { granted: answer.granted, slept };
}

test('a call waits for the rate of its tool, and the longer the more calls there are', async () => {
  expect(await redeemed(limited(800), limited(900), GRANTED)).toEqual({ granted: true, slept: [800, 1_400] });
  expect(await redeemed(refused('ConcurrencyLimited'), limited(40), GRANTED)).toEqual({
    granted: true,
    slept: [500, 40],
  });
});

test('a call waits no longer than its permit', async () => {
  const { granted, slept } = await redeemed();
  expect(granted).toBe(false);
  expect(slept.reduce((sum, ms) => sum + ms)).toBeLessThan(600_000);
});

test('a call waits no longer than its caller, who is told of the last refusal', async () => {
  const busy = refused('ConcurrencyLimited');
  expect(await redeemedUntil(1_200, busy, busy, busy, GRANTED)).toEqual({ granted: false, slept: [500, 500] });
});

test.each([
  ['a rate that admits nothing for more than a minute', limited(61_000)],
  ['a rate of which nothing is known', limited()],
  ['a tool that fails', refused('CircuitOpen', { retryAfterMs: 100 })],
  ['a permit that is spent', refused('RateLimited', { retryAfterMs: 100 }, 'spent')],
])('%s is told at once', async (_, answer) => {
  expect(await redeemed(answer, GRANTED)).toEqual({ granted: false, slept: [] });
});

test('calls of one turn that people approved together all run, whatever the rate of their tool', async () => {
  const policy = `${GUARDED_POLICY}guardrails: { tools: { Refund: { ratePerSecond: 4, burst: 1 } } }\n`;
  const gate = createTestGate({ policy, approver: () => ({ choice: 'approve' }) });
  const calls = [1, 2, 3].map((amount) => ({ callId: `c${amount}`, tool: 'Refund', input: { amount } }));
  const turn = new CountersignClient(gate.clientOptions('coder')).guard({ run: 'r' }).together(calls);
  const ends = await Promise.all(calls.map((call) => turn.run(call, ({ amount }) => amount)));
  gate.stop();
  expect(ends).toEqual([1, 2, 3]);
});

test('of many calls that wait for the same rate, the one that waited longest comes again', async () => {
  const limits = 'Lookup: { ratePerSecond: 8, burst: 1, maxConcurrent: 50 }';
  const gate = createTestGate({ policy: `${GUARDED_POLICY}guardrails: { tools: { ${limits} } }\n` });
  const options = gate.clientOptions('coder');
  const came = new Set<string>();
  const ran: number[] = [];
  let redeems = 0;
  const redeem: Redeemer['redeem'] = async (request) => {
    redeems++;
    const answer = await (options.redeemer as Redeemer).redeem(request);
    // On a slow machine a call may be admitted as it comes, and waits behind none.
    if (!answer.granted) came.add(String(request.proposalId));
    return answer;
  };
  const guard = new CountersignClient({ ...options, redeemer: { redeem } }).guard({ run: 'r' });
  const givenUp = new AbortController();
  const calls = Array.from({ length: 16 }, (_, number) => ({ callId: `${number}`, tool: 'Lookup', input: { number } }));
  const ends = calls.map((call, number) =>
    guard.run(call, () => ran.push(number), number === 15 ? { signal: givenUp.signal } : {}),
  );
  setTimeout(() => givenUp.abort(new Error('given up')), 500);
  await Promise.allSettled(ends);
  gate.stop();
  const order = [...came].map((proposalId) => Number(proposalId.split(':')[1]));
  expect(ran.filter((number) => order.includes(number))).toEqual(order.filter((number) => ran.includes(number)));
  expect(ran.length).toBeGreaterThanOrEqual(15);
  expect(redeems).toBeLessThan(4 * calls.length);
});

/** Holds the only slot of a tool until it is released. */
function holding(run: (tool: () => Promise<string>) => Promise<unknown>) {
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const ended = run(() => {
    begun.resolve();
    return release.promise;
  });
  return { ended, begun: begun.promise, release: () => release.resolve('done') };
}

test('calls of a wrapped tool wait for each other, too', async () => {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  const lookup = new CountersignClient(gate.clientOptions('coder')).gate('Lookup', ({ id }: { id: number }) => id);
  const ends = await Promise.all([lookup({ id: 1 }), lookup({ id: 2 }), lookup({ id: 3 })]);
  gate.stop();
  expect(ends).toEqual([1, 2, 3]);
});

test.each([
  ['a guard', 'guard'],
  ['a wrapped tool', 'gate'],
] as const)('the time of a call of %s ends its wait for a busy tool, and its approval holds', async (_, way) => {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  const client = new CountersignClient(gate.clientOptions('coder'));
  const ran: string[] = [];
  const called = (id: string, tool: () => unknown, options = {}) =>
    way === 'guard'
      ? client.guard({ run: 'r' }).run({ callId: id, tool: 'Lookup', input: {} }, tool, options)
      : client.gate('Lookup', tool)({}, { ...options, id });
  const first = holding((tool) => called('a', tool));
  await first.begun;
  const late = called('b', () => ran.push('b'), { timeout: 700 });
  await expect(late).rejects.toMatchObject({ code: 'ConcurrencyLimited', effect: 'not-started' });
  // A program that names its calls is told the id.
  await expect(late).rejects.toThrow(way === 'gate' ? 'call again under the same id, b.' : /Try again in \d+ ms\.$/);
  first.release();
  await first.ended;
  await called('b', () => ran.push('again'));
  gate.stop();
  expect(ran).toEqual(['again']);
});

test('a call that waits for a busy tool ends with its client, and does not run', async () => {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  const client = new CountersignClient(gate.clientOptions('coder'));
  const guard = client.guard({ run: 'r' });
  const first = holding((tool) => guard.run({ callId: 'a', tool: 'Lookup', input: {} }, tool));
  await first.begun;
  const ran: string[] = [];
  const second = guard.run({ callId: 'b', tool: 'Lookup', input: {} }, () => ran.push('b'));
  const ended = expect(second).rejects.toMatchObject({ code: 'client_closed' });
  await new Promise((resolve) => setTimeout(resolve, 400));
  await client[Symbol.asyncDispose]();
  first.release();
  await ended;
  gate.stop();
  expect([await first.ended, ran]).toEqual(['done', []]);
});

/** Interprets cases of the guardrails: rate limits, concurrency caps, budgets. */
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { rateLimitedError } from '../../../shared/guardrails/limits/limit-errors.ts';
import { type NamedBucket, RateLimiter } from '../../../shared/guardrails/limits/rate-limit.ts';
import type { Attempt, GuardedResult } from '../../../shared/guardrails/settings/call.ts';
import { asGuardrailError } from '../../../shared/guardrails/settings/errors.ts';
import { budgetKey } from '../../../shared/guardrails/settings/keys.ts';
import type { GuardrailState } from '../../../shared/ports/stores/guardrail-state.ts';
import { FakeRuntime } from '../../unit/guardrails/fake-runtime.ts';
import type { World } from '../../unit/guardrails/harness.ts';
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { duration, type Given, settingsOf, shownError } from './guardrails-given.ts';
import { ok, providerOf } from './guardrails-provider.ts';
import { countingTokens, noteError, splitLast, WIDE, world } from './guardrails-world.ts';
import { wantsList } from './matching.ts';
import { Uninterpretable } from './uninterpretable.ts';

export async function ratelimit(given: Given, expected: Fields): Promise<Fields> {
  if (given.has('denied_once') || given.has('provider_response')) return throttledCall(given, expected);
  const runtime = new FakeRuntime();
  const limiter = new RateLimiter(countingTokens(memoryGuardrailState(runtime.now).rate), runtime);
  const noHint = given.has('limiter');
  if (noHint && !/no hint/.test(given.text('limiter'))) throw new Uninterpretable(`limiter ${given.text('limiter')}`);
  const shared = settingsOf(given);
  const bucket = (limit: unknown, id: string, scope: NamedBucket['scope']): NamedBucket => {
    const stated: Fields = isFields(limit) ? limit : {};
    const ratePerSecond = Number(stated['rate_per_s'] ?? shared['ratePerSecond'] ?? 10);
    const burst = Number(stated['burst'] ?? shared['burst'] ?? Math.max(1, Math.ceil(ratePerSecond)));
    return { key: `${scope}:${id}`, id, scope, ratePerSecond, burst: noHint ? 0 : burst };
  };
  const [toolLimit, providerLimit] = [given.get('tool_limit'), given.get('provider_limit')];
  const limits = toolLimitsOf(given.get('tools'));
  const bucketsOf = (tool: string, provider: string): NamedBucket[] => [
    bucket(limits.get(tool) ?? toolLimit, tool, 'tool'),
    ...(providerLimit === undefined ? [] : [bucket(providerLimit, provider, 'provider')]),
  ];
  const calls = callsOf(given);
  const stub = given.has('provider') ? providerOf(given.text('provider')) : ok;
  const admitted: (string | number)[] = [];
  const denied: (string | number)[] = [];
  const got: Fields = {};
  const startedAt = runtime.now();
  for (const { name, provider, atMs } of calls) {
    await runtime.advance(Math.max(0, startedAt + (atMs ?? 0) - runtime.now()));
    const refusal = await limiter.take(bucketsOf(name ?? 't', provider));
    (refusal ? denied : admitted).push(name ?? atMs ?? 0);
    if (!refusal) {
      // The next call comes when the case says, whether or not this one has ended.
      void stub({} as Attempt, runtime).catch((error) => noteError(shownError(asGuardrailError(error))));
      continue;
    }
    const error = shownError(rateLimitedError(refusal));
    noteError(error);
    Object.assign(got, { error, scope: refusal.scope, retry_after_ms: error?.['retryAfterMs'] });
    got['retry_after_absent'] = error?.['retryAfterMs'] === undefined;
  }
  const named = calls.every(({ name }) => name !== undefined);
  const shown = (key: string, list: readonly unknown[]) =>
    wantsList(expected, key) || (named && typeof expected[key] !== 'number') ? list : list.length;
  const [toolBucket, providerBucket] = bucketsOf(calls[0]?.name ?? 't', calls[0]?.provider ?? 'p');
  return {
    ...got,
    admitted: shown('admitted', admitted),
    denied: shown('denied', denied),
    provider_calls: admitted.length,
    admitted_count: admitted.length,
    denied_count: denied.length,
    admitted_at: admitted,
    tool_tokens_left: toolBucket && limiter.peek(toolBucket),
    provider_tokens_left: providerBucket && limiter.peek(providerBucket),
  };
}

/** `tools`: names, or limits by name. */
function toolLimitsOf(stated: unknown): ReadonlyMap<string, unknown> {
  if (isFields(stated)) {
    for (const [name, limit] of Object.entries(stated))
      if (!isFields(limit)) throw new Uninterpretable(`the limit of ${name}`);
    return new Map(Object.entries(stated));
  }
  return new Map((Array.isArray(stated) ? stated : []).map((name) => [String(name), undefined]));
}

interface Call {
  readonly name?: string;
  readonly provider: string;
  readonly atMs?: number;
}

function callsOf(given: Given): Call[] {
  if (given.has('calls_at_ms')) return given.list('calls_at_ms').map((at) => ({ provider: 'p', atMs: Number(at) }));
  const shared = given.get('same_provider');
  const stated = given.has('calls') ? given.get('calls') : [undefined];
  const calls = Array.isArray(stated) ? stated : Array.from({ length: Number(stated) }, () => undefined);
  return calls.map((call) => {
    if (call === undefined) return { provider: 'p' };
    if (Array.isArray(call)) return { name: String(call[0]), provider: String(call[1]) };
    const [, tool, provider] = /^(\S+)(?:\s+on\s+|@)(\S+)$/.exec(String(call)) ?? [];
    if (tool !== undefined && provider !== undefined) return { name: tool, provider };
    const own = shared === false ? `provider of ${String(call)}` : 'p';
    const [origin, name] = String(call).includes('::') ? splitLast(String(call)) : [own, String(call)];
    return { name, provider: origin };
  });
}

/** A refusal seen from outside: the event of the limiter's, or what a provider's 429 does to the calls after it. */
async function throttledCall(given: Given, expected: Fields): Promise<Fields> {
  const response = given.has('provider_response') ? given.text('provider_response') : undefined;
  const once = given.get('denied_once') === true;
  const behaviour = providerOf(response ? `${response} then ok` : 'ok');
  const environment = { ...(once ? { ratePerSecond: 1, burst: 1 } : WIDE), ...settingsOf(given) };
  const w = world({ environment, behaviour });
  const shown = (result: GuardedResult): Fields => ({ ...result, error: shownError(result.error) });
  if (given.has('calls_at_ms')) return throttledCalls(given.list('calls_at_ms').map(Number), w, expected);
  const first = await w.invoke();
  const next = await w.invoke();
  const waitMs = response ? duration(/retry-after (\S+)/.exec(response)?.[1] ?? '0') : 0;
  await w.runtime.advance(waitMs);
  const after = await w.invoke();
  const events = w.named('RateLimited').slice(0, 1);
  return {
    first: shown(first),
    ...shown(once ? next : first),
    retry_after_absent: (once ? next : first).error?.details['retryAfterMs'] === undefined,
    [`next_call_within_${waitMs / 1000}s`]: shown(next),
    [`next_call_after_${waitMs / 1000}s`]: shown(after),
    events: events.map(({ name, detail }) => ({ name, ...detail })),
  };
}

/** Calls at their times. One that reaches the provider is admitted, whatever the provider says. */
async function throttledCalls(times: readonly number[], w: World, expected: Fields): Promise<Fields> {
  const startedAt = w.runtime.now();
  const admitted: number[] = [];
  const denied: number[] = [];
  let last: GuardedResult | undefined;
  for (const at of times) {
    await w.runtime.advance(Math.max(0, startedAt + at - w.runtime.now()));
    const before = w.calls.length;
    last = await w.invoke();
    (w.calls.length > before ? admitted : denied).push(at);
  }
  const shown = (key: string, list: readonly number[]) => (wantsList(expected, key) ? list : list.length);
  return {
    ...last,
    error: shownError(last?.error),
    retry_after_absent: last?.error?.details['retryAfterMs'] === undefined,
    admitted: shown('admitted', admitted),
    denied: shown('denied', denied),
    admitted_at: admitted,
    provider_calls: w.calls.length,
    events: w.named('RateLimited').map(({ name, detail }) => ({ name, ...detail })),
  };
}

export async function concurrency(given: Given): Promise<Fields> {
  const queue = given.get('queue');
  const holderMs = given.number('holder_ms', 0);
  const timeoutMs = given.number('timeout_ms', 0);
  const providerCap = given.get('provider_cap');
  const settings = settingsOf(given);
  const [first, then] = [given.text('first'), given.text('then')];
  const stub = given.has('provider') ? providerOf(given.text('provider')) : ok;
  const waiters = waitersOf(given);
  const started: string[] = [];
  let [inFlight, most] = [0, 0];
  const w = world({
    environment: {
      ...WIDE,
      maxConcurrent: 1,
      ...settings,
      timeoutMs: Math.max(timeoutMs, holderMs + 1, 1000),
      ...(queue === 0 || typeof queue === 'number' ? { maxQueue: queue } : {}),
    },
    ...(typeof providerCap === 'number' ? { config: { providers: { local: { maxConcurrent: providerCap } } } } : {}),
    behaviour: async (attempt, runtime) => {
      const { id, act, ms } = attempt.input as { id: string; act?: string; ms?: number };
      started.push(id);
      most = Math.max(most, ++inFlight);
      try {
        await runtime.sleep(ms ?? 10);
        if (act === 'raises') throw new Error('raised');
        return await (act ? providerOf(act) : stub)(attempt, runtime);
      } finally {
        inFlight--;
      }
    },
  });
  const caller = new AbortController();
  const invoke = (agentId: string, input: Fields, limits = {}, signal?: AbortSignal) =>
    w.guardrails.invoke({ toolName: 't', input, agentId, limits, ...(signal ? { signal } : {}) });
  const errorsOf = (results: readonly GuardedResult[]) =>
    results.flatMap(({ error }) => (error ? [shownError(error)] : []));

  if (first) {
    const cancelled = /cancel/.test(first);
    const timesOut = /time/.test(first);
    if (then !== 'call') throw new Uninterpretable(`then ${then}`);
    const act = cancelled || timesOut ? { act: 'hangs' } : { act: first };
    // Read before the tool runs: the guardrails would take our protest for its fault.
    providerOf(act.act);
    const one = invoke('a1', { id: 'first', ...act }, timesOut ? { timeoutMs: 100 } : {}, caller.signal);
    await w.runtime.advance(20);
    if (cancelled) caller.abort();
    const firstResult = await w.runtime.run(one);
    const second = await w.runtime.run(invoke('a2', { id: 'second' }));
    return { first_status: firstResult.status, second_status: second.status, second_error: shownError(second.error) };
  }
  if (holderMs > 0 && waiters) {
    const holder = invoke('holder', { id: 'holder', ms: holderMs });
    await w.runtime.advance(1);
    const results = await w.runtime.run(
      Promise.all([holder, ...waiters.map(({ agent, id }) => invoke(agent, { id }))]),
    );
    return { start_order: started.slice(1), errors: errorsOf(results), max_in_flight: most };
  }
  if (holderMs > 0) {
    const holder = invoke('a1', { id: 'holder', ms: holderMs });
    const queued = invoke('a2', { id: 'queued', ms: 0 }, timeoutMs > 0 ? { timeoutMs } : {});
    const [held, waited] = await w.runtime.run(Promise.all([holder, queued]));
    const error = shownError(waited.error);
    const statuses = { holder_status: held.status, first_status: held.status, queued_status: waited.status };
    return {
      ...statuses,
      second_status: waited.status,
      queued_error: error,
      second_error: error,
      start_order: started,
      errors: errorsOf([held, waited]),
    };
  }
  const parallel = given.number('parallel_calls', 0);
  const wishes = waiters ?? Array.from({ length: parallel }, (_, i) => ({ agent: `a${i}`, id: `call${i}` }));
  if (wishes.length === 0) throw new Uninterpretable('no calls');
  const all = wishes.map(({ agent, id }) => invoke(agent, { id }));
  const results = await w.runtime.run(Promise.all(all));
  const okCount = results.filter(({ status }) => status === 'Ok').length;
  return { max_in_flight: most, errors: errorsOf(results), start_order: started, completed: okCount, ok: okCount };
}

/** The waiting calls, in order of arrival: `a1` is a call of agent a; pairs and objects name both. */
function waitersOf(given: Given): { agent: string; id: string }[] | undefined {
  const order = given.get('submit_order');
  const all = listedWaiters(given);
  if (order === undefined) return all;
  // A list of names: of calls, or of agents whose next call it is.
  const left = [...(all ?? [])];
  const ordered = (Array.isArray(order) ? order : []).map((name) => {
    const index = left.findIndex(({ agent, id }) => id === String(name) || agent === String(name));
    const [next] = left.splice(index, index < 0 ? 0 : 1);
    if (!next) throw new Uninterpretable(`submit_order ${String(name)}`);
    return next;
  });
  if (left.length) throw new Uninterpretable(`submit_order leaves out ${left.map(({ id }) => id).join(', ')}`);
  return ordered;
}

function listedWaiters(given: Given): { agent: string; id: string }[] | undefined {
  const [key] = given.unreadOf('agents', 'waiting', 'waiters', 'arrivals', 'queued', 'calls');
  if (key === undefined) return undefined;
  const value = given.get(key);
  if (!Array.isArray(value)) {
    if (!isFields(value)) return undefined;
    return Object.entries(value).flatMap(([agent, calls]) => {
      if (Array.isArray(calls)) return calls.map((id) => ({ agent, id: String(id) }));
      if (!Number.isSafeInteger(calls)) throw new Uninterpretable(`the calls of ${agent}`);
      return Array.from({ length: Number(calls) }, (_, i) => ({ agent, id: `${agent}${i + 1}` }));
    });
  }
  return value.map((item) => {
    if (Array.isArray(item)) return { agent: String(item[0]), id: String(item[1]) };
    if (isFields(item)) return { agent: String(item['agent']), id: String(item['id'] ?? item['call'] ?? item['name']) };
    return { agent: /^[A-Za-z]+/.exec(String(item))?.[0] ?? String(item), id: String(item) };
  });
}

const SCOPES: Readonly<Record<string, string>> = { agent: 'agent:a1', role: 'role:r', env: 'environment:test' };

export async function budget(given: Given): Promise<Fields> {
  const calls = given.number('calls', 1);
  const limits: Fields = {};
  const seconds = given.number('time_budget_s_per_min', Number.NaN);
  if (!Number.isNaN(seconds)) limits['timeMsPerMinute'] = seconds * 1000;
  for (const key of given.unreadOf('cost_budget_per_day', 'cost_per_day', 'max_units'))
    limits['costPerDay'] = given.number(key, 0);
  if (given.has('budget') && given.get('budget') !== null) limits['costPerDay'] = given.number('budget', 0);
  const used = given.get(given.has('used_s') ? 'used_s' : 'used');
  if (used !== undefined && Object.keys(limits).length === 0) limits['costPerDay'] = 100;
  const scoped = Object.entries(SCOPES).map(([name, id]) => [name, id, given.get(`${name}_budget`)] as const);
  const cost = given.unreadOf('cost', 'call_cost', 'cost_per_call').map((key) => given.number(key, 0))[0];
  const [takesMs] = given
    .unreadOf('call_s', 'each_s', 'takes_s', 'duration_s')
    .map((key) => given.number(key, 0) * 1000);
  const provider = given.has('provider') ? providerOf(given.text('provider')) : ok;
  const stated = scoped.filter(([, , word]) => word !== undefined);
  for (const [name, , word] of stated)
    if (word !== 'free' && word !== 'exhausted') throw new Uninterpretable(`${name}_budget ${String(word)}`);

  const of = (name: string) => {
    const word = scoped.find(([scope]) => scope === name)?.[2];
    if (word !== undefined) return { budget: { timeMsPerMinute: 10_000 } };
    return name === 'agent' && Object.keys(limits).length > 0 ? { budget: limits } : {};
  };
  const w = world({
    environment: { ...WIDE, ...(cost === undefined ? {} : { costPerCall: cost }), ...of('env') },
    config: { roles: { r: of('role') }, agents: { a1: { roles: ['r'], ...of('agent') } } },
    behaviour: async (attempt, runtime) => {
      if (takesMs) await runtime.sleep(takesMs);
      return provider(attempt, runtime);
    },
  });
  for (const [, id, word] of stated) if (word === 'exhausted') await charge(w.state, id, 'time', 10_000);
  if (used !== undefined) {
    const isTime = limits['timeMsPerMinute'] !== undefined;
    const unit = isTime ? 1000 : 1e6;
    const whole = isTime ? Number(limits['timeMsPerMinute']) : Number(limits['costPerDay']) * 1e6;
    await charge(w.state, 'agent:a1', isTime ? 'time' : 'cost', used === 'exhausted' ? whole : Number(used) * unit);
  }
  await w.runtime.advance(given.number('advance_s', 0) * 1000);
  const fallback = fallbackOf(given);
  let last: GuardedResult | undefined;
  for (let i = 0; i < calls; i++) last = await w.invoke(fallback ? { fallback: async () => fallback.value } : {});
  return {
    ...last,
    admitted: given.has('calls') ? w.calls.length : w.calls.length > 0,
    denied: calls - w.calls.length,
    error: shownError(last?.error),
    degraded: last?.degraded ?? false,
  };
}

/** The call's graceful degradation: `degrade: { fallback: value }`, or the value itself. */
export function fallbackOf(given: Given): { readonly value: unknown } | undefined {
  if (given.has('fallback')) return { value: whole(given.get('fallback')) };
  if (!given.has('degrade')) return undefined;
  const stated = given.get('degrade');
  if (!isFields(stated) || !Object.hasOwn(stated, 'fallback')) throw new Uninterpretable('degrade');
  return { value: whole(stated['fallback']) };
}

async function charge(state: GuardrailState, id: string, kind: 'time' | 'cost', amount: number): Promise<void> {
  const [key, windowMs] = [budgetKey(id, kind), kind === 'time' ? 60_000 : 86_400_000];
  // A budget that is nearly used up is not used up; the detour drops the noise of binary fractions.
  const whole = Math.floor(Number(amount.toPrecision(15)));
  const request = { key, limit: 1e15, windowMs, reservationId: 'earlier', amount: whole, atLeast: whole };
  const decision = await state.budgets.reserve(request);
  if (decision.reserved) await state.budgets.closeReservation(decision.reservation, whole);
}

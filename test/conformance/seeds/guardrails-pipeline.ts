/** Interprets cases of the guardrails: what a call tells about itself, and which stage speaks first. */
import type { MaybePromise } from '../../../shared/domain/maybe-promise.ts';
import { CIRCUIT_GAUGE, CLOSED } from '../../../shared/guardrails/limits/circuit-breaker.ts';
import { GuardrailMetrics } from '../../../shared/guardrails/metrics.ts';
import { executionError } from '../../../shared/guardrails/settings/errors.ts';
import {
  budgetKey,
  circuitKey,
  providerRateKey,
  toolRateKey,
  toolSlotsKey,
} from '../../../shared/guardrails/settings/keys.ts';
import type { GuardrailEvent } from '../../../shared/ports/guardrail-events.ts';
import type { CircuitState } from '../../../shared/ports/stores/guardrail-state.ts';
import type { ToolBehaviour, World, WorldOptions } from '../../unit/guardrails/harness.ts';
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { type Given, settingsOf, shownError } from './guardrails-given.ts';
import { fallbackOf } from './guardrails-limits.ts';
import { isKindOfError, ok, providerOf } from './guardrails-provider.ts';
import { world } from './guardrails-world.ts';
import { Uninterpretable } from './uninterpretable.ts';

const TOOL = { origin: 'local', toolName: 't' };
const DAY_MS = 86_400_000;

/** Puts a world into the state in which one stage refuses. */
const REFUSING: Readonly<Record<string, (w: World) => MaybePromise<unknown>>> = {
  budget: async ({ state }) => {
    const key = budgetKey('environment:test', 'cost');
    const whole = { limit: 100e6, windowMs: DAY_MS, amount: 100e6, atLeast: 1 };
    await state.budgets.reserve({ key, ...whole, reservationId: 'earlier' });
  },
  circuit: ({ state, runtime }) =>
    state.circuits.save(circuitKey(TOOL), { ...CLOSED, state: 'open', probeAt: runtime.now() + 60_000 }, 0),
  rate: ({ state }) => state.rate.take({ key: toolRateKey(TOOL, ''), ratePerSecond: 0.01, burst: 1 }),
  concurrency: ({ state }) =>
    state.slots.acquire({ key: toolSlotsKey(TOOL, ''), limit: 1, agent: 'other', holder: 'other', leaseMs: 1e6 }),
};
const NARROW = { ratePerSecond: 0.01, burst: 1, maxConcurrent: 1, budget: { costPerDay: 100 }, costPerCall: 1 };
const WORDS: Readonly<Record<string, RegExp>> = {
  budget: /budget/,
  circuit: /circuit/,
  rate: /rate|limiter/,
  concurrency: /concurren|slot/,
};

async function pipelineWorld(refusing: readonly string[], options: WorldOptions): Promise<World> {
  const w = world({ environment: NARROW, ...options });
  for (const stage of refusing) await REFUSING[stage]?.(w);
  return w;
}

/** Whether a stage is expected to fail. Words that mean neither make the case fail. */
function isBad(given: Given, key: string, bad: RegExp): boolean {
  const value = given.get(key);
  if (value === undefined || value === true || /^(valid|ok|free|closed|full bucket|passes)$/.test(String(value)))
    return false;
  if (value !== false && !bad.test(String(value))) throw new Uninterpretable(`${key} ${String(value)}`);
  return true;
}

const refusingOf = (given: Given): string[] => [
  ...(isBad(given, 'budget', /exhaust|used|exceed|empty/) ? ['budget'] : []),
  ...(isBad(given, 'circuit', /^open/) ? ['circuit'] : []),
  ...(isBad(given, 'rate', /empty|exhaust|limited/) ? ['rate'] : []),
  ...(isBad(given, 'concurrency', /full|exhaust|busy|limited/) ? ['concurrency'] : []),
];

export async function pipeline(given: Given): Promise<Fields> {
  const authorized = given.get('authorized') !== false;
  const refusing = refusingOf(given);
  const badInput = isBad(given, 'input', /invalid/);
  const badOutput = isBad(given, 'output', /invalid/);
  const unknownTool = ['tool', 'resolve', 'resolved'].some((key) =>
    isBad(given, key, /unknown|missing|not.?found|fail|never/),
  );
  const words = given.has('provider') ? given.text('provider') : 'ok';
  const w = await pipelineWorld(refusing, {
    behaviour: providerOf(words),
    binding: {
      ...(badInput ? { validateInput: () => 'is invalid' } : {}),
      ...(badOutput ? { validateOutput: () => 'is invalid' } : {}),
    },
    deps: { authorize: async () => (authorized ? undefined : 'not authorized') },
  });
  const bucket = { key: toolRateKey(TOOL, ''), ratePerSecond: 0.01, burst: 1 };
  const spent = () => w.state.budgets.spent(budgetKey('environment:test', 'cost'), DAY_MS);
  const before = { tokens: w.state.rate.peek(bucket) ?? 0, spent: await spent() };
  const fallback = fallbackOf(given);
  const result = await w.invoke({
    toolName: unknownTool ? 'nobody' : 't',
    ...(fallback ? { fallback: async () => fallback.value } : {}),
  });
  return {
    ...result,
    error: shownError(result.error),
    degraded: result.degraded ?? false,
    provider_called: w.calls.length > 0,
    provider_calls: w.calls.length,
    rate_tokens_consumed: before.tokens - (w.state.rate.peek(bucket) ?? 0),
    budget_consumed: ((await spent()) - before.spent) / 1e6,
    slots_in_use: await w.state.slots.inUse(toolSlotsKey(TOOL, '')),
    PolicyApplied_count: w.named('PolicyApplied').length,
    provider_bucket: w.state.rate.peek({ key: providerRateKey('local'), burst: 1 }),
  };
}

export async function observability(given: Given, expected: Fields): Promise<Fields> {
  if (given.has('latencies_ms')) return latencies(given);
  if (given.has('calls') || given.has('errors')) return series(given);
  if (given.has('states')) {
    const states = given.list('states').map((state) => CIRCUIT_GAUGE[state as CircuitState] ?? null);
    return { circuit_state_gauge: states };
  }
  if (given.has('in_flight')) return inUse(given);
  const isCall = given.has('call') || given.has('error');
  if ((given.has('burst') && !isCall) || given.has('tokens_left')) return saturation(given);
  return oneCall(given, expected);
}

function latencies(given: Given): Fields {
  const metrics = new GuardrailMetrics();
  const [tool, origin] = [given.text('tool', 'x'), given.text('origin', 'local')];
  for (const ms of given.list('latencies_ms')) metrics.record({ tool, origin, durationMs: Number(ms), attempts: 1 });
  return { ...metrics.snapshot()[0] };
}

/** Calls by tool and origin, or counts of good and bad ones. */
function series(given: Given): Fields {
  const metrics = new GuardrailMetrics();
  const own = [given.text('tool', 'x'), given.text('origin', 'local')] as const;
  const record = (tool: string, origin: string, errorCode?: string) =>
    metrics.record({ tool, origin, durationMs: 1, attempts: 1, errorCode });
  const calls = given.get('calls');
  if (Array.isArray(calls)) {
    for (const call of calls) {
      const [tool, origin, outcome] = Array.isArray(call) ? call.map(String) : [String(call)];
      record(tool ?? own[0], origin ?? own[1], outcome === undefined || outcome === 'ok' ? undefined : 'ToolFailed');
    }
  } else {
    const counts: Fields = isFields(calls) ? calls : { total: calls };
    const bad = Number(
      counts['errors'] ?? counts['error'] ?? counts['fail'] ?? counts['failed'] ?? given.get('errors') ?? 0,
    );
    const good = Number(counts['ok'] ?? Number(counts['total'] ?? 0) - bad);
    if (!Number.isSafeInteger(good) || !Number.isSafeInteger(bad)) throw new Uninterpretable('calls');
    for (let i = 0; i < good; i++) record(...own);
    for (let i = 0; i < bad; i++) record(...own, 'ToolFailed');
  }
  const all = metrics.snapshot();
  return {
    series: all.map(({ tool, origin }) => [tool, origin]),
    error_rate: all[0]?.errorRate,
    tool_invocations_total: all.reduce((sum, one) => sum + one.invocations, 0),
    tool_errors_total: all.reduce((sum, one) => sum + one.errors, 0),
  };
}

async function inUse(given: Given): Promise<Fields> {
  const calls = given.number('in_flight', 0);
  const cap = settingsOf(given);
  const w = world({ environment: cap, behaviour: providerOf('sleeps 1000ms') });
  const running = Array.from({ length: calls }, () => w.guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' }));
  await w.runtime.advance(10);
  const held = w.guardrails.admission.slots.inUse(toolSlotsKey(TOOL, ''));
  await w.runtime.run(Promise.all(running));
  const limit = Number(cap['maxConcurrent'] ?? 1);
  return { concurrency_in_use: held, saturation: held / limit, concurrency_saturation: held / limit };
}

/** A bucket of which so much is gone. */
async function saturation(given: Given): Promise<Fields> {
  const { burst, ...others } = settingsOf(given);
  const capacity = Number(burst ?? 10);
  const gone = given.has('tokens_left')
    ? capacity - given.number('tokens_left', 0)
    : given.unreadOf('used', 'taken', 'consumed', 'calls').map((key) => given.number(key, 0))[0];
  if (gone === undefined) throw new Uninterpretable('saturation');
  const w = world({ environment: { ratePerSecond: 0.001, ...others, burst: capacity } });
  for (let i = 0; i < gone; i++) await w.invoke();
  const gauges = w.guardrails.gauges({ toolName: 't', origin: 'local', agentId: 'a1' });
  return { rate_limiter_saturation: gauges.rateLimiterSaturation };
}

/** Makes a call end with a code: a stage that refuses, a tool that fails, or a check before both. */
interface Ending {
  readonly stage?: string;
  readonly provider?: string;
  readonly fails?: ToolBehaviour;
  readonly toolName?: string;
  readonly binding?: WorldOptions['binding'];
  readonly deps?: WorldOptions['deps'];
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  BudgetExceeded: { stage: 'budget' },
  CircuitOpen: { stage: 'circuit' },
  RateLimited: { stage: 'rate' },
  ConcurrencyLimited: { stage: 'concurrency' },
  ToolNotFound: { toolName: 'nobody' },
  ValidationFailed: { binding: { validateInput: () => 'is invalid' } },
  InvalidOutput: { binding: { validateOutput: () => 'is invalid' } },
  NotAuthorized: { deps: { authorize: async () => 'not authorized' } },
  AuthError: { deps: { authorize: async () => 'not authorized' } },
  Timeout: { provider: 'hangs' },
};

/** An `error` that is none of these is the kind of the provider's own. */
const endingOf = (code: unknown): Ending =>
  code === undefined || code === null ? {} : (ENDINGS[String(code)] ?? { fails: coded(String(code)) });

/** A kind of error, or a tool's own code. */
function coded(code: string): ToolBehaviour {
  if (isKindOfError(code)) return providerOf(`fails with ${code}`);
  return () => Promise.reject(executionError('failed', { code }));
}

async function oneCall(given: Given, expected: Fields): Promise<Fields> {
  const words = given.text('call', 'ok');
  const attempts = given.number('attempts', 1);
  const ending = endingOf(given.get('error'));
  const stage = ending.stage ?? refusingOf(given)[0] ?? Object.keys(WORDS).find((name) => WORDS[name]?.test(words));
  const headers = whole(given.get('headers'));
  const input = given.has('input') ? whole(given.get('input')) : {};
  const correlationId = given.get('correlation_id');
  const seen: (GuardrailEvent | 'provider call')[] = [];
  const stub = given.has('provider') ? providerOf(given.text('provider')) : ok;
  const spoken = stage || words === 'ok' ? stub : providerOf(words);
  const provider = ending.fails ?? (ending.provider ? providerOf(ending.provider) : spoken);
  const options: WorldOptions = {
    environment: { ...(stage ? NARROW : { ratePerSecond: 1000 }), maxRetries: attempts - 1, ...settingsOf(given) },
    tool: { effect: attempts > 1 ? 'IdempotentWrite' : 'NonIdempotentWrite' },
    binding: ending.binding ?? {},
    behaviour: async (attempt, runtime) => {
      seen.push('provider call');
      if (attempt.number < attempts) throw executionError('again', { transient: true });
      return provider(attempt, runtime);
    },
    deps: { events: { emit: (event) => void seen.push(event) }, ...ending.deps },
  };
  const w = await pipelineWorld(stage ? [stage] : [], options);
  const result = await w.invoke({
    toolName: ending.toolName ?? 't',
    ...(isFields(headers) ? { headers } : {}),
    input,
    ...(typeof correlationId === 'string' ? { correlationId } : {}),
    ...(attempts > 1 ? { idempotencyKey: 'k' } : {}),
  });
  const events = seen.filter((one) => one !== 'provider call');
  const named = (name: string) => events.filter((event) => event.name === name);
  const names = ['PolicyApplied', 'ToolInvoked', 'ToolSucceeded', 'ToolFailed', 'RateLimited', 'CircuitOpen'];
  const counts = Object.fromEntries(names.map((name) => [`${name}_count`, named(name).length]));
  const byName = Object.fromEntries(events.map((event) => [event.name, flat(event)]));
  const details: Fields = Object.assign({}, ...events.map(({ detail }) => detail));
  const appliedAt = seen.findIndex((one) => one !== 'provider call' && one.name === 'PolicyApplied');
  const calledAt = seen.indexOf('provider call');
  const sameId = result.correlationId !== '' && events.every((event) => event.correlationId === result.correlationId);
  const metrics = w.guardrails.metrics.snapshot()[0];
  return {
    ...details,
    ...counts,
    ...byName,
    ...(events.length > 0 ? { event: flat(events.at(-1) as GuardrailEvent) } : {}),
    ...(result.error ? { error: shownError(result.error) } : {}),
    // Cases look up an error's code and cause by path in the event that tells of the end.
    ...(isFields(byName['ToolFailed'])
      ? { error: { ...shownError(result.error), ...fieldsIn(byName['ToolFailed']) } }
      : {}),
    status: result.status,
    attempts: result.attempts,
    provider_called: calledAt >= 0,
    before: appliedAt >= 0 && (calledAt < 0 || appliedAt < calledAt) ? 'provider call' : null,
    events: eventsAsked(expected['events'], events),
    events_text: JSON.stringify([events, { ...result, correlationId: '' }]),
    every_event: Object.assign({}, ...events.slice(0, 1)),
    ...(events.every((event) => event.eventVersion === 1) ? { eventVersion: 1, event_version: 1 } : {}),
    correlation_id: correlationOf(expected['correlation_id'], result.correlationId, sameId, correlationId),
    tool_retries_total: metrics?.retries,
    tool_invocations_total: metrics?.invocations,
    tool_errors_total: metrics?.errors,
    error_code: result.error?.code,
  };
}

const flat = ({ detail, ...event }: GuardrailEvent): Fields => ({ ...event, ...detail });
const fieldsIn = (failed: Fields): Fields => (isFields(failed['error']) ? failed['error'] : {});

/** Names, or where a case looks into events, those that it names with their fields. */
function eventsAsked(asked: unknown, events: readonly GuardrailEvent[]): unknown[] {
  const looked = Array.isArray(asked) ? asked.filter(isFields).map(({ name }) => name) : [];
  if (looked.length === 0) return events.map(({ name }) => name);
  return events.filter(({ name }) => looked.includes(name)).map(flat);
}

/** Words in place of an id stand for: there is one, the same in the result and in every event. */
function correlationOf(expected: unknown, id: string, isSame: boolean, stated: unknown): unknown {
  if (!isSame) return null;
  if (expected === 'same') return id === stated ? 'same' : id;
  return typeof expected === 'string' && /\s|generated|non-empty/.test(expected) ? expected : id;
}

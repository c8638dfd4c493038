/** Counts over a case of the guardrails: provider calls, tokens of limiters, errors in order. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { timeoutError } from '../../../shared/guardrails/limits/limit-errors.ts';
import type { GuardedResult } from '../../../shared/guardrails/settings/call.ts';
import { asGuardrailError } from '../../../shared/guardrails/settings/errors.ts';
import type { RateLimitStore } from '../../../shared/ports/stores/guardrail-state.ts';
import { FakeRuntime } from '../../unit/guardrails/fake-runtime.ts';
import {
  world as plainWorld,
  type ToolBehaviour,
  type World,
  type WorldOptions,
} from '../../unit/guardrails/harness.ts';
import type { Fields } from '../fields.ts';
import { shownError } from './guardrails-given.ts';

/** Limits that a case does not speak of must not get in its way. */
export const WIDE = { ratePerSecond: 100_000, burst: 100_000, maxConcurrent: 1000, maxQueue: 1000 };

/** Origin and name. */
export function splitLast(name: string): [string, string] {
  const at = name.lastIndexOf('::');
  return at < 0 ? ['local', name] : [name.slice(0, at), name.slice(at + 2)];
}

class Tally {
  calls = 0;
  tokens = 0;
  readonly errors: Fields[] = [];

  /** The errors of a call's attempts, the last of which is the call's own. */
  ended({ error, attempts, policySnapshot }: GuardedResult, thrown: ReadonlyMap<number, unknown>): void {
    const deadline = policySnapshot?.timeoutMs ?? 0;
    for (let number = 1; number < attempts; number++) {
      const stated = thrown.has(number)
        ? asGuardrailError(thrown.get(number))
        : timeoutError(deadline, deadline, 'unknown');
      this.note(shownError(stated));
    }
    if (error) this.note(shownError(error));
  }

  note(error: Fields | null): void {
    if (error) this.errors.push(error);
  }
}

const CASE = new AsyncLocalStorage<Tally>();

/** Runs a case and adds what was counted to its observations. */
export function counted(work: () => Promise<Fields>): Promise<Fields> {
  const tally = new Tally();
  return CASE.run(tally, async () => {
    const got = await work();
    const [first, last] = [tally.errors[0] ?? null, tally.errors.at(-1) ?? null];
    return {
      provider_calls: tally.calls,
      rate_tokens_consumed: tally.tokens,
      first_error: first,
      last_error: last,
      ...got,
    };
  });
}

/** A refusal outside of a guarded call. */
export const noteError = (error: Fields | null): void => CASE.getStore()?.note(error);

/** One token for each call that a tool's limiter let through. */
export function countingTokens(store: RateLimitStore): RateLimitStore {
  const tally = CASE.getStore();
  const count = (bucket: object, change: number) => {
    if (tally && 'scope' in bucket && bucket.scope === 'tool') tally.tokens += change;
  };
  return {
    take: async (bucket) => {
      const decision = await store.take(bucket);
      if (decision.admitted) count(bucket, 1);
      return decision;
    },
    refund: (bucket) => {
      count(bucket, -1);
      return store.refund(bucket);
    },
    book: store.book.bind(store),
    close: store.close.bind(store),
    peek: store.peek.bind(store),
  };
}

/** The world of guardrail tests, counted. */
export function world(options: WorldOptions = {}): World {
  const tally = CASE.getStore();
  const runtime = options.runtime ?? new FakeRuntime();
  const state = options.state ?? memoryGuardrailState(runtime.now);
  const thrown = new Map<string, Map<number, unknown>>();
  const behaviour: ToolBehaviour = async (attempt, clock) => {
    if (tally) tally.calls += 1;
    try {
      return options.behaviour ? await options.behaviour(attempt, clock) : 'done';
    } catch (error) {
      const ofCall = thrown.get(attempt.correlationId) ?? new Map<number, unknown>();
      thrown.set(attempt.correlationId, ofCall.set(attempt.number, error));
      throw error;
    }
  };
  const w = plainWorld({ ...options, behaviour, runtime, state: { ...state, rate: countingTokens(state.rate) } });
  const invoke = w.guardrails.invoke.bind(w.guardrails);
  w.guardrails.invoke = async (invocation) => {
    const result = await invoke(invocation);
    tally?.ended(result, thrown.get(result.correlationId) ?? new Map());
    return result;
  };
  return w;
}

/** Proposes calls for programs that speak HTTP, and tells how each of them stands. */
import { isDeepStrictEqual } from 'node:util';
import { DigestMismatchError, isNamed, isUndecided } from '../../client/calls/errors.ts';
import type { GuardedCall } from '../../client/calls/guarded-call.ts';
import type { CountersignClient } from '../../client/client.ts';
import { proposalIdOf } from '../../client/exchange/proposal-id.ts';
import type { RunGuard } from '../../client/guard.ts';
import type { CallRequest, CallState } from './messages.ts';
import { RequestError } from './problems.ts';

/** A gate that works has judged a call by then, unless its sender is over its rate. */
const DECISION_TIMEOUT_MS = 25_000;
/** The decision of a call that nobody is asked about stands in the row that says so. */
const READ_TIMEOUT_MS = 5_000;
/** Calls that the server remembers. A call that it forgot, or that another process proposed, is sent again under its id. */
const MAX_REMEMBERED = 1_000;

interface Remembered {
  readonly guard: RunGuard;
  readonly call: GuardedCall;
}

export class Calls {
  readonly #client: Pick<CountersignClient, 'guard'>;
  readonly #remembered = new Map<string, Remembered>();

  constructor(client: Pick<CountersignClient, 'guard'>) {
    this.#client = client;
  }

  /** Proposes the call, and resolves once the gate has judged it: decided, or people are asked. */
  async propose({ run, ...stated }: CallRequest, signal: AbortSignal): Promise<CallState> {
    const guard = this.#client.guard({ run, onAbort: 'leave' });
    const call = stated as GuardedCall;
    const id = proposalIdOf(run, call.callId);
    const before = this.#remembered.get(id);
    // A look at the call of this id means the first one.
    if (before && !isSameAction(before.call, call)) throw new DigestMismatchError(id);
    const [oldest] = this.#remembered.size >= MAX_REMEMBERED ? this.#remembered.keys() : [];
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(id, { guard, call });
    try {
      const asksPeople = await unlessWaiting(guard.asks(call, { signal, timeout: DECISION_TIMEOUT_MS }), signal);
      if (asksPeople === undefined) return { id, state: 'proposed' };
      return await this.#stateOf(id, asksPeople ? 0 : READ_TIMEOUT_MS, signal);
    } catch (error) {
      // Without a decision the call was sent, and can be withdrawn. Any other one may come again as another call.
      if (!before && !isNamed(error, 'NoDecisionError')) this.#remembered.delete(id);
      throw error;
    }
  }

  /** Waits for the decision at most so long, and resolves with the state of the call. */
  async look(id: string, waitMs: number, signal: AbortSignal): Promise<CallState> {
    return this.#stateOf(id, waitMs, signal);
  }

  /** Withdraws a call that nobody waits for any more. */
  async withdraw(id: string): Promise<void> {
    const { guard, call } = this.#known(id);
    await guard.withdraw(call);
  }

  #known(id: string): Remembered {
    const known = this.#remembered.get(id);
    if (known) return known;
    throw new RequestError(404, 'unknown_call', 'this process knows no such call: send it again, with the same ids');
  }

  async #stateOf(id: string, timeout: number, signal: AbortSignal): Promise<CallState> {
    const { guard, call } = this.#known(id);
    const decision = await unlessWaiting(guard.decide(call, { timeout, signal }), signal);
    if (decision) {
      const { proposalId: _, ...decided } = decision;
      return { id, state: 'decided', ...decided };
    }
    const isAsked = await unlessWaiting(guard.asks(call, { timeout: 0 }), signal);
    return { id, state: isAsked ? 'asked' : 'proposed' };
  }
}

const isSameAction = (one: GuardedCall, other: GuardedCall): boolean =>
  (['tool', 'input', 'cwd', 'starts'] as const).every((field) => isDeepStrictEqual(one[field], other[field]));

/** Undefined where the time of the wait is over, or the server or its caller stops. */
async function unlessWaiting<Value>(waited: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  try {
    return await waited;
  } catch (error) {
    if (isUndecided(error) || (signal.aborted && error === signal.reason)) return undefined;
    throw error;
  }
}

/** Ends the waits of a client that is disposed of. */
import { CountersignError } from '../../domain/errors.ts';
import { untilOuterEnds } from '../calls/outer-call.ts';
import { Lines } from './lines.ts';

/** The waits of one client that have not ended. */
export class OpenWaits {
  /** Calls that wait for a busy tool. */
  readonly lines = new Lines();
  readonly #closing = new AbortController();
  readonly #waits = new Set<Promise<unknown>>();
  /** How many wait for a proposal. */
  readonly #awaited = new Map<string, number>();

  /** @throws CountersignError once the client is closed */
  refuseIfClosed(): void {
    this.#closing.signal.throwIfAborted();
  }

  /** Aborts with the caller's signal, with the tool that the caller is part of, and when the client is closed. */
  until(signal: AbortSignal | undefined): AbortSignal {
    const own = untilOuterEnds(signal);
    return own ? AbortSignal.any([own, this.#closing.signal]) : this.#closing.signal;
  }

  /** Whether a wait of this client for the proposal has not ended. */
  isAwaited(proposalId: string): boolean {
    return this.#awaited.has(proposalId);
  }

  /** Counts the wait for the proposal until it ends. */
  async on<Value>(proposalId: string, waiting: Promise<Value>): Promise<Value> {
    this.#awaited.set(proposalId, (this.#awaited.get(proposalId) ?? 0) + 1);
    try {
      return await waiting;
    } finally {
      const others = (this.#awaited.get(proposalId) ?? 1) - 1;
      if (others) this.#awaited.set(proposalId, others);
      else this.#awaited.delete(proposalId);
    }
  }

  /** `close` lets this one come to its end. */
  async keep<Value>(waiting: Promise<Value>): Promise<Value> {
    this.#waits.add(waiting);
    try {
      return await waiting;
    } finally {
      this.#waits.delete(waiting);
    }
  }

  /** Resolves once every wait has ended, with whatever it does at its end. */
  async close(): Promise<void> {
    this.#closing.abort(new CountersignError('client_closed', 'the client was disposed of: make another one'));
    await Promise.allSettled(this.#waits);
  }
}

/**
 * Breaks the circuit of a failing tool, over shared state.
 *
 * Every change is a compare-and-set, so each transition happens, and is told, once.
 */
import { andThen, type MaybePromise } from '../../domain/maybe-promise.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { CircuitRow, CircuitState, CircuitStore } from '../../ports/stores/guardrail-state.ts';
import {
  admitCall,
  type CircuitResult,
  type CircuitSettings,
  type CircuitTicket,
  CLOSED,
  closedTicket,
  recordResult,
} from './circuit-breaker.ts';

/** Writers of one circuit that collide; each round at least one of them gets through. */
const MAX_TRIES = 12;

export type CircuitEntry =
  | { readonly admitted: true; readonly ticket: CircuitTicket; readonly entered?: CircuitState }
  | { readonly admitted: false; readonly state: 'open' | 'half-open'; readonly retryAfterMs: number };

export interface SeenCircuit {
  readonly row: CircuitRow;
  readonly version: number;
}

const NO_ROW: SeenCircuit = { row: CLOSED, version: 0 };

export class CircuitBreaker {
  readonly #store: CircuitStore;
  readonly #runtime: GuardrailRuntime;
  /** Circuits that this process last saw with failures: there a success has something to reset, whatever its call saw. */
  readonly #failing = new Set<string>();

  constructor(store: CircuitStore, runtime: GuardrailRuntime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  load(key: string): MaybePromise<SeenCircuit> {
    return andThen(this.#store.load(key), (seen = NO_ROW) => {
      this.#remember(key, seen.row);
      return seen;
    });
  }

  /**
   * `probeLeaseMs`: longer than the call may take, or a live probe would lose its say. `seen`: what was read a moment
   * ago, so that it need not be read again; whatever must be written still is written over that version only.
   */
  admit(key: string, settings: CircuitSettings, probeLeaseMs: number, seen?: SeenCircuit): MaybePromise<CircuitEntry> {
    // A closed circuit admits without a write.
    if (seen?.row.state === 'closed') return { admitted: true, ticket: closedTicket(seen.row, settings) };
    return this.#admitOrProbe(key, settings, probeLeaseMs, seen);
  }

  async #admitOrProbe(
    key: string,
    settings: CircuitSettings,
    probeLeaseMs: number,
    seen?: SeenCircuit,
  ): Promise<CircuitEntry> {
    const probe = { id: this.#runtime.newId(), leaseMs: probeLeaseMs };
    for (let tried = 1; tried <= MAX_TRIES; tried++) {
      const { row, version } = (tried === 1 ? seen : undefined) ?? (await this.load(key));
      const admission = admitCall(row, settings, this.#runtime.now(), probe);
      if (!admission.admitted) return admission;
      if (admission.row === row) return { admitted: true, ticket: admission.ticket };
      if (await this.#store.save(key, admission.row, version)) {
        const moved = admission.row.state !== row.state;
        return { admitted: true, ticket: admission.ticket, ...(moved ? { entered: admission.row.state } : {}) };
      }
      await this.#pause(tried);
    }
    // Everybody wants to probe at once: to be refused is the safe side.
    return { admitted: false, state: 'half-open', retryAfterMs: probeLeaseMs };
  }

  /** The state that this result moved the circuit to, if it did. */
  report(
    key: string,
    settings: CircuitSettings,
    ticket: CircuitTicket,
    result: CircuitResult,
  ): MaybePromise<CircuitState | undefined> {
    if (result === 'neutral' && ticket.probeId === undefined) return undefined;
    if (result === 'success' && ticket.clean && !this.#failing.has(key)) return undefined;
    return this.#write(key, settings, ticket, result);
  }

  async #write(
    key: string,
    settings: CircuitSettings,
    ticket: CircuitTicket,
    result: CircuitResult,
  ): Promise<CircuitState | undefined> {
    for (let tried = 1; tried <= MAX_TRIES; tried++) {
      const { row, version } = await this.load(key);
      const next = recordResult(row, settings, this.#runtime.now(), ticket, result);
      if (next === row) return undefined;
      if (await this.#store.save(key, next, version)) {
        this.#remember(key, next);
        return next.state === row.state ? undefined : next.state;
      }
      await this.#pause(tried);
    }
    // A lost result is one of many in a storm; a lost probe is freed by its lease.
    return undefined;
  }

  #remember(key: string, { failures }: CircuitRow): void {
    if (failures === 0) this.#failing.delete(key);
    else this.#failing.add(key);
  }

  #pause(tried: number): Promise<void> {
    return this.#runtime.sleep(this.#runtime.random() * Math.min(100, 5 * 2 ** tried));
  }
}

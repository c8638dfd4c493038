/**
 * Admits an attempt by budget, circuit, rate (tool, then provider) and concurrency, in this order.
 *
 * The first refusal decides, and everything taken before it goes back in reverse.
 */
import type { Ending } from '../ports/ending.ts';
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { CircuitState, GuardrailState, SlotLease } from '../ports/stores/guardrail-state.ts';
import { BudgetKeeper, type BudgetLevel, type BudgetUse, type NamedReservation } from './budget.ts';
import { CircuitBreaker, type SeenCircuit } from './circuit.ts';
import { type CircuitTicket, circuitResult } from './circuit-breaker.ts';
import { ConcurrencyLimiter } from './concurrency.ts';
import {
  budgetExceededError,
  circuitOpenError,
  concurrencyLimitedError,
  GuardrailError,
  rateLimitedError,
  systemError,
} from './errors.ts';
import { circuitKey, type ToolIdentity } from './keys.ts';
import { bucketsOf, capsOf } from './limits.ts';
import { type NamedBucket, RateLimiter } from './rate-limit.ts';
import type { ResolvedGuardrails } from './resolve.ts';

export interface AdmissionRequest {
  readonly tool: ToolIdentity;
  readonly agentId: string;
  readonly resolved: ResolvedGuardrails;
  /** Time left until the attempt's deadline, in milliseconds. */
  readonly timeMs: number;
  readonly reservationId: string;
  /** The circuit as read just before; only for the first attempt. */
  readonly circuitSeen?: SeenCircuit | undefined;
}

/** The reservations, tokens and slots of an attempt. Plain data: the call may be ended by another process than began it. */
export interface AdmissionTicket {
  readonly tool: ToolIdentity;
  readonly reservations: readonly NamedReservation[];
  readonly circuit?: CircuitTicket;
  readonly buckets: readonly NamedBucket[];
  readonly leases: readonly SlotLease[];
  /** The attempt may not run longer: its lease and its time budget end. */
  readonly timeMs: number;
}

export type AdmissionResult =
  | { readonly admitted: true; readonly ticket: AdmissionTicket }
  | { readonly admitted: false; readonly error: GuardrailError }
  | { readonly admitted: false; readonly aborted: true };

/** The end of the call: its time, its cost, and its error if it failed. */
export interface CallEnd extends BudgetUse {
  readonly error?: GuardrailError | undefined;
}

/** Called once for each event, as it happens. */
export interface AdmissionObserver {
  /** The circuit's state as this call met it. */
  readonly circuitMet?: (state: CircuitState) => void;
  readonly circuitEntered?: (state: CircuitState) => void;
  /** How full the budgets of the call are, once it reserved its part. */
  readonly budgetsReserved?: (levels: readonly BudgetLevel[]) => void;
  /** How many calls of the tool run now, over all processes, this one included. */
  readonly slotTaken?: (inUse: number) => void;
  readonly budgetOverrun?: (reservation: NamedReservation) => void;
}

/** Leases outlive the call's deadline by this: clocks differ, and a release takes its time. */
const LEASE_GRACE_MS = 5000;

export class Admission {
  readonly circuits: CircuitBreaker;
  readonly rates: RateLimiter;
  readonly slots: ConcurrencyLimiter;
  readonly #budgets: BudgetKeeper;
  readonly #agentShare: boolean;

  /** `agentShare`: one agent gets at most half of a tool's slots; for state that several processes share. */
  constructor(state: GuardrailState, runtime: GuardrailRuntime, agentShare = false) {
    this.circuits = new CircuitBreaker(state.circuits, runtime);
    this.rates = new RateLimiter(state.rate, runtime);
    this.slots = new ConcurrencyLimiter(state.slots, runtime);
    this.#budgets = new BudgetKeeper(state.budgets);
    this.#agentShare = agentShare;
  }

  /** Never rejects. When the signal aborts, what was taken is given back, however late it was taken. */
  async enter(request: AdmissionRequest, signal?: Ending, observer?: AdmissionObserver): Promise<AdmissionResult> {
    let ticket: AdmissionTicket = {
      tool: request.tool,
      reservations: [],
      buckets: [],
      leases: [],
      timeMs: request.timeMs,
    };
    const stages = [this.#budget, this.#circuit, this.#rate, this.#concurrency];
    for (const stage of stages) {
      let step: Step;
      try {
        step = await stage.call(this, request, ticket, signal, observer);
      } catch (cause) {
        // With the store down what only reads may pass; what mutates is refused.
        // A value that is none is no store that is down: it must not open the way past a budget.
        const invalid = cause instanceof GuardrailError || cause instanceof RangeError;
        if (request.resolved.effect === 'Pure' && !invalid) continue;
        step = cause instanceof GuardrailError ? { error: cause } : { error: stateDown(cause) };
      }
      if ('took' in step) ticket = { ...ticket, ...step.took };
      if ('took' in step && !signal?.aborted) continue;
      await this.cancel(request.resolved, ticket);
      return 'error' in step ? { admitted: false, error: step.error } : { admitted: false, aborted: true };
    }
    return { admitted: true, ticket };
  }

  /** The call never started: everything goes back, in reverse order. */
  async cancel(resolved: ResolvedGuardrails, ticket: AdmissionTicket): Promise<void> {
    if (ticket.leases.length > 0) await this.slots.release(ticket.leases);
    await this.rates.refund(ticket.buckets);
    if (ticket.circuit)
      await this.circuits.report(circuitKey(ticket.tool), resolved.settings, ticket.circuit, 'neutral').catch(() => {});
    await this.#budgets.cancel(ticket.reservations);
  }

  /** The call goes on elsewhere: whoever ends it there completes the ticket. */
  handOver(ticket: AdmissionTicket): void {
    this.slots.handOver(ticket.leases);
  }

  /** The call ran: the slot is freed, the breaker learns, the budget is charged. Never rejects. */
  async complete(
    resolved: ResolvedGuardrails,
    ticket: AdmissionTicket,
    end: CallEnd,
    observer?: AdmissionObserver,
  ): Promise<void> {
    if (ticket.leases.length > 0) await this.slots.release(ticket.leases);
    if (ticket.circuit) {
      const result = circuitResult(end.error, end.timeMs, resolved.settings.slowCallMs);
      const key = circuitKey(ticket.tool);
      const entered = await this.circuits.report(key, resolved.settings, ticket.circuit, result).catch(() => undefined);
      if (entered) observer?.circuitEntered?.(entered);
    }
    for (const overrun of await this.#budgets.closeReservation(ticket.reservations, end))
      observer?.budgetOverrun?.(overrun);
  }

  async #budget(
    { resolved, timeMs, reservationId }: AdmissionRequest,
    _ticket: AdmissionTicket,
    _signal?: Ending,
    observer?: AdmissionObserver,
  ): Promise<Step> {
    if (resolved.budgets.length === 0) return { took: {} };
    const claim = { timeMs, cost: resolved.settings.costPerCall, reservationId };
    const grant = await this.#budgets.reserve(resolved.budgets, claim);
    if (!grant.granted) return { error: budgetExceededError(grant.budgetId, grant.resetAfterMs) };
    observer?.budgetsReserved?.(grant.levels);
    return { took: { reservations: grant.reservations, timeMs: grant.timeMs } };
  }

  async #circuit(
    { tool, resolved, timeMs, circuitSeen }: AdmissionRequest,
    _ticket: AdmissionTicket,
    _signal?: Ending,
    observer?: AdmissionObserver,
  ): Promise<Step> {
    const entry = await this.circuits.admit(circuitKey(tool), resolved.settings, timeMs + LEASE_GRACE_MS, circuitSeen);
    const probing = entry.admitted && entry.ticket.probeId !== undefined;
    observer?.circuitMet?.(entry.admitted ? (probing ? 'half-open' : 'closed') : entry.state);
    if (!entry.admitted) return { error: circuitOpenError(entry.state, entry.retryAfterMs) };
    if (entry.entered) observer?.circuitEntered?.(entry.entered);
    return { took: { circuit: entry.ticket } };
  }

  async #rate({ tool, agentId, resolved }: AdmissionRequest): Promise<Step> {
    const buckets = bucketsOf(tool, agentId, resolved);
    const refusal = await this.rates.take(buckets);
    return refusal ? { error: rateLimitedError(refusal) } : { took: { buckets } };
  }

  async #concurrency(
    { tool, agentId, resolved, timeMs }: AdmissionRequest,
    _ticket: AdmissionTicket,
    signal?: Ending,
    observer?: AdmissionObserver,
  ): Promise<Step> {
    const caps = capsOf(tool, agentId, resolved, this.#agentShare);
    const { maxQueue } = resolved.settings;
    const wish = { caps, agent: agentId, leaseMs: timeMs + LEASE_GRACE_MS, maxQueue, signal };
    const grant = await this.slots.acquire(wish);
    if (grant.granted) {
      observer?.slotTaken?.(grant.inUse);
      return { took: { leases: grant.leases } };
    }
    if (grant.aborted) return { aborted: true };
    return { error: concurrencyLimitedError(grant.limiterId, grant.retryAfterMs) };
  }
}

type Step =
  | { readonly took: Partial<AdmissionTicket> }
  | { readonly error: GuardrailError }
  | { readonly aborted: true };

const stateDown = (cause: unknown): GuardrailError =>
  systemError('StateUnavailable', 'The state of the limits cannot be read; the call was not made.', cause);

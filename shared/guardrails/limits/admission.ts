/**
 * Admits an attempt by budget, circuit, rate (tool, then provider) and concurrency, in this order.
 *
 * The first refusal decides, and everything taken before it goes back in reverse.
 */
import { andThen, isPromise, type MaybePromise, nothing, orElse } from '../../domain/maybe-promise.ts';
import type { Ending } from '../../ports/ending.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { CircuitState, GuardrailState, SlotLease } from '../../ports/stores/guardrail-state.ts';
import { GuardrailError, systemError } from '../settings/errors.ts';
import { circuitKey, type ToolIdentity } from '../settings/keys.ts';
import type { ResolvedGuardrails } from '../settings/resolve.ts';
import { BudgetKeeper, type BudgetLevel, type BudgetUse, type NamedReservation } from './budget.ts';
import { CircuitBreaker, type SeenCircuit } from './circuit.ts';
import { type CircuitResult, type CircuitTicket, circuitResult } from './circuit-breaker.ts';
import { ConcurrencyLimiter } from './concurrency.ts';
import { budgetExceededError, circuitOpenError, concurrencyLimitedError, rateLimitedError } from './limit-errors.ts';
import { type CallLimits, limitsOf } from './limits.ts';
import { type NamedBucket, RateLimiter } from './rate-limit.ts';

export interface AdmissionRequest {
  readonly tool: ToolIdentity;
  readonly agentId: string;
  readonly resolved: ResolvedGuardrails;
  /** The counters of the call; made from the settings if absent. */
  readonly limits?: CallLimits | undefined;
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

type AdmissionResult =
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
    const { tool, agentId, resolved, timeMs } = request;
    const limits = request.limits ?? limitsOf(tool, agentId, resolved, this.#agentShare);
    const ticket: OpenTicket = { tool, reservations: [], buckets: [], leases: [], timeMs };
    const entry: Entry = { request, limits, ticket, signal, observer };
    const stages = [this.#budget, this.#circuit, this.#rate, this.#concurrency];
    for (const stage of stages) {
      let refusal: Refusal | undefined;
      try {
        const passing = stage.call(this, entry);
        refusal = isPromise(passing) ? await passing : passing;
      } catch (cause) {
        // With the store down what only reads may pass; what mutates is refused.
        // A value that is none is no store that is down: it must not open the way past a budget.
        const invalid = cause instanceof GuardrailError || cause instanceof RangeError;
        if (resolved.effect === 'Pure' && !invalid) continue;
        refusal = refused(cause instanceof GuardrailError ? cause : stateDown(cause));
      }
      if (!refusal && !signal?.aborted) continue;
      await this.cancel(resolved, ticket);
      return refusal ?? ABORTED;
    }
    return { admitted: true, ticket };
  }

  /** The call never started: everything goes back, in reverse order. */
  async cancel(resolved: ResolvedGuardrails, ticket: AdmissionTicket): Promise<void> {
    if (ticket.leases.length > 0) await this.slots.release(ticket.leases);
    await this.rates.refund(ticket.buckets);
    if (ticket.circuit) await this.#report(resolved, ticket.tool, ticket.circuit, 'neutral');
    await this.#budgets.cancel(ticket.reservations);
  }

  /** The call goes on elsewhere: whoever ends it there completes the ticket. */
  handOver(ticket: AdmissionTicket): void {
    this.slots.handOver(ticket.leases);
  }

  /** The call ran: the slot is freed, the breaker learns, the budget is charged. Never throws or rejects. */
  complete(
    resolved: ResolvedGuardrails,
    ticket: AdmissionTicket,
    end: CallEnd,
    observer?: AdmissionObserver,
  ): MaybePromise<void> {
    const learn = (): MaybePromise<CircuitState | undefined> => {
      if (!ticket.circuit) return undefined;
      const result = circuitResult(end.error, end.timeMs, resolved.settings.slowCallMs);
      return this.#report(resolved, ticket.tool, ticket.circuit, result);
    };
    const charge = (entered: CircuitState | undefined) => {
      if (entered) observer?.circuitEntered?.(entered);
      return this.#budgets.closeReservation(ticket.reservations, end);
    };
    const freed = ticket.leases.length > 0 ? this.slots.release(ticket.leases) : undefined;
    return andThen(andThen(andThen(freed, learn), charge), (overruns) => {
      for (const overrun of overruns) observer?.budgetOverrun?.(overrun);
    });
  }

  #report(resolved: ResolvedGuardrails, tool: ToolIdentity, circuit: CircuitTicket, result: CircuitResult) {
    return orElse(() => this.circuits.report(circuitKey(tool), resolved.settings, circuit, result), nothing);
  }

  #budget({ request, ticket, observer }: Entry): Passing {
    const { resolved, timeMs, reservationId } = request;
    if (resolved.budgets.length === 0) return undefined;
    const claim = { timeMs, cost: resolved.settings.costPerCall, reservationId };
    return andThen(this.#budgets.reserve(resolved.budgets, claim), (grant) => {
      if (!grant.granted) return refused(budgetExceededError(grant.budgetId, grant.resetAfterMs, grant.limits));
      observer?.budgetsReserved?.(grant.levels);
      ticket.reservations = grant.reservations;
      ticket.timeMs = grant.timeMs;
      return undefined;
    });
  }

  #circuit({ request, limits, ticket, observer }: Entry): Passing {
    const { resolved, timeMs, circuitSeen } = request;
    const leaseMs = timeMs + LEASE_GRACE_MS;
    return andThen(this.circuits.admit(limits.circuit, resolved.settings, leaseMs, circuitSeen), (entry) => {
      const probing = entry.admitted && entry.ticket.probeId !== undefined;
      observer?.circuitMet?.(entry.admitted ? (probing ? 'half-open' : 'closed') : entry.state);
      if (!entry.admitted) return refused(circuitOpenError(entry.state, entry.retryAfterMs, circuitLimits(resolved)));
      if (entry.entered) observer?.circuitEntered?.(entry.entered);
      ticket.circuit = entry.ticket;
      return undefined;
    });
  }

  #rate({ limits, ticket }: Entry): Passing {
    return andThen(this.rates.take(limits.buckets), (refusal) => {
      if (refusal) return refused(rateLimitedError(refusal));
      ticket.buckets = limits.buckets;
      return undefined;
    });
  }

  #concurrency({ request, limits, ticket, signal, observer }: Entry): Passing {
    const { agentId, timeMs, resolved } = request;
    const { maxQueue } = resolved.settings;
    const wish = { caps: limits.caps, agent: agentId, leaseMs: timeMs + LEASE_GRACE_MS, maxQueue, signal };
    return this.slots.acquire(wish).then((grant) => {
      if (!grant.granted)
        return grant.aborted
          ? ABORTED
          : refused(concurrencyLimitedError(grant.limiterId, grant.retryAfterMs, grant.limits));
      observer?.slotTaken?.(grant.inUse);
      ticket.leases = grant.leases;
      return undefined;
    });
  }
}

type OpenTicket = { -readonly [Name in keyof AdmissionTicket]: AdmissionTicket[Name] };
type Refusal = Exclude<AdmissionResult, { readonly admitted: true }>;
/** Undefined once the call has passed the stage. */
type Passing = MaybePromise<Refusal | undefined>;

/** One call on its way through the stages; a stage that it passes writes into the ticket. */
interface Entry {
  readonly request: AdmissionRequest;
  readonly limits: CallLimits;
  readonly ticket: OpenTicket;
  readonly signal: Ending | undefined;
  readonly observer: AdmissionObserver | undefined;
}

const circuitLimits = ({ settings }: ResolvedGuardrails): readonly string[] => [
  settings.circuitMode === 'ratio'
    ? `failureRatio ${settings.failureRatio}`
    : `failureThreshold ${settings.failureThreshold}`,
  `resetAfterMs ${settings.resetAfterMs}`,
];

const ABORTED = { admitted: false, aborted: true } as const;
const refused = (error: GuardrailError): Refusal => ({ admitted: false, error });

const stateDown = (cause: unknown): GuardrailError =>
  systemError('StateUnavailable', 'The state of the limits cannot be read; the call was not made.', cause);

/** Declares the calls that programs pass to the client, and the results they get. */
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import type { DecidedBy, DecisionOutcome } from '../../contract/decision.ts';
import type { Permit } from '../../contract/permit.ts';
import type { ActionChoiceProposal } from '../../contract/proposal.ts';
import type { SessionName } from '../../contract/session.ts';
import type { Annotations, CallOptions, Urgency } from './call-options.ts';
import type { JsonOf } from './json-of.ts';

/** Facts that a wrapped tool gets besides its input. */
export interface RunContext {
  /** Aborts when the caller gives up, and when the deadline of the guardrails is over. */
  readonly signal: AbortSignal;
  readonly proposalId: string;
  /** 32 hex digits, the same whenever this call is run again: pass it on to services that take such a key. */
  readonly idempotencyKey: string;
  /** Whether the input is not the one that was proposed: a person edited it, or the gate printed its command anew. */
  readonly edited: boolean;
  /** A sentence for the model with the arguments that ran; undefined unless the input was edited. */
  readonly change: string | undefined;
  /** The rule, model, policy or person that approved it. */
  readonly decidedBy: DecidedBy;
}

/**
 * A tool behind the gate. The input may be left out where none of its fields is required.
 *
 * @throws NotApprovedError with the message for the model, unless it was approved
 */
export type GatedTool<Input, Output> =
  Record<never, never> extends Input
    ? (input?: JsonOf<Input>, options?: CallOptions<Output>) => Promise<Output>
    : (input: JsonOf<Input>, options?: CallOptions<Output>) => Promise<Output>;

/** Fields of every decision on a call. */
export interface Verdict {
  readonly proposalId: string;
  /** Written for the model that asked. */
  readonly message: string;
  readonly reasonCode: string;
  readonly decidedBy: DecidedBy;
}

/** Exactly `input` may run, once, under `permit` and before it expires. */
export interface Approved extends Verdict {
  readonly outcome: 'approved';
  readonly permit: Permit;
  /** The input to run: the parsed form of what was proposed, or what took its place. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether `input` is not the one that was proposed. */
  readonly edited: boolean;
  /** A sentence for the model with the arguments to run; absent unless they were edited. */
  readonly change?: string;
}

/** The call may not run. A person may have answered with words instead of a vote: `answered`, with the `answer` as data. */
export type Refused = Verdict &
  (
    | { readonly outcome: Exclude<DecisionOutcome, 'approved' | 'answered'> }
    | { readonly outcome: 'answered'; readonly answer: unknown }
  );

/** The end of one call: `outcome` tells which fields there are. */
export type CallDecision = Approved | Refused;

/** A proposal of this client that has no decision yet. */
export interface PendingCall {
  readonly proposalId: string;
  /** Absent for a choice, a question and several calls on one card. */
  readonly toolName?: string;
  readonly title?: string;
  readonly proposedAt: Date;
  /** Nobody can answer it after this. */
  readonly until: Date;
  /** Whether the gate asks people. False: it has not judged the proposal yet. */
  readonly isAsked: boolean;
}

/** One call with its options, as `decide` and `execute` take it. */
export interface StatedCall extends CallOptions<unknown> {
  readonly tool: string;
  /** As the `input` of a wrapped tool: plain objects, arrays, texts, finite numbers, booleans and null. */
  readonly input: object;
}

/** One tool call as an agent states it. Fields without words of their own mean what they do in `CallOptions`. */
export interface ProposedCall {
  readonly toolName: string;
  /** Plain objects, arrays, texts, finite numbers, booleans and null, or objects of a class that hold no more than these. */
  readonly input: object;
  /** Default: a new id. The same id with the same content is the same proposal, so a retry is safe. */
  readonly proposalId?: string | undefined;
  /** Id of the call in the decision, at most 128 of `A-Za-z0-9._:-`. Default: `call`. */
  readonly toolCallId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly reason?: string | undefined;
  /** ISO 8601; the wait for people ends then at the latest. */
  readonly expiresAt?: string | undefined;
  readonly state?: string | undefined;
  /** Default: the client's. The gate remembers denials, approvals for the session and the like by session. */
  readonly sessionId?: string | undefined;
  /** The session of a sub-agent that this call starts: once it is approved, this session is its parent. */
  readonly starts?: SessionName | undefined;
  readonly urgency?: Urgency | undefined;
  readonly annotations?: Annotations | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Fields that a choice may state besides policy, space and snapshot. */
export type ChoiceEnvelope = Partial<Omit<ActionChoiceProposal, 'kind' | 'policy' | 'actionSpace' | 'snapshot'>>;

/** The shape of a policy that `runAgentLoop` takes. */
export interface ChoosingPolicy {
  choose(
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Action | null>;
}

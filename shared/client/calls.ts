/** Declares the options that programs pass to the client with a call, and the results they get. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { DecidedBy, DecisionOutcome } from '../contract/decision.ts';
import type { Permit } from '../contract/permit.ts';
import type { ActionChoiceProposal } from '../contract/proposal.ts';
import type { SessionName } from '../contract/session.ts';
import type { Duration } from '../domain/duration.ts';
import type { JsonOf } from './json-of.ts';

/** How one call is proposed and waited for. Given to `gate` they hold for every call of the tool; given with a call, for that call. */
export interface CallOptions {
  /**
   * Id of the proposal, at most 128 of `A-Za-z0-9._:-`: a model's own id of the call, if it never gives one twice. The same id with the same
   * input is the same proposal, so that a call that is repeated after a crash asks nobody twice. Default: a new one.
   */
  readonly id?: string | undefined;
  /** Ends the wait with the signal's reason, and reaches the tool while it runs. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the decision. Default: until people can no longer answer, which is `expiresAt` or 30 days, and some minutes. */
  readonly timeout?: Duration | undefined;
  /**
   * The proposal's fate if the wait ends without a decision. `cancel`: the client withdraws it, and the card in Slack closes. `leave`: people
   * may still answer, for a process that comes back under the same `id`. Default: `cancel`.
   */
  readonly onAbort?: 'cancel' | 'leave' | undefined;
  /** First line of the card, at most 200 characters. Default: the tool's name. */
  readonly title?: string | undefined;
  /** Shown to people under the title, at most 3000 characters. */
  readonly description?: string | undefined;
  /** Why the agent wants it, at most 3000 characters. */
  readonly reason?: string | undefined;
  /** Folder in which the call runs; rules on paths count from it. Default: the agent's `projectRoot`. */
  readonly cwd?: string | undefined;
  /** Conversation in which denials and approvals are counted. Default: the client's. */
  readonly sessionId?: string | undefined;
  /** ISO 8601. The wait for people ends then at the latest. */
  readonly expiresAt?: string | undefined;
  /** At most 4096 characters that the decision repeats. */
  readonly state?: string | undefined;
  /** Session of a sub-agent that this call starts: once it is approved, this session is its parent. */
  readonly starts?: SessionName | undefined;
}

/** Facts that a wrapped tool gets besides its input. */
export interface RunContext {
  /** Aborts when the caller gives up, and when the deadline of the guardrails is over. */
  readonly signal: AbortSignal;
  readonly proposalId: string;
  /** 32 hex digits, the same whenever this call is run again: pass it on to services that take such a key. */
  readonly idempotencyKey: string;
  /** Whether the input is not the one that was proposed: a person edited it, or the gate printed its command anew. */
  readonly edited: boolean;
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
    ? (input?: JsonOf<Input>, options?: CallOptions) => Promise<Output>
    : (input: JsonOf<Input>, options?: CallOptions) => Promise<Output>;

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
export interface StatedCall extends CallOptions {
  readonly tool: string;
  /** As the `input` of a wrapped tool: plain objects, arrays, texts, finite numbers, booleans and null. */
  readonly input: object;
}

/** One tool call as an agent states it. */
export interface ProposedCall {
  readonly toolName: string;
  /** Plain objects, arrays, texts, finite numbers, booleans and null, or objects of a class that hold no more than these. */
  readonly input: object;
  /** Default: a new id. The same id with the same content is the same proposal, so a retry is safe. */
  readonly proposalId?: string | undefined;
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

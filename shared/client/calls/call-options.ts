/** Declares how one call is proposed and waited for. */
import type { Proposal, ToolCallProposal } from '../../contract/proposal.ts';
import type { SessionName } from '../../contract/session.ts';
import type { Duration } from '../../domain/duration.ts';
import type { GuardrailError } from '../../guardrails/settings/errors.ts';

/** The urgency of a call in the agent's own words. */
export type Urgency = NonNullable<Proposal['urgency']>;
/** Hints about a tool as in MCP. */
export type Annotations = NonNullable<ToolCallProposal['calls'][number]['annotations']>;

/**
 * How one call is proposed and waited for. Given to `gate` they hold for every call of the tool; given with a call, for that call.
 *
 * `Output` is what `fallback` gives; options without one suit a tool of any output.
 */
export interface CallOptions<Output = never> {
  /**
   * Id of the proposal, at most 128 of `A-Za-z0-9._:-`: a model's own id of the call, if it never gives one twice. The same id with the same
   * input is the same proposal, so that a call that is repeated after a crash asks nobody twice. Default: a new one.
   */
  readonly id?: string | undefined;
  /** Ends the wait with the signal's reason, and reaches the tool while it runs. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long to wait for the decision, and for a tool that is busy with other calls. Default: until people can no longer answer, which is `expiresAt`
   * or 30 days, and some minutes; then until the permit expires.
   */
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
  /** Shown to people as the agent's own words. */
  readonly urgency?: Urgency | undefined;
  /** Hints about the tool as in MCP, shown to people as the agent's own words, and never trusted. */
  readonly annotations?: Annotations | undefined;
  /** Reaches the tool as its idempotency key. Two calls that state the same are one to a tool that tells calls apart by it. */
  readonly idempotencyKey?: string | undefined;
  /** Guardrail settings of this call alone, such as `{ timeoutMs: 5_000 }`; they only tighten. For tools that redeem their permit, and `execute`. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** Answers in the tool's stead where its budget refuses the call. For tools that redeem their permit, and `execute`. */
  readonly fallback?: ((error: GuardrailError) => Output | Promise<Output>) | undefined;
}

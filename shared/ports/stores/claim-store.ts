/** Stores claims, one a proposal, put once: the decision where there is nothing to wait for. */
import type { Approval, Decision, JournalEntry } from '../../contract/index.ts';
import { LIMITS } from '../../contract/primitives.ts';
import { WAITING } from '../../domain/approval/waiting-limits.ts';
import type { AuditRecord, ClaimVerdict } from './audit-log.ts';
import type { SessionName, SessionView, SessionWrites } from './session-store.ts';

export type { ClaimVerdict };

export interface Claim {
  readonly record: AuditRecord;
  /** Keyed digest of what the message says; `null` for the tombstone of a cancelled proposal that never came. */
  readonly contentDigest: string | null;
  readonly verdict: ClaimVerdict;
  /** How the message came to be judged, for the figures; the store keeps none of it. */
  readonly journey?: Journey | undefined;
}

/** The wait of a message between its sender and its claim. */
export interface Journey {
  /** Milliseconds since 1970, from the queue. */
  readonly firstSentAt: number;
  /** `rules`: rules alone judged it. `model`: a model or a hook was called. `rate`: its sender's rate deferred it. */
  readonly way: 'rules' | 'model' | 'rate';
}

/** The fields of a claim that are read back. */
export interface StoredClaim {
  readonly contentDigest: string | null;
  readonly verdict: ClaimVerdict;
  readonly decision?: Decision | undefined;
}

export type ClaimResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'exists'; readonly claim: StoredClaim }
  /** A session row is another than the one that was decided with: nothing was written. */
  | { readonly kind: 'session_changed' };

/** Everything that one transaction writes when people are asked. */
export interface Opening {
  readonly approval: Approval;
  /** The proposal as JSON text, kept once, without its secrets. */
  readonly proposal: string;
  /** The keyed digest under which the original is sealed. */
  readonly sealed?: string | undefined;
  readonly journal: readonly JournalEntry[];
  readonly group: string;
  /** The key by which identical calls of a session find each other (`sameCallsKey`). Where one waits already, its card asks for this one too. */
  readonly same?: string | undefined;
  /** When the reconciler looks after it first. */
  readonly dueAt: number;
  /** The limits of the policy file; where it states none, the store's own hold. */
  readonly limits?: StatedLimits | undefined;
}

export type StatedLimits = { readonly [Name in 'perAgent' | 'perGroup']?: number | undefined };

export type OpenResult = ClaimResult | { readonly kind: 'too_many_waiting'; readonly limit: 'agent' | 'group' };

export interface ClaimLimits {
  /** Waiting approvals of one agent, and of one group of approvers. */
  readonly perAgent: number;
  readonly perGroup: number;
  /** Bytes of a proposal that is kept in a row; a larger one goes to the input store. */
  readonly inlineBytes: number;
}

export const DEFAULT_LIMITS: ClaimLimits = {
  perAgent: WAITING.agent.usual,
  perGroup: WAITING.group.usual,
  inlineBytes: LIMITS.inlineInputBytes,
};

/** The highest numbers of waiting questions, the new one included. */
export const mostWaiting = (stated: StatedLimits | undefined, usual: ClaimLimits) => ({
  agent: stated?.perAgent ?? usual.perAgent,
  group: stated?.perGroup ?? usual.perGroup,
});

export interface BatchView extends SessionView {
  /** By pid. */
  readonly claims: ReadonlyMap<string, StoredClaim>;
}

/** The keys to read for one message. */
interface BatchKey {
  readonly agent: string;
  readonly pid: string;
  /** Sessions that its decision may depend on. */
  readonly sessions?: readonly SessionName[] | undefined;
}

/**
 * `latest`: a consistent read. `likely`: a read for half the price, which may miss a claim of the last second or so. A message
 * needs no more if its work has no effect before the put of its claim, because that put finds an earlier claim.
 */
export type ClaimsRead = 'latest' | 'likely';

/** No agent's name and no session's holds a `#`. */
export const sessionKey = (agent: string, sessionId: string): string => `${agent}#${sessionId}`;

/** A question that may have to wait for people. */
interface RoomRequest {
  readonly agent: string;
  readonly group: string;
  /** See `Opening.same`. */
  readonly same: string | undefined;
  /** Milliseconds. */
  readonly now: number;
  readonly limits?: StatedLimits | undefined;
}

export interface ClaimStore {
  /**
   * Reads at once what a batch of messages needs: their claims, their sessions, the denials of `day`, the emergency brake. The read is consistent,
   * except for claims that are asked for as `likely`. Default: `latest`.
   */
  readBatch(keys: readonly BatchKey[], day: string, claims?: ClaimsRead): Promise<BatchView>;
  /** Tells what `open` would meet now: room, an identical call that waits, or no room. A later `open` may meet something else. */
  roomFor(request: RoomRequest): Promise<'free' | 'same_waits' | 'full'>;
  /** One conditional put; with what it changes in sessions, one transaction. */
  claim(claim: Claim, sessions?: SessionWrites): Promise<ClaimResult>;
  /**
   * Writes claim and approval in one transaction. The waiting questions are counted outside of it, against the limits: a process that stops in
   * between leaves one counted too many, until the next recount. Where an identical call waits, the new row becomes its follower (`follows`, and
   * an entry among its `waiters`). Otherwise later identical calls find the new row as their primary.
   */
  open(claim: Claim, opening: Opening, sessions?: SessionWrites): Promise<OpenResult>;
}

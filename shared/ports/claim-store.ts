/** The claim (A6): one item per proposal, put once; the decision itself where there is nothing to wait for. */
import type { Approval, Decision, JournalEntry } from '../contract/index.ts';
import { LIMITS } from '../contract/primitives.ts';
import type { AuditRecord } from './audit-log.ts';
import type { Control } from './control.ts';

export type ClaimVerdict = 'allow' | 'deny' | 'ask' | 'error' | 'cancelled';

export interface Claim {
  readonly record: AuditRecord;
  /** Keyed digest of what the message says (D24); `null` for the tombstone of a cancelled proposal that never came. */
  readonly contentDigest: string | null;
  readonly verdict: ClaimVerdict;
}

/** What is read back of a claim. */
export interface StoredClaim {
  readonly contentDigest: string | null;
  readonly verdict: ClaimVerdict;
  readonly decision?: Decision | undefined;
}

export type ClaimResult = { readonly kind: 'claimed' } | { readonly kind: 'exists'; readonly claim: StoredClaim };

/** Everything that one transaction writes when people are asked. */
export interface Opening {
  readonly approval: Approval;
  /** The proposal as JSON text, kept once. */
  readonly proposal: string;
  readonly journal: JournalEntry;
  readonly group: string;
  /** When the reconciler looks after it first (A6). */
  readonly dueAt: number;
}

export type OpenResult = ClaimResult | { readonly kind: 'too_many_waiting'; readonly limit: 'agent' | 'group' };

export interface ClaimLimits {
  /** Waiting approvals of one agent, and of one group of approvers (A14). */
  readonly perAgent: number;
  readonly perGroup: number;
  /** Bytes of a proposal that is kept in a row; a larger one goes to the input store (A15). */
  readonly inlineBytes: number;
}

export const DEFAULT_LIMITS: ClaimLimits = { perAgent: 20, perGroup: 200, inlineBytes: LIMITS.inlineInputBytes };

export interface BatchView {
  /** By pid. */
  readonly claims: ReadonlyMap<string, StoredClaim>;
  readonly control: Control;
}

export interface ClaimStore {
  /** One batched consistent read for a batch of messages: their claims and the emergency brake. */
  readBatch(keys: readonly { readonly agent: string; readonly pid: string }[]): Promise<BatchView>;
  claim(claim: Claim): Promise<ClaimResult>;
  /** Claim and approval in one transaction; counts waiting approvals against A14's caps. */
  open(claim: Claim, opening: Opening): Promise<OpenResult>;
}

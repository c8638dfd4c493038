/** Defines one person's inbox, as far as bounded looks find it. */
import type { Approval, Proposal } from '../contract/index.ts';
import type { ApprovalView } from './stores/approval-store.ts';
import type { VoteLine } from './stores/vote-history.ts';

/** Approvals that may wait for a person. */
export interface PendingApprovals {
  readonly approvals: readonly Approval[];
  /** More waits than one look reads. */
  readonly hasMore: boolean;
}

/** An approval with what its row alone does not hold. */
export interface InboxEntry {
  readonly view: ApprovalView;
  readonly proposal: Proposal | undefined;
}

export interface Inbox {
  /** Approvals that wait for the person, the most severe first; within one severity the one whose time ends first. */
  readonly waiting: readonly Approval[];
  /** More waits than was looked at. */
  readonly hasMore: boolean;
  /** The platform did not tell who the person is, or who is in a group: more may wait for them. */
  readonly isUnsure?: boolean;
  /** The entries of `waiting` on this page. */
  readonly shown: readonly InboxEntry[];
  /** Counted from 0. */
  readonly page: number;
  readonly pages: number;
  /** Approvals that the person voted on, and others still have to. */
  readonly forOthers: readonly (InboxEntry & { readonly line: VoteLine })[];
  /** Newest first; without an entry where the row is gone. */
  readonly decided: readonly { readonly line: VoteLine; readonly entry?: InboxEntry }[];
}

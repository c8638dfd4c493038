/** Declares how a policy asks a person, and what the person may say. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';

/** Asks a person about one action of a space. `SlackApprovalChannel`, `StdinApprovalChannel` and `WebhookApprovalChannel` are in `countersign/approvals`. */
export interface ApprovalChannel {
  /**
   * Shows the proposal with its alternatives and waits. A channel that throws counts as a refusal. `signal` aborts when nobody waits
   * for the answer any more: what the channel holds, it lets go.
   */
  requestApproval(
    proposed: Action,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    signal?: AbortSignal,
  ): Promise<ApprovalResult>;
}

/** `by` is the person as the channel knows them; `reason` is what they wrote. */
export type ApprovalResult =
  | { readonly type: 'approved'; readonly by?: string | undefined }
  | { readonly type: 'rejected'; readonly by?: string | undefined; readonly reason?: string | undefined }
  | { readonly type: 'substitute'; readonly action: Action; readonly by?: string | undefined }
  | { readonly type: 'timeout' };

/** The results as the contract spells them. */
export const ApprovalResult = {
  Approved: { type: 'approved' },
  Rejected: { type: 'rejected' },
  Timeout: { type: 'timeout' },
  Substitute: (action: Action) => ({ type: 'substitute', action }),
} as const satisfies Record<string, ApprovalResult | ((action: Action) => ApprovalResult)>;

/** The meaning of silence, when nobody answers in time. */
export const TimeoutBehavior = { Reject: 'reject', Approve: 'approve' } as const;
export type TimeoutBehavior = (typeof TimeoutBehavior)[keyof typeof TimeoutBehavior];

/** Requires no approval: for tests without people. */
import type { ApprovalPredicate } from './approval-predicate.ts';

/** Sends no action to the approver. */
export class NeverApprove implements ApprovalPredicate {
  requiresApproval(): boolean {
    return false;
  }
}

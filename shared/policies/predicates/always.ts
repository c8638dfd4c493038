/** Requires approval always: the name is about the predicate, not the outcome. */
import type { ApprovalPredicate } from './approval-predicate.ts';

/** Sends every action to the approver. */
export class AlwaysApprove implements ApprovalPredicate {
  requiresApproval(): boolean {
    return true;
  }
}

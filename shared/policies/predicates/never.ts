/** Never requires approval: for tests without people. */
import type { ApprovalPredicate } from './approval-predicate.ts';

export class NeverApprove implements ApprovalPredicate {
  requiresApproval(): boolean {
    return false;
  }
}

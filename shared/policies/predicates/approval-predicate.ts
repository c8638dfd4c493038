/** Says whether a proposal needs the approver. */
import type { Action, AgentSnapshot } from '../../contract/action-space.ts';

export interface ApprovalPredicate {
  requiresApproval(action: Action, snapshot: AgentSnapshot): boolean;
}

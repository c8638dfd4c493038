/** Says whether a proposal needs the approver. */
import type { Action, AgentSnapshot } from '../../contract/action-space.ts';

/** Says which actions need the approver. An action on which it throws needs the approver, too. */
export interface ApprovalPredicate {
  requiresApproval(action: Action, snapshot: AgentSnapshot): boolean;
}

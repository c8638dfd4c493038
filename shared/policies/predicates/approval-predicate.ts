/** Says whether a proposal needs the approver. */
import type { Action, AgentSnapshot } from '../../contract/action-space.ts';

/** Says which actions need the approver. What throws needs it too. */
export interface ApprovalPredicate {
  requiresApproval(action: Action, snapshot: AgentSnapshot): boolean;
}

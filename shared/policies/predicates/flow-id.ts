/** Listed flows need the approver. */
import type { Action } from '../../contract/action-space.ts';
import type { ApprovalPredicate } from './approval-predicate.ts';

export class FlowIdPredicate implements ApprovalPredicate {
  readonly flows: ReadonlySet<string>;

  constructor(flows: Iterable<string>) {
    this.flows = new Set(flows);
  }

  requiresApproval(action: Action): boolean {
    return this.flows.has(action.flow_id);
  }
}

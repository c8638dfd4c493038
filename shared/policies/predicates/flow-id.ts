/** Listed flows need the approver. */
import type { Action } from '../../contract/action-space.ts';
import type { ApprovalPredicate } from './approval-predicate.ts';

/**
 * Sends the listed flows to the approver.
 *
 * @example
 * const moves = new FlowIdPredicate(['release_escrow', 'issue_refund']);
 * console.log(moves.flows.size);
 */
export class FlowIdPredicate implements ApprovalPredicate {
  readonly flows: ReadonlySet<string>;

  constructor(flows: Iterable<string>) {
    this.flows = new Set(flows);
  }

  requiresApproval(action: Action): boolean {
    return this.flows.has(action.flow_id);
  }
}

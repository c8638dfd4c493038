/** Requires approval of listed flows. */
import type { Action } from '../../contract/action-space.ts';
import { iterable, listOf, text } from '../../domain/settings.ts';
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
    iterable(flows, 'flows');
    this.flows = new Set(flows);
    listOf(text)([...this.flows], 'flows');
  }

  requiresApproval(action: Action): boolean {
    return this.flows.has(action.flow_id);
  }
}

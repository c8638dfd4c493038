/** Makes predicates, and predicates of predicates. One that throws sends the action to the approver. */
import type { ApprovalPredicate } from './approval-predicate.ts';
import { EntityStatePredicate } from './entity-state.ts';
import { FlowIdPredicate } from './flow-id.ts';

/** The listed flows need the approver. */
export const flow = (...flows: readonly string[]): ApprovalPredicate => new FlowIdPredicate(flows);

/** Every action needs the approver while the entity is in this state. */
export const state = (entityId: string, value: string): ApprovalPredicate =>
  new EntityStatePredicate([[entityId, value]]);

/** The approver is needed where `predicate` says that it is not. */
export const not = (predicate: ApprovalPredicate): ApprovalPredicate => ({
  requiresApproval: (action, snapshot) => !predicate.requiresApproval(action, snapshot),
});

/**
 * The approver is needed where one of the predicates says so.
 *
 * @example
 * const careful = anyOf(flow('issue_refund'), state('escrow-1', 'disputed'));
 * console.log(careful);
 */
export const anyOf = (...predicates: readonly ApprovalPredicate[]): ApprovalPredicate => ({
  requiresApproval: (action, snapshot) => predicates.some((each) => each.requiresApproval(action, snapshot)),
});

/** The approver is needed where all of the predicates say so. */
export const allOf = (...predicates: readonly ApprovalPredicate[]): ApprovalPredicate => ({
  requiresApproval: (action, snapshot) => predicates.every((each) => each.requiresApproval(action, snapshot)),
});

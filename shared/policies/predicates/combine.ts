/** Makes predicates, and predicates of predicates. One that throws sends the action to the approver. */
import type { Action, AgentSnapshot } from '../../contract/action-space.ts';
import { having, listOf, text } from '../../domain/settings.ts';
import type { ApprovalPredicate } from './approval-predicate.ts';
import { EntityStatePredicate } from './entity-state.ts';
import { FlowIdPredicate } from './flow-id.ts';

/** The listed flows need the approver. */
export const flow = (...flows: readonly string[]): ApprovalPredicate => new FlowIdPredicate(flows);

/** Every action needs the approver while the entity is in this state. */
export function state(entityId: string, value: string): ApprovalPredicate {
  text(entityId, 'entityId');
  text(value, 'value');
  return new EntityStatePredicate([[entityId, value]]);
}

/** The approver is needed where `predicate` says that it is not, or says neither. */
export function not(predicate: ApprovalPredicate): ApprovalPredicate {
  isPredicate(predicate, 'predicate');
  return { requiresApproval: (action, snapshot) => predicate.requiresApproval(action, snapshot) !== true };
}

const isPredicate = having('requiresApproval');

/**
 * The approver is needed where one of the predicates says so.
 *
 * @example
 * const careful = anyOf(flow('issue_refund'), state('escrow-1', 'disputed'));
 * console.log(careful);
 */
export function anyOf(...predicates: readonly ApprovalPredicate[]): ApprovalPredicate {
  listOf(isPredicate)(predicates, 'predicates');
  return {
    requiresApproval: (action, snapshot) => predicates.some((each) => isNeeded(each, action, snapshot)),
  };
}

/** The approver is needed where all of the predicates say so. */
export function allOf(...predicates: readonly ApprovalPredicate[]): ApprovalPredicate {
  listOf(isPredicate)(predicates, 'predicates');
  return {
    requiresApproval: (action, snapshot) => predicates.every((each) => isNeeded(each, action, snapshot)),
  };
}

/** An answer that is neither, such as a promise, needs the approver. */
const isNeeded = (predicate: ApprovalPredicate, action: Action, snapshot: AgentSnapshot): boolean =>
  predicate.requiresApproval(action, snapshot) !== false;

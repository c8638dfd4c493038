/** Reads a decision on an action choice for the agent: an action of its own space, or none. */
import type { Action, ActionSpace } from '../contract/action-space.ts';
import type { Decision } from '../contract/decision.ts';
import { choiceDigest } from '../domain/digest.ts';
import { DigestMismatchError, NotApprovedError, refusalOf } from './calls/errors.ts';

/**
 * Returns the action of the space that has the digest of the decision. `null` where no action may run: the policy chose nothing, a person refused,
 * nobody answered, or the policy changed during the wait.
 * @throws NotApprovedError if the gate could not decide; DigestMismatchError if it decided about an action that the space does not
 * hold, or about a tool call.
 */
export function actionOf(decision: Decision, space: ActionSpace): Action | null {
  switch (decision.outcome) {
    case 'answered':
      break;
    case 'denied':
    case 'expired':
    case 'cancelled':
    case 'superseded':
      return null;
    case 'approved':
      throw new DigestMismatchError(decision.proposalId ?? '');
    case 'error':
      throw new NotApprovedError(refusalOf(decision, decision.proposalId ?? '', decision.outcome));
    default:
      return decision.outcome satisfies never;
  }
  if (decision.actionDigest === null) return null;
  const action = space.actions.find((candidate) => choiceDigest(candidate) === decision.actionDigest);
  if (!action) throw new DigestMismatchError(decision.proposalId ?? '');
  return action;
}

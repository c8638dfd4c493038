/** Finds the call that a decision lets run, and refuses every other one. */
import type { CallDecision, Decision } from '../../contract/decision.ts';
import { actionDigest } from '../../domain/digest.ts';
import { record, text } from '../../domain/settings.ts';
import { DigestMismatchError, NotApprovedError, PermitExpiredError, refusalOf } from '../calls/errors.ts';
import type { Permitted } from './run.ts';

/** A call with its arguments. */
export type WholeAction = Permitted['action'] & { readonly input: Readonly<Record<string, unknown>> };

/** The agent that asks, and its time: milliseconds since 1970. */
interface Asking {
  readonly agent: string;
  readonly now: number;
}

/** @throws InvalidSettingError that names what a program states of another type */
export function checkAsked(decision: Decision, proposalId: string, action: Permitted['action']): void {
  record(decision, 'decision');
  text(decision.outcome, 'decision.outcome');
  text(proposalId, 'proposalId');
  record(action, 'action');
}

/** @throws NotApprovedError, DigestMismatchError or PermitExpiredError unless `action` may run now. */
export function assertRunnable(
  decision: Decision,
  proposalId: string,
  action: WholeAction,
  { agent, now }: Asking,
): Permitted {
  checkAsked(decision, proposalId, action);
  const digest = actionDigest(action);
  if (decision.outcome !== 'approved') throw new NotApprovedError(refusalOf(decision, proposalId, decision.outcome));
  const call = decision.calls.find((one) => one.outcome === 'approved' && one.actionDigest === digest);
  if (call?.permit?.actionDigest !== digest) throw new DigestMismatchError(proposalId);
  return permitted(call, proposalId, action, { agent, now });
}

/** The one approved call of a decision whose input the gate keeps and compares with the permit. */
export function onlyApproved(
  decision: Decision,
  proposalId: string,
  action: Permitted['action'],
  asking: Asking,
): Permitted {
  if (decision.outcome !== 'approved') throw new NotApprovedError(refusalOf(decision, proposalId, decision.outcome));
  const [call, ...others] = decision.calls.filter(({ outcome }) => outcome === 'approved');
  if (!call || others.length) throw new DigestMismatchError(proposalId);
  return permitted(call, proposalId, action, asking);
}

/** The action as proposed, or with the arguments that the decision puts in their place. The caller checks the action's digest. */
export function effectiveAction<Action extends WholeAction>(decision: Decision, action: Action): Action {
  const digest = actionDigest(action);
  const changed = decision.calls.find(({ effective }) => effective?.proposedDigest === digest);
  return changed?.effective ? { ...action, input: changed.effective.input } : action;
}

function permitted(
  { id, permit }: CallDecision,
  proposalId: string,
  action: Permitted['action'],
  { agent, now }: Asking,
): Permitted {
  if (!permit) throw new DigestMismatchError(proposalId);
  // A time that cannot be read compares false: such a permit is over.
  if (!(now < Date.parse(permit.expiresAt))) throw new PermitExpiredError(proposalId);
  return { agent, proposalId, callId: id, permit, action };
}

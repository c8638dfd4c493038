/** Tells whether the policy file has lost the groups that a question asks. Pure. */
import type { Approval } from '../../contract/index.ts';
import { CANARY } from '../canary.ts';
import { currentStage } from './stage.ts';

/**
 * Whether nobody was given a seat, and neither the group of the present stage is there nor the one that it may escalate to. The canary's own is in
 * no policy file.
 */
export function asksNobody(row: Approval, approvers: Readonly<Record<string, unknown>>): boolean {
  const { by, group, escalateTo } = currentStage(row);
  const isThere = (name: string) => name === CANARY || Object.hasOwn(approvers, name);
  if (by === 'requester' || (row.passed ?? []).some(({ to }) => to !== undefined)) return false;
  return !isThere(group) && !(escalateTo && isThere(escalateTo.group));
}

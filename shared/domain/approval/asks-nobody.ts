/** Tells whether a question ended, or has to end, because nobody could answer it. Pure. */
import type { Approval } from '../../contract/index.ts';
import { CANARY } from '../canary.ts';
import { currentStage, deadlineOf } from './stage.ts';

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

/** Whether a round expired before its time was over: nobody could have answered it any more. A follower has the end of another's wait. */
export const wasAbandoned = (row: Approval): boolean =>
  row.status === 'expired' &&
  row.askedAs === undefined &&
  row.endedAt !== undefined &&
  Date.parse(row.endedAt) < deadlineOf(row);

/** Has the reconciler look again at an approval that Slack does not show as it is. */
import type { CardProblem } from '../../../ports/stores/approval-store.ts';
import type { Drawing } from './drawing.ts';

/** For one that is decided until this long after its end. */
const AFTER_END_MS = 24 * 60 * 60_000;

/** The row names the problem, and is looked at after `pauseMs`. */
export async function lookAgain(
  pid: string,
  problem: CardProblem,
  pauseMs: number,
  { approvals, clock }: Pick<Drawing, 'approvals' | 'clock'>,
): Promise<void> {
  const at = clock.now() + pauseMs;
  await approvals.noteCardProblem(pid, problem);
  await approvals.bringForward(pid, at, await isWorthAnother(pid, at, approvals));
}

/** Whether a row that nobody has to look after any more is to be looked at once more. One that cannot be read never ends. */
async function isWorthAnother(pid: string, at: number, approvals: Drawing['approvals']): Promise<boolean> {
  const view = await approvals.read(pid).catch(() => undefined);
  if (!view) return false;
  const { endedAt, expiresAt } = view.approval;
  return at <= Date.parse(endedAt ?? expiresAt) + AFTER_END_MS;
}

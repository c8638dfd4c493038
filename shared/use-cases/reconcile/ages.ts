/**
 * Computes what people and agents wait for, as ages.
 *
 * Counts alone do not tell a busy hour from a forgotten question.
 */
import { lacksCard } from '../../domain/approval/approval.ts';
import { CANARY, isCanary } from '../../domain/canary.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApprovalStore, CardProblem } from '../../ports/stores/approval-store.ts';
import { type Control, pauseHolds } from '../../ports/stores/control.ts';

/** A card takes this long at most where nothing is wrong. */
const CARD_COMES_WITHIN_MS = 2 * 60_000;
/** Approvals that one run reads to find those without a card. */
const MAX_LOOKS = 100;
const OTHER = 'other';

/** Groups that the policy file names, each for itself, and all others as one: their names bound the series. */
export function oldestByGroup(
  oldest: ReadonlyMap<string, number>,
  groups: readonly string[],
  now: number,
): { readonly group: string; readonly ms: number }[] {
  const ages = new Map<string, number>();
  for (const [name, since] of oldest) {
    if (name === CANARY) continue;
    const group = groups.includes(name) ? name : OTHER;
    ages.set(group, Math.max(0, now - since, ages.get(group) ?? 0));
  }
  return [...ages].map(([group, ms]) => ({ group, ms }));
}

/** Questions that nobody sees, of those that were asked some minutes ago; the oldest are looked at first. One that cannot be read is told of as a repair that failed. */
export async function withoutCard(
  soon: readonly { readonly pid: string; readonly since: number }[],
  { approvals, clock }: { readonly approvals: Pick<ApprovalStore, 'read'>; readonly clock: Clock },
): Promise<number> {
  const now = clock.now();
  const old = soon.filter(({ since }) => now - since >= CARD_COMES_WITHIN_MS).slice(0, MAX_LOOKS);
  const hidden = await Promise.all(
    old.map(async ({ pid }) => {
      const view = await approvals.read(pid).catch(() => undefined);
      if (!view) return false;
      const { approval, cards, cardProblem } = view;
      const asks = approval.status === 'pending' && !approval.deliberating && !isCanary(approval.agent);
      return asks && !hasOtherAlarm(cardProblem) && lacksCard(approval, cards);
    }),
  );
  return hidden.filter(Boolean).length;
}

/** An agent asks for more cards than are posted, or Slack refuses this one card, which has an alarm of its own. */
const hasOtherAlarm = (problem: CardProblem | undefined): boolean => problem === 'in_line' || problem === 'refused';

/** How long the pause holds that holds the longest; 0 without one. */
export function oldestPause({ pauses }: Control, now: number): number {
  const ages = pauses
    .filter((pause) => pauseHolds(pause, now))
    .flatMap(({ since }) => (since === undefined ? [] : [now - since]));
  return Math.max(0, ...ages);
}

/** Notes when something does not work in a run, as its plan has it: a judge allows for that. */
import type { History } from './history.ts';
import { MINUTE, type Plan } from './plan.ts';

export function noteTroubles({ rate, steps }: Plan, history: History): void {
  const { began, troubled } = history;
  const { calmAt } = history.terms;
  history.isFaulty = rate > 0 || steps.some((step) => step.do === 'outage');
  if (rate > 0) troubled.push({ from: began, until: calmAt });
  for (const step of steps) {
    if (step.do !== 'outage' && step.do !== 'set aside') continue;
    troubled.push({ from: began + step.at, until: Math.min(calmAt, began + step.at + step.lasts) });
    if (step.do === 'outage') history.isLongOut ||= step.lasts > 4 * MINUTE;
  }
}

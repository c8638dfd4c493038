/** Plays scenes that are drawn behind all others: runs without one of them are as they were before. */
import { callOf, clickBy } from './later-scenes.ts';
import { MINUTE, type Report, type Step } from './plan.ts';
import { LIMITS } from './policies.ts';
import type { Dice } from './random.ts';

export const LAST_SCENES: readonly ((steps: Step[], dice: Dice) => void)[] = [
  /** An agent pays again and again until its budget of the day is spent, each time after the payment before. */
  (steps, dice) => {
    const at = dice.below(MINUTE);
    for (let index = 0; index <= LIMITS.payments + dice.below(2); index++) {
      const run = { how: dice.one(['agent', 'gate', 'server'] as const), times: 1, apart: 0, report: dice.chance(0.8) };
      const when = at + index * 25_000 + dice.below(5_000);
      steps.push(callOf(`paid${index}`, when, { tool: 'Pay', number: 320 + index, run }));
    }
  },
  /** A tool server runs a call and reports its end: late, twice, otherwise than before; and others report it, too. */
  (steps, dice) => {
    const at = dice.below(4 * MINUTE);
    for (let index = 0; index < 2; index++) {
      const id = `told-run${index}`;
      const tool = dice.one(['Look', 'Push', 'Pay', 'Ship', 'Drop'] as const);
      const reports = Array.from({ length: 1 + dice.below(3) }, () => reportOf(dice));
      const run = { how: 'server', times: dice.one([1, 1, 2]), apart: 0, report: true, reports } as const;
      steps.push(callOf(id, at + index * 30_000, { tool, number: 330 + index, run }));
      for (const who of ['alice', 'bob'] as const) steps.push(clickBy(id, at + index * 30_000 + 15_000, who));
    }
  },
];

const reportOf = (dice: Dice): Report => ({
  later: dice.one([0, 0, 500, 20_000, 3 * MINUTE]),
  as: dice.one(['succeeded', 'succeeded', 'failed'] as const),
  by: dice.one(['server', 'server', 'holder', 'guesser', 'stranger'] as const),
});

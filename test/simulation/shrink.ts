/** Leaves out steps and faults of a failing schedule for as long as the same guarantee breaks. */
import type { Fault, Plan, Step } from './model/plan.ts';
import { type Played, simulate } from './simulate.ts';

/** Runs that may be spent on one failure. */
const MAX_RUNS = 400;

interface Shrunk {
  readonly plan: Plan;
  readonly played: Played;
  readonly runs: number;
}

export async function shrink(failing: Plan, first: Played): Promise<Shrunk> {
  const wanted = new Set(first.problems.map(({ guarantee }) => guarantee));
  let runs = 0;
  const fails = async (steps: readonly Step[], faults: readonly (readonly [string, Fault])[]) => {
    runs += 1;
    const plan: Plan = { ...failing, steps, faults: new Map(faults) };
    const { problems } = await simulate(plan);
    return problems.some(({ guarantee }) => wanted.has(guarantee));
  };
  let { steps } = failing;
  let faults = [...first.met];
  // A run draws nothing once its faults are named, and may then no longer fail: it is shown as it was.
  if (!(await fails(steps, faults))) return { plan: failing, played: await simulate(failing, true), runs };
  for (let before = -1; before !== steps.length + faults.length && runs < MAX_RUNS; ) {
    before = steps.length + faults.length;
    faults = await fewest(
      faults,
      (left) => fails(steps, left),
      () => runs < MAX_RUNS,
    );
    steps = await fewest(
      steps,
      (left) => fails(left, faults),
      () => runs < MAX_RUNS,
    );
  }
  const plan: Plan = { ...failing, steps, faults: new Map(faults) };
  return { plan, played: await simulate(plan, true), runs };
}

/** Leaves out halves, then quarters, then single items. */
async function fewest<Item>(
  items: readonly Item[],
  fails: (left: readonly Item[]) => Promise<boolean>,
  may: () => boolean,
): Promise<Item[]> {
  let left = [...items];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length && may(); ) {
      const without = left.toSpliced(from, size);
      if (await fails(without)) left = without;
      else from += size;
    }
  }
  return left;
}

/** For eyes: the steps, the faults, what happened, and what it breaks. */
export function described({ plan, played }: Pick<Shrunk, 'plan' | 'played'>): string {
  const faults = [...played.met].map(([call, fault]) => `  ${call}: ${Object.values(fault).join(' ')}`);
  return [
    `seed ${plan.seed}: ${plan.steps.length} steps, ${faults.length} faults`,
    ...plan.steps.map((step) => `  ${JSON.stringify(step)}`),
    'faults, by the call of a port or the run of a function that met them:',
    ...(faults.length ? faults : ['  none']),
    'history:',
    ...played.lines,
    'problems:',
    ...played.problems.map(({ guarantee, text }) => `  ${guarantee}: ${text}`),
  ].join('\n');
}

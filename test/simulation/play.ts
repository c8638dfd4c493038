/** Plays seeds one after the other in this process, and shortens the first failure. */

// Before the modules that make schemas: a process parses thousands of messages and rows by the same ones.
import 'zod/compile';
import type { Problem } from './judge/judge.ts';
import { planOf } from './plan/draw.ts';
import { described, shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

interface Wanted {
  readonly first: number;
  readonly seeds: number;
  /** Milliseconds. */
  readonly longest: number;
  /** Stops at the first failure, and says as JSON which seed it was. */
  readonly stop: boolean;
  readonly onTables: boolean;
}

/** Tells the story of one seed. */
export async function tell(seed: number, onTables: boolean): Promise<void> {
  const plan = planOf(seed, onTables);
  const played = await simulate(plan, true);
  console.log(described({ plan, played }));
  if (played.problems.length) process.exitCode = 1;
}

export async function playSeeds({ first, seeds, longest, stop, onTables }: Wanted): Promise<void> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const failed: number[] = [];
  let played = 0;
  while (played < seeds && performance.now() - began < longest) {
    const plan = planOf(first + played, onTables);
    const result = await simulate(plan);
    played += 1;
    const [problem] = result.problems;
    if (!problem) continue;
    if (stop)
      return console.log(
        JSON.stringify({ seeds: played, seconds: seconds(), guarantees: guaranteesOf(result.problems) }),
      );
    failed.push(plan.seed);
    console.log(
      `seed ${plan.seed} fails: ${result.problems.map(({ guarantee, text }) => `${guarantee} ${text}`).join('; ')}`,
    );
    if (failed.length === 1) console.log(described(await shrink(plan, result)));
  }
  if (stop) return console.log(JSON.stringify({ seeds: played, seconds: seconds(), guarantees: [] }));
  if (failed.length || played < seeds) process.exitCode = 1;
  if (played < seeds) console.log(`the time is over: ${seeds - played} of ${seeds} seeds were not played`);
  console.log(
    `${played} seeds in ${seconds().toFixed(1)} s (${(played / seconds()).toFixed(0)} a second), ${failed.length} failed${failed.length ? `: ${failed.slice(0, 50).join(' ')}` : ''}`,
  );
}

function guaranteesOf(problems: readonly Problem[]): string[] {
  return [...new Set(problems.map(({ guarantee }) => guarantee))];
}

/** `npm run simulate`: plays seeds and shortens a failure; `--prove` puts known defects back. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { planOf } from './draw.ts';
import type { Problem } from './judge.ts';
import type { Plan } from './plan.ts';
import { prove } from './prove.ts';
import { described, shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '10' },
    /** The first of the seeds. */
    first: { type: 'string', default: '1' },
    /** Play the seeds in equal parts, side by side, and leave other work the first turn. */
    processes: { type: 'string', default: '1' },
    /** Tells the story of one seed. */
    seed: { type: 'string' },
    /** Stops at the first failure, and says as JSON which seed it was. */
    stop: { type: 'boolean', default: false },
    /** The stores are DynamoDB's, on simulated tables. */
    tables: { type: 'boolean', default: false },
    prove: { type: 'boolean', default: false },
    /** Mutants with this text in their name. */
    mutant: { type: 'string' },
  },
});

const numberOf = (name: 'seeds' | 'minutes' | 'first' | 'seed' | 'processes'): number => {
  const number = Number(values[name]);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new Error(`--${name}: a number from 0, not ${JSON.stringify(values[name])}`);
};

if (values.prove) process.exitCode = (await prove(numberOf('seeds'), values.mutant)) ? 0 : 1;
else if (numberOf('processes') > 1) await sharePlay(numberOf('processes'));
else if (values.seed === undefined) await playSeeds();
else {
  const plan = drawn(numberOf('seed'));
  const played = await simulate(plan, true);
  console.log(described({ plan, played }));
  if (played.problems.length) process.exitCode = 1;
}

function drawn(seed: number): Plan {
  return { ...planOf(seed), onTables: values.tables };
}

async function playSeeds(): Promise<void> {
  const began = performance.now();
  const [first, seeds, longest] = [numberOf('first'), numberOf('seeds'), numberOf('minutes') * 60_000];
  const seconds = () => (performance.now() - began) / 1_000;
  const failed: number[] = [];
  let played = 0;
  while (played < seeds && performance.now() - began < longest) {
    const plan = drawn(first + played);
    const result = await simulate(plan);
    played += 1;
    const [problem] = result.problems;
    if (!problem) continue;
    if (values.stop)
      return console.log(
        JSON.stringify({ seeds: played, seconds: seconds(), guarantees: guaranteesOf(result.problems) }),
      );
    failed.push(plan.seed);
    console.log(
      `seed ${plan.seed} fails: ${result.problems.map(({ guarantee, text }) => `${guarantee} ${text}`).join('; ')}`,
    );
    if (failed.length === 1) console.log(described(await shrink(plan, result)));
  }
  if (values.stop) return console.log(JSON.stringify({ seeds: played, seconds: seconds(), guarantees: [] }));
  if (failed.length) process.exitCode = 1;
  console.log(
    `${played} seeds in ${seconds().toFixed(1)} s (${(played / seconds()).toFixed(0)} a second), ${failed.length} failed${failed.length ? `: ${failed.slice(0, 50).join(' ')}` : ''}`,
  );
}

function guaranteesOf(problems: readonly Problem[]): string[] {
  return [...new Set(problems.map(({ guarantee }) => guarantee))];
}

/** Each process says what it found by itself. */
async function sharePlay(processes: number): Promise<void> {
  const [first, seeds] = [numberOf('first'), numberOf('seeds')];
  const shareOf = (index: number) => Math.floor((seeds * index) / processes);
  const played = Array.from({ length: processes }, async (_, index) => {
    const own = { first: first + shareOf(index), seeds: shareOf(index + 1) - shareOf(index), minutes: values.minutes };
    const options = Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)]);
    if (values.tables) options.push('--tables');
    const child = spawn(process.execPath, [import.meta.filename, ...options], { stdio: 'inherit' });
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    return new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false)).once('exit', (status) => resolve(status === 0));
    });
  });
  if (!(await Promise.all(played)).every(Boolean)) process.exitCode = 1;
}

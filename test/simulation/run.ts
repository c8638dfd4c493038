/** `npm run simulate`: plays seeds and shortens a failure; `--prove` puts known defects back. */
import { parseArgs } from 'node:util';
import { planOf } from './draw.ts';
import { prove } from './prove.ts';
import { described, shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '10' },
    /** The first of the seeds. */
    first: { type: 'string', default: '1' },
    /** Tells the story of one seed. */
    seed: { type: 'string' },
    /** Stops at the first failure, and says as JSON which seed it was. */
    stop: { type: 'boolean', default: false },
    prove: { type: 'boolean', default: false },
    /** Mutants with this text in their name. */
    mutant: { type: 'string' },
  },
});

const numberOf = (name: 'seeds' | 'minutes' | 'first' | 'seed'): number => {
  const number = Number(values[name]);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new Error(`--${name}: a number from 0, not ${JSON.stringify(values[name])}`);
};

if (values.prove) process.exitCode = (await prove(numberOf('seeds'), values.mutant)) ? 0 : 1;
else if (values.seed === undefined) await playSeeds();
else {
  const plan = planOf(numberOf('seed'));
  const played = await simulate(plan, true);
  console.log(described({ plan, played }));
  if (played.problems.length) process.exitCode = 1;
}

async function playSeeds(): Promise<void> {
  const began = performance.now();
  const [first, seeds, longest] = [numberOf('first'), numberOf('seeds'), numberOf('minutes') * 60_000];
  const seconds = () => (performance.now() - began) / 1_000;
  const failed: number[] = [];
  let played = 0;
  while (played < seeds && performance.now() - began < longest) {
    const plan = planOf(first + played);
    const result = await simulate(plan);
    played += 1;
    const [problem] = result.problems;
    if (!problem) continue;
    if (values.stop)
      return console.log(JSON.stringify({ seeds: played, seconds: seconds(), guarantee: problem.guarantee }));
    failed.push(plan.seed);
    console.log(
      `seed ${plan.seed} fails: ${result.problems.map(({ guarantee, text }) => `${guarantee} ${text}`).join('; ')}`,
    );
    if (failed.length === 1) console.log(described(await shrink(plan, result)));
  }
  if (values.stop) return console.log(JSON.stringify({ seeds: played, seconds: seconds() }));
  if (failed.length) process.exitCode = 1;
  console.log(
    `${played} seeds in ${seconds().toFixed(1)} s (${(played / seconds()).toFixed(0)} a second), ${failed.length} failed${failed.length ? `: ${failed.slice(0, 50).join(' ')}` : ''}`,
  );
}

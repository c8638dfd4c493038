/** `npm run simulate`: plays seeds one after the other, and prints the shortest schedule of the first that fails. */
import { parseArgs } from 'node:util';
import { planOf } from './plan.ts';
import { described } from './shrink.ts';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '10' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
});

if (values.seed !== undefined) {
  const plan = planOf(Number(values.seed));
  const played = await simulate(plan, true);
  console.log(described({ plan, played }));
} else {
  const began = performance.now();
  const first = Number(values.first);
  let failed = 0;
  let played = 0;
  for (; played < Number(values.seeds) && performance.now() - began < Number(values.minutes) * 60_000; played++) {
    const { problems } = await simulate(planOf(first + played));
    if (!problems.length) continue;
    failed += 1;
    if (failed <= 20)
      console.log(first + played, problems.map(({ guarantee, text }) => `${guarantee}: ${text}`).join('; '));
  }
  const seconds = (performance.now() - began) / 1_000;
  console.log(
    `${played} seeds in ${seconds.toFixed(1)} s (${(played / seconds).toFixed(0)} a second), ${failed} failed`,
  );
}

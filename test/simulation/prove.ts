/** Proves the simulator: puts each mutant back, one at a time, and counts the seeds until it is found. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GUARANTEES } from './judge/guarantees.ts';
import { ELSEWHERE } from './mutants/experiments.ts';
import type { Mutant } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { OF_TABLES } from './mutants/tables.ts';

/** One line of the table. */
interface Proven {
  /** Seeds that were played, the one that failed included. */
  readonly seeds: number;
  readonly seconds: number;
  /** The guarantees that the failing seed breaks, the first of them first; none: not found. */
  readonly guarantees: readonly string[];
}

const HERE = import.meta.dirname;
/** Only a hang reaches it: seeds bound the search, however busy the machine is. */
const MAX_MINUTES = '600';
const run = promisify(execFile);

export async function prove(most: number, only: string | undefined): Promise<boolean> {
  const isWanted = ({ name }: { readonly name: string }) => only === undefined || name.includes(only);
  const wanted = MUTANTS.filter(isWanted);
  const left = wanted.values();
  const broken = new Set<string>();
  let missed = 0;
  console.log(`${'mutant'.padEnd(70)} seeds  seconds  breaks`);
  const work = async () => {
    for (const mutant of left) {
      const { seeds, seconds, guarantees } = await proven(mutant, most);
      if (!guarantees.length) missed += 1;
      for (const one of guarantees) broken.add(one);
      console.log(
        `${mutant.name.padEnd(70)} ${String(seeds).padStart(5)}  ${seconds.toFixed(1).padStart(7)}  ${guarantees.join(' ') || 'NOT FOUND'}`,
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const { name, why, test } of ELSEWHERE.filter(isWanted))
    console.log(`${name.padEnd(70)} ${test ? `played by ${test}: ` : ''}${why}`);
  console.log(`${wanted.length - missed} of ${wanted.length} mutants found within ${most} seeds each`);
  return only === undefined ? printGuarantees(broken) && missed === 0 : missed === 0;
}

/** Each check of the judge has to find some mutant. */
function printGuarantees(broken: ReadonlySet<string>): boolean {
  let idle = 0;
  for (const [id, shown] of Object.entries(GUARANTEES)) {
    if ('test' in shown) console.log(`${id}  not by a history, but by ${shown.test}: ${shown.why}`);
    else if (broken.has(id)) console.log(`${id}  ${shown.checked}`);
    else {
      idle += 1;
      console.log(`${id}  NO MUTANT BREAKS IT: ${shown.checked}`);
    }
  }
  return idle === 0;
}

/** In a process of its own: its sources are loaded with the mutant. */
async function proven(mutant: Mutant, most: number): Promise<Proven> {
  const seeds = ['--seeds', String(most), '--minutes', MAX_MINUTES];
  const args = ['--import', join(HERE, 'put-in.ts'), join(HERE, 'run.ts'), ...seeds, '--stop'];
  if (OF_TABLES.includes(mutant)) args.push('--tables');
  const env = { ...process.env, COUNTERSIGN_MUTANT: mutant.name };
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Proven;
}

/** Proves the simulator: puts each mutant back, one at a time, and counts the seeds until it is found. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

/** One line of the table. */
interface Proven {
  readonly mutant: Mutant;
  /** Seeds that were played, the one that failed included. */
  readonly seeds: number;
  readonly seconds: number;
  /** The guarantee that broke first; undefined: not found. */
  readonly guarantee?: string;
}

const HERE = import.meta.dirname;
const run = promisify(execFile);

export async function prove(most: number, only: string | undefined): Promise<boolean> {
  const wanted = MUTANTS.filter(({ name }) => only === undefined || name.includes(only));
  const left = wanted.values();
  let missed = 0;
  console.log(`${'mutant'.padEnd(70)} seeds  seconds  breaks`);
  const work = async () => {
    for (const mutant of left) {
      const { seeds, seconds, guarantee } = await proven(mutant, most);
      if (!guarantee) missed += 1;
      console.log(
        `${mutant.name.padEnd(70)} ${String(seeds).padStart(5)}  ${seconds.toFixed(1).padStart(7)}  ${guarantee ?? 'NOT FOUND'}`,
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`${wanted.length - missed} of ${wanted.length} mutants found within ${most} seeds each`);
  return missed === 0;
}

/** In a process of its own: its sources are loaded with the mutant. */
async function proven(mutant: Mutant, most: number): Promise<Proven> {
  const args = ['--import', join(HERE, 'put-in.ts'), join(HERE, 'run.ts'), '--seeds', String(most), '--stop'];
  const env = { ...process.env, COUNTERSIGN_MUTANT: mutant.name };
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: 2 ** 26 });
  const found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Omit<Proven, 'mutant'>;
  return { mutant, ...found };
}

/** `npm run simulate`: plays seeds and shortens a failure; `--prove` puts known defects back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { enableCompileCache } from 'node:module';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../support/command-line.ts';

// Half of what a process costs to start: `--prove` starts one for each mutant.
enableCompileCache(join(import.meta.dirname, '../../.cache/compile'));
// Functions log and count for operators: nobody reads it here.
process.env['AWS_LAMBDA_LOG_LEVEL'] ??= 'FATAL';
process.env['POWERTOOLS_METRICS_DISABLED'] ??= 'true';

/** One thread collects garbage with less work than several do, and fewer collections find less of a run alive. */
const V8_OPTIONS = ['--no-parallel-scavenge', '--max-semi-space-size=128'];

const USAGE =
  'npm run simulate -- [--seeds N] [--minutes N] [--first N] [--processes N] [--seed N] [--stop] [--tables] [--prove [--mutant TEXT]]';

const { values } = commandLine(USAGE, {
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

// A process that only starts others loads nothing of the gate, which takes a second.
if (numberOf('processes') > 1 && !values.prove) await sharePlay(numberOf('processes'));
else if (values.prove) {
  const { prove } = await import('./prove.ts');
  process.exitCode = (await prove(numberOf('seeds'), values.mutant)) ? 0 : 1;
} else {
  const { playSeeds, tell } = await import('./play.ts');
  const { tables: onTables, stop } = values;
  if (values.seed !== undefined) await tell(numberOf('seed'), onTables);
  else {
    const longest = numberOf('minutes') * 60_000;
    await playSeeds({ first: numberOf('first'), seeds: numberOf('seeds'), longest, stop, onTables });
  }
}

/** Each process says what it found by itself. */
async function sharePlay(processes: number): Promise<void> {
  const [first, seeds] = [numberOf('first'), numberOf('seeds')];
  const shareOf = (index: number) => Math.floor((seeds * index) / processes);
  const children: ChildProcess[] = [];
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      for (const child of children) child.kill();
      process.exit(1);
    });
  const played = Array.from({ length: processes }, async (_, index) => {
    const own = { first: first + shareOf(index), seeds: shareOf(index + 1) - shareOf(index), minutes: values.minutes };
    const options = Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)]);
    if (values.tables) options.push('--tables');
    const child = spawn(process.execPath, [...V8_OPTIONS, import.meta.filename, ...options], { stdio: 'inherit' });
    children.push(child);
    if (child.pid !== undefined) setPriority(child.pid, Math.max(getPriority(), constants.priority.PRIORITY_LOW));
    return new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false)).once('exit', (status) => resolve(status === 0));
    });
  });
  if (!(await Promise.all(played)).every(Boolean)) process.exitCode = 1;
}

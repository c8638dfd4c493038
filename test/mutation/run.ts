/**
 * Runs every mutant of some files by the tests that reach it, in one process: `npm run mutation`.
 *
 * Options are `[-- permissions|kernel|FILE … --every N]`, for every mutant or every Nth. Mutants that no test notices
 * are listed. Not part of `npm test`. `README.md` beside this file explains what survives.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob, resolve } from 'node:path';
import { BaseSequencer, startVitest, type TestSpecification } from 'vitest/node';
import { commandLine } from '../support/command-line.ts';
import { type Mutant, withMutants } from './mutants.ts';
import { TARGETS, type Target } from './targets.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const { values, positionals: wanted } = commandLine('npm run mutation -- [permissions|kernel|FILE …] [--every N]', {
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' } },
});
const every = Math.max(1, Number.parseInt(values.every, 10));

const filesOf = ({ sources }: Target): string[] =>
  sources.flatMap((each) => (each.endsWith('/') ? globSync(`${each}**/*.ts`, { cwd: ROOT }) : [each])).sort();

/** As the target lists them: what notices most comes first, and so the others have less to run. */
const inOrder = ({ tests }: Target) =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const place = ({ moduleId }: TestSpecification) =>
        tests.findIndex((pattern) => matchesGlob(moduleId, join(ROOT, pattern)));
      return files.toSorted((a, b) => place(a) - place(b));
    }
  };

/** All of a target's sources are written anew, so that the loops of each are counted; only mutants of `files` are run. */
async function run(target: Target, files: ReadonlySet<string>): Promise<{ survived: Mutant[]; line: string }> {
  const sources = new Map<string, { readonly code: string; readonly mutants: readonly Mutant[] }>();
  let count = 0;
  for (const file of filesOf(target)) {
    const source = withMutants(file, readFileSync(join(ROOT, file), 'utf8'), count);
    count += source.mutants.length;
    sources.set(join(ROOT, file), source);
  }
  const mutants = [...sources.values()]
    .flatMap((source) => source.mutants)
    .filter(({ file }) => files.has(file))
    .filter((_, index) => index % every === 0);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mutation-'));
  const report = join(folder, 'report');
  writeFileSync(report, '');
  try {
    const vitest = await startVitest(
      'test',
      [],
      {
        config: false,
        root: ROOT,
        include: [...target.tests],
        // Properties would run each mutant hundreds of times, and the work on one command is long on purpose; the tables notice what they do.
        exclude: ['**/*.exhaustive.test.ts', '**/*.property.test.ts', '**/work-budget.test.ts'],
        runner: join(import.meta.dirname, 'mutation-runner.ts'),
        env: { COUNTERSIGN_RUNS: '40' },
        provide: { mutationReport: report, mutationIds: mutants.map(({ id }) => id) },
        // The transformed sources hold mutants: nobody else is to load them.
        fsModuleCache: false,
        isolate: false,
        maxWorkers: 1,
        fileParallelism: false,
        sequence: { sequencer: inOrder(target) },
        watch: false,
        reporters: [],
        testTimeout: 600_000,
      },
      {
        plugins: [
          {
            name: 'mutants',
            enforce: 'pre',
            transform: (_code, id) => sources.get(id.split('?')[0] as string)?.code,
          },
        ],
      },
    );
    await vitest.close();
    const lines = readFileSync(report, 'utf8').trim().split('\n');
    const ids = (word: string) =>
      new Set(lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1])));
    const [killed, reached, loaded] = [ids('killed'), ids('reached'), ids('loaded')];
    for (const line of lines) if (line.startsWith('debug ') || line.startsWith('unusable ')) console.log(line);
    const survived = mutants.filter(({ id }) => !killed.has(id));
    for (const { id, file, line, change } of survived) {
      const word = reached.has(id) ? 'survived ' : loaded.has(id) ? 'at load  ' : 'unreached';
      console.log(`${word} ${file}:${line}  ${change}`);
    }
    return {
      survived,
      line: `${target.name}: ${mutants.length} mutants, ${killed.size} killed, ${survived.length} survived`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isOf = (one: string, target: Target, file: string): boolean => one === target.name || file.startsWith(one);
const unknown = wanted.filter((one) => !TARGETS.some((each) => filesOf(each).some((file) => isOf(one, each, file))));
if (unknown.length > 0) {
  console.error(
    `${unknown.join(', ')}: no target and no file of one. Targets: ${TARGETS.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

const lines: string[] = [];
for (const target of TARGETS) {
  const files = filesOf(target).filter((file) => wanted.length === 0 || wanted.some((one) => isOf(one, target, file)));
  if (files.length === 0) continue;
  const { survived, line } = await run(target, new Set(files));
  lines.push(line);
  if (survived.length) process.exitCode = 1;
}
console.log(lines.join('\n'));

/**
 * Runs files of conformance cases: `npm run conformance`.
 *
 * Options are `[-- FILE.jsonl … --seed N --area A --id ID]`. Formats are those of `cases/README.md`; without a file,
 * all of the repository's are run. Prints one line per failing case (id, expected, got) and `N passed, N failed`. A
 * case that cannot be interpreted has failed. A case that is a scenario in words is passed by the tests that carry its
 * id in their names, which are run, and its line names them. Rows of the benign corpus are told by a table, and each
 * row that differs by a line.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../support/command-line.ts';
import { BENIGN, benignTable, failedBenign, isBenign, judgeBenign } from './benign.ts';
import { CASE_FILES, CASES } from './case-files.ts';
import { type CaseOutcome, interpretCase } from './interpret.ts';
import { isScenario, runNamed } from './named.ts';

/** The files that run if the command names none. */
const ALL = [...CASE_FILES.map((file) => join(CASES, file)), BENIGN];

interface Filter {
  readonly seed?: string | undefined;
  readonly area?: string | undefined;
  readonly id?: string | undefined;
}

interface AnyCase {
  readonly id: string;
  readonly seed?: number;
  readonly area?: string;
  readonly given?: unknown;
}

function chosen(one: AnyCase, { seed, area, id }: Filter): boolean {
  return (
    (seed === undefined || String(one.seed) === seed) &&
    (area === undefined || one.area === area) &&
    (id === undefined || one.id === id)
  );
}

/** A line that is no case is a case that failed. */
function readCases(file: string): AnyCase[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index): AnyCase[] => {
      if (line.trim() === '') return [];
      try {
        return [JSON.parse(line) as AnyCase];
      } catch {
        return [{ id: `${file}:${index + 1}` }];
      }
    });
}

async function main(): Promise<void> {
  const { values, positionals } = commandLine('npm run conformance -- [FILE …] [--area NAME] [--id ID] [--seed N]', {
    allowPositionals: true,
    options: { seed: { type: 'string' }, area: { type: 'string' }, id: { type: 'string' } },
  });
  let passed = 0;
  let failed = 0;
  const all = (positionals.length ? positionals : ALL).flatMap(readCases).filter((each) => chosen(each, values));
  const benign = all.filter(isBenign);
  const cases = all.filter((each) => !isBenign(each));
  const scenarios = cases.filter(isScenario).map(({ id }) => id);
  const named = scenarios.length ? await runNamed(scenarios) : new Map<string, CaseOutcome>();
  for (const one of cases) {
    const outcome = named.get(one.id) ?? (await interpretCase(one));
    if (outcome.passed) {
      passed += 1;
      if (named.has(one.id)) process.stdout.write(`${one.id}  passed by ${oneLine(outcome.got)}\n`);
    } else {
      failed += 1;
      process.stdout.write(`${one.id}  expected ${oneLine(outcome.expected)}  got ${oneLine(outcome.got)}\n`);
    }
  }
  if (benign.length) {
    const outcomes = await judgeBenign(benign);
    process.stdout.write(`${benignTable(outcomes).join('\n')}\n`);
    failed += failedBenign(outcomes).length;
    passed += outcomes.length - failedBenign(outcomes).length;
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function oneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.replaceAll('\n', ' ').slice(0, 600);
}

await main();

/**
 * Runs conformance cases that are scenarios in words, by the tests that carry their ids.
 *
 * A case is passed only if a test whose name carries its id exists and passed in this very run. The runner finds those
 * tests by their names in the sources, runs them, and counts what Vitest reports.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runToEnd } from '../support/run-to-end.ts';
import type { CaseOutcome } from './interpret.ts';
import { isSlackData } from './security/slack-shape.ts';

const NAMED_AREAS: readonly string[] = ['guardrail', 'token', 'audit', 'slack'];

/** Whether a case is a scenario in words: of the area slack those that are no data. */
export const isScenario = (one: { readonly area?: string; readonly given?: unknown }): boolean =>
  one.area !== undefined && NAMED_AREAS.includes(one.area) && !isSlackData(one);

const ROOT = join(import.meta.dirname, '../..');
const ID = /\b[A-Z]{1,3}-\d{3}\b/g;

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources = (): Source[] =>
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(test|contract)\.ts$/.test(path))
    .map((path) => ({ path: join('test', path), text: readFileSync(join(ROOT, 'test', path), 'utf8') }));

/** Test files that name one of the ids; a suite that several files run is in all of them. */
export function filesNaming(ids: readonly string[], all: readonly Source[] = sources()): string[] {
  const wanted = new Set<string>(ids);
  const names = ({ text }: Source) => [...text.matchAll(ID)].some(([id]) => wanted.has(id));
  const suites = all.filter((source) => source.path.endsWith('.contract.ts') && names(source));
  const runs = (source: Source) =>
    suites.some(
      ({ path }) => source.text.includes(`./${path.split('/').at(-1)}`) && dirname(path) === dirname(source.path),
    );
  return all
    .filter((source) => source.path.endsWith('.test.ts') && (names(source) || runs(source)))
    .map(({ path }) => path);
}

interface Reported {
  readonly fullName: string;
  readonly status: string;
}

/** Outcomes of the tests of each id. An id without a test has failed, and so has one with a test that failed or was skipped. */
export function outcomesOf(
  ids: readonly string[],
  reported: readonly Reported[] | undefined,
): Map<string, CaseOutcome> {
  return new Map(
    ids.map((id) => {
      const tests = (reported ?? []).filter(({ fullName }) => [...fullName.matchAll(ID)].some(([name]) => name === id));
      const passed = tests.length > 0 && tests.every(({ status }) => status === 'passed');
      const got = tests.length
        ? tests.map(({ fullName, status }) => `${fullName}: ${status}`).join('; ')
        : reported
          ? 'no such test'
          : 'Vitest ended before it could report: run the tests of that name to see why';
      return [id, { passed, expected: `a test named ${id} that passes`, got }];
    }),
  );
}

/** Runs the tests that carry these ids in their names. Tests of the deployed stack deploy it first: a minute. */
export async function runNamed(ids: readonly string[]): Promise<Map<string, CaseOutcome>> {
  const files = filesNaming(ids);
  if (!files.length) return outcomesOf(ids, []);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-conformance-'));
  try {
    const report = join(folder, 'report.json');
    const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
    const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, '-t', ids.join('|'), ...files];
    await runToEnd(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
    return outcomesOf(ids, reportedIn(report));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `undefined` if the run ended before it could report. */
function reportedIn(path: string): Reported[] | undefined {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly testResults: readonly { readonly assertionResults: readonly Reported[] }[];
    };
    // Tests of the same files that the filter left out are reported as skipped.
    return report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== 'skipped');
  } catch {
    return undefined;
  }
}

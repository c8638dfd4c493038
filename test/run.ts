/**
 * `npm test`: every check in order, each also alone as `npm run test:<name>`. Goes on after a failure, so that one run shows all, and
 * closes with `N passed, N failed`. `npm run check` runs the fast ones.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where vitest writes its counts; a step without them counts as one test. */
  readonly report?: string;
}

const REPORTS = join('.cache', 'reports');
const vitest = (name: string): Step => {
  const report = join(REPORTS, `${name}.json`);
  const args = ['run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command: 'vitest', args, report };
};

const STEPS: readonly Step[] = [
  { name: 'lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  vitest('unit'),
  vitest('exhaustive'),
  vitest('conformance'),
  vitest('contract'),
  vitest('functions'),
  vitest('cdk'),
  vitest('local'),
  vitest('package'),
  vitest('e2e'),
];
const FAST = ['lint', 'types', 'unit'];

interface Count {
  readonly passed: number;
  readonly failed: number;
}

function run({ name, command, args, report }: Step): Count {
  const began = performance.now();
  console.log(`\n── ${name}: ${command} ${args.filter((arg) => !arg.includes('report')).join(' ')}`);
  if (report) rmSync(report, { force: true });
  const { status } = spawnSync(join('node_modules', '.bin', command), args, {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  console.log(
    `── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  return status === 0 ? { passed: countOf(report).passed || 1, failed: 0 } : failedCount(report);
}

function countOf(report: string | undefined): Count {
  if (!report || !existsSync(report)) return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
  return { passed: numPassedTests ?? 0, failed: numFailedTests ?? 0 };
}

/** A step that failed without a failed test (a crash, a file that does not load) still counts as one. */
function failedCount(report: string | undefined): Count {
  const { passed, failed } = countOf(report);
  return { passed, failed: Math.max(1, failed) };
}

const wanted = process.argv.slice(2);
const names = wanted.includes('--fast') ? FAST : wanted;
const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length) {
  console.error(`no such step: ${unknown.join(', ')}; there are ${STEPS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
mkdirSync(REPORTS, { recursive: true });
const counts = STEPS.filter(({ name }) => !names.length || names.includes(name)).map((step) => ({
  step,
  count: run(step),
}));
const passed = counts.reduce((sum, { count }) => sum + count.passed, 0);
const failed = counts.reduce((sum, { count }) => sum + count.failed, 0);
const broken = counts.filter(({ count }) => count.failed > 0).map(({ step }) => step.name);
if (broken.length) console.log(`\nfailed: ${broken.join(', ')}`);
if (!wanted.length) console.log('\nthe end-to-end tests on the second endpoint: npm run localstack:suite');
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

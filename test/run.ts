/**
 * `npm test`: every check in order, each also alone as `npm run test:<name>`. Goes on after a failure, so that one run shows all, and
 * closes with `N passed, N failed`. `npm run check` runs the fast ones.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

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
  { name: 'lint', command: 'node', args: [join('test', 'lint', 'run.ts')] },
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  vitest('unit'),
  vitest('exhaustive'),
  vitest('conformance'),
  vitest('contract'),
  vitest('functions'),
  vitest('cdk'),
  vitest('local'),
  vitest('python'),
  vitest('package'),
  vitest('e2e'),
];
const FAST = ['lint', 'types', 'unit'];

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** The tests that failed, each with the first line of why: the end of a long output is what is read. */
  readonly failures: readonly string[];
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function run({ name, command, args, report }: Step): Count {
  const began = performance.now();
  console.log(`\n── ${name}: ${command} ${args.filter((arg) => !arg.includes('report')).join(' ')}`);
  if (report) rmSync(report, { force: true });
  const program = command === 'node' ? process.execPath : join('node_modules', '.bin', command);
  const { status } = spawnSync(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  console.log(
    `── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  const count = countOf(report);
  if (status === 0) return { passed: count.passed || 1, failed: 0, failures: [] };
  // A step that failed without a failed test (a crash, a file that does not load) still counts as one.
  return { ...count, failed: Math.max(1, count.failed) };
}

function countOf(report: string | undefined): Count {
  if (!report || !existsSync(report)) return { passed: 0, failed: 0, failures: [] };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const failures = testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => said(`${file}: ${fullName}`, failureMessages[0]));
    return tests.length > 0 || message === '' ? tests : [said(file, message)];
  });
  return { passed: numPassedTests, failed: numFailedTests, failures };
}

const said = (test: string, why: string | undefined) =>
  `  ${test}\n${(why ?? '')
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 400)}`)
    .join('\n')}`;

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
for (const { step, count } of counts) {
  if (count.failed > 0) console.log([`\nfailed in ${step.name}:`, ...count.failures].join('\n'));
}
if (!wanted.length) console.log('\nthe end-to-end tests on the second endpoint: npm run localstack:suite');
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

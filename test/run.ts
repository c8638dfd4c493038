/**
 * Runs every check, each also alone as `npm run test:<name>`: `npm test`.
 *
 * Goes on after a failure, so that one run shows all, and closes with `N passed, N failed`. `npm run check` runs the
 * fast ones.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where vitest writes its counts; a step without them counts as one test. */
  readonly report?: string;
  /** Begins at once, beside all others: it takes only what they leave of the cores. */
  readonly isBeside?: true;
}

const REPORTS = join('.cache', 'reports');
const vitest = (name: string, ...also: readonly string[]): Step => {
  const report = join(REPORTS, `${name}.json`);
  const projects = [name, ...also].flatMap((project) => ['--project', project]);
  const args = ['run', ...projects, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command: 'vitest', args, report };
};

/** With the frameworks' own packages, which this step installs. */
function integrations(): Step {
  const { name, args, report = '' } = vitest('integrations');
  const [, , , ...options] = args;
  return { name, command: 'node', args: [join('test', 'integrations', 'run.ts'), ...options], report };
}

/** Seeds of the simulator, on every core while nobody else asks for it: all of them, however long the others take. */
const SIMULATE: Step = {
  name: 'simulate',
  command: 'node',
  args: [
    join('test', 'simulation', 'run.ts'),
    ...['--seeds', '20000', '--minutes', '120', '--processes', String(availableParallelism())],
  ],
  isBeside: true,
};

/** In the order of their beginnings: whatever takes longest is not the last, when nothing is left to do beside it. */
const STEPS: readonly Step[] = [
  SIMULATE,
  vitest('e2e'),
  { name: 'lint', command: 'node', args: [join('test', 'lint', 'run.ts')] },
  // Others are at work beside it: each further checker checks for itself what the files have in common.
  { name: 'types', command: 'tsc', args: ['--noEmit', '--checkers', '1'] },
  vitest('unit'),
  vitest('local'),
  vitest('package'),
  vitest('exhaustive', 'simulation'),
  integrations(),
  vitest('campaign'),
  vitest('cdk'),
  vitest('contract', 'contract-signed', 'contract-simulated'),
  vitest('functions'),
  vitest('conformance'),
  vitest('python'),
];
const FAST = ['lint', 'types', 'unit'];
/** Steps at work at a time, beside the simulator: one that deploys a gate or starts programs waits for much of its time. */
const LANES = 2;

/** Everything that the steps leave in the temporary folder: CDK, browsers and killed processes leave much of it. */
const TEMPORARY = mkdtempSync(join(tmpdir(), 'countersign-tests-'));
// Some programs run as nobody, who has to get at their own folder in it.
chmodSync(TEMPORARY, 0o755);
process.on('exit', () => rmSync(TEMPORARY, { recursive: true, force: true, maxRetries: 3 }));
/** The steps at work: a signal may reach this process alone, and simulating would go on for two hours. */
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });

/** esbuild and TypeScript collect garbage a quarter as often: a sixth of esbuild's processor time, for some hundred megabytes. */
const GOGC = '400';

/** Code that Node compiled of the programs that tests start again and again: a start takes about half of the processor time with it. */
const COMPILED = join(TEMPORARY, 'compiled');

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** The tests that failed, each with the first line of why: the end of a long output is what is read. */
  readonly failures: readonly string[];
}

const OWN = ['inherit', 'inherit'] as const;
const HELD = ['pipe', 'pipe'] as const;

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

/** `isHeld`: prints at the end what the step prints, since others print meanwhile. */
async function run({ name, command, args, report }: Step, isHeld: boolean): Promise<Count> {
  const began = performance.now();
  const heading = `\n── ${name}: ${command} ${args.filter((arg) => !arg.includes('report')).join(' ')}`;
  if (!isHeld) console.log(heading);
  if (report) rmSync(report, { force: true });
  const program = command === 'node' ? process.execPath : join('node_modules', '.bin', command);
  const child = spawn(program, args, {
    stdio: ['ignore', ...(isHeld ? HELD : OWN)],
    env: { NODE_COMPILE_CACHE: COMPILED, GOGC, ...process.env, TMPDIR: TEMPORARY },
  });
  running.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const status = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null)).on('close', resolve);
  });
  running.delete(child);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const end = `── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`;
  console.log(isHeld ? `${heading}\n${Buffer.concat(output)}${end}` : end);
  const count = countOf(report);
  if (status === 0) return { passed: count.passed || 1, failed: 0, failures: [] };
  // A step that failed without a failed test (a crash, a file that does not load) still counts as one.
  return { ...count, failed: Math.max(1, count.failed) };
}

function countOf(report: string | undefined): Count {
  const written = report && reportIn(report);
  if (!written) return { passed: 0, failed: 0, failures: [] };
  const { numPassedTests, numFailedTests, testResults } = written;
  const failures = testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => failureText(`${file}: ${fullName}`, failureMessages[0]));
    return tests.length > 0 || message === '' ? tests : [failureText(file, message)];
  });
  return { passed: numPassedTests, failed: numFailedTests, failures };
}

/** Undefined if the step ended before it wrote all of it: the other steps go on. */
function reportIn(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

const failureText = (test: string, why: string | undefined) =>
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
const steps = STEPS.filter(({ name }) => !names.length || names.includes(name));
const counts: { readonly step: Step; readonly count: Count }[] = [];
const record = async (step: Step, isHeld: boolean) => {
  counts.push({ step, count: await run(step, isHeld) });
};
// One after the other, the fast ones print while they are at work.
const isHeld = steps.length > 1 && names !== FAST;
const queue = steps.filter(({ isBeside }) => !isBeside).values();
const lane = async () => {
  for (const step of queue) await record(step, isHeld);
};
// Two lanes alone leave a third of the cores idle: a step that was beside them makes place for one more.
const beside = steps.filter(({ isBeside }) => isBeside).map((step) => record(step, isHeld).then(lane));
await Promise.all([...beside, ...Array.from({ length: isHeld ? LANES : 1 }, lane)]);
const passed = counts.reduce((sum, { count }) => sum + count.passed, 0);
const failed = counts.reduce((sum, { count }) => sum + count.failed, 0);
for (const { step, count } of counts) {
  if (count.failed > 0) console.log([`\nfailed in ${step.name}:`, ...count.failures].join('\n'));
}
if (!wanted.length) {
  console.log('\nthe end-to-end tests on the second endpoint: npm run localstack:suite');
  console.log('the Python adapters with their frameworks: npm run test:python-frameworks');
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

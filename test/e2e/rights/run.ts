/**
 * Lists which rights of the deployed stack the end-to-end tests use: `npm run rights`.
 *
 * Runs the suite with the endpoint's log of rights, or reads a log of before with `--log PREFIX`. A right that no test
 * uses and `reasons.ts` does not name fails. With `--prove` a test of each statement is run without it, for `--minutes`
 * at most, by `--workers` with a gate each, and the next run goes on where this one ended; with `--write`
 * docs/reference/rights.md is written. Both take the tests of a log, or without one those that the page names.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { bundleFunctions } from '../../../cdk/bundle.ts';
import { ROOT, runApp } from '../../cdk/support/run-app.ts';
import type { TemplateJson } from '../../cdk/support/template.ts';
import { argumentsFor } from '../../local/localstack/outcomes.ts';
import { commandLine } from '../../support/command-line.ts';
import { runToEnd } from '../../support/run-to-end.ts';
import { STACK } from '../gate.ts';
import { type Candidates, type Planned, planOf, proofsIn, sharesOf, testsOf, usesOf } from './proof.ts';
import { reasonFor } from './reasons.ts';
import { type Granted, grantedBy } from './record.ts';
import { PAGE, shownOnPage, written } from './table.ts';
import { type Logged, type TestEvent, type UsedRight, usedRights } from './used.ts';

const USAGE = 'npm run rights -- [--log PREFIX] [--prove [--minutes N] [--workers N]] [--write] [TEST …]';

const { values, positionals } = commandLine(USAGE, {
  options: {
    log: { type: 'string' },
    prove: { type: 'boolean' },
    minutes: { type: 'string', default: '30' },
    workers: { type: 'string', default: '2' },
    write: { type: 'boolean' },
  },
  allowPositionals: true,
});
/** The page alone is read and written where no log is asked for. */
const hasLog = values.log !== undefined || !(values.prove || values.write);
const prefix =
  values.log ??
  (hasLog ? join(mkdtempSync(join(tmpdir(), 'countersign-rights-')), 'log') : join(ROOT, '.cache', 'rights'));
async function vitest(args: readonly string[], more: Record<string, string>): Promise<number | null> {
  return runToEnd(join('node_modules', '.bin', 'vitest'), ['run', '--project', 'e2e', ...args], {
    stdio: 'inherit',
    env: { ...process.env, COUNTERSIGN_ENDPOINT: 'ministack', AWS_ENDPOINT_URL: '', ...more },
  });
}
const status = hasLog && values.log === undefined ? await vitest(positionals, { COUNTERSIGN_RIGHTS_LOG: prefix }) : 0;

const linesOf = <Line>(file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

interface Log {
  /** The stack that was logged. */
  readonly template: TemplateJson;
  readonly logged: readonly Logged[];
  readonly events: readonly TestEvent[];
}

function readLog(): Log {
  const { endpoint, template } = JSON.parse(readFileSync(`${prefix}.template`, 'utf8')) as {
    readonly endpoint: number;
    readonly template: TemplateJson;
  };
  const log = `${prefix}.${endpoint}`;
  if (!readdirSync(dirname(log)).includes(basename(log))) throw new Error(`the endpoint left no log ${log}`);
  return { template, logged: linesOf(log), events: linesOf(`${prefix}.tests`) };
}
const log = hasLog ? readLog() : undefined;
const used = log && usedRights(log.template, log.logged, log.events);

const RESULTS = `${prefix}.proofs`;
const MINUTE_MS = 60_000;
/** Tests that share the gate. */
const FOLDERS = [join('test', 'e2e'), join('test', 'integrations', 'deployed')];
/** The time of a test that no log tells of. */
const USUAL_SECONDS = 10;

/** The stack of the end-to-end tests as it is now: a log of before may be of another one. */
async function templateNow(): Promise<TemplateJson> {
  await bundleFunctions(ROOT);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-template-'));
  const policyFile = join(ROOT, 'test', 'e2e', 'policy.yaml');
  const context = { stackName: STACK, policyFile, slackAppId: 'A0COUNTERSIGN', development: 'true' };
  const { ok, output } = await runApp(folder, context, join(ROOT, 'test', 'e2e', 'app.ts'));
  if (!ok) throw new Error(`the stack of the tests did not synthesise:\n${output}`);
  return JSON.parse(readFileSync(join(folder, `${STACK}.template.json`), 'utf8')) as TemplateJson;
}

/** The tests that may fail without a statement. A statement that the page has as proved needs none. */
function testsIn(template: TemplateJson): (statement: string, one: Granted) => Candidates {
  const uses = log && usesOf(grantedBy(log.template), log.logged, log.events);
  const page = shownOnPage(readFileSync(PAGE, 'utf8'), template);
  return (statement, one) => {
    const { test, isProved } = page.get(statement) ?? {};
    if (isProved) return new Map();
    return uses ? testsOf(one, uses) : new Map(test === undefined ? [] : [[test, USUAL_SECONDS]]);
  };
}

/** Runs the next test of each statement that is not proved yet, and then another one. */
async function prove(template: TemplateJson, until: number): Promise<void> {
  mkdirSync(dirname(RESULTS), { recursive: true });
  const testsFor = testsIn(template);
  const isWanted = (name: string) => !positionals.length || positionals.some((part) => name.includes(part));
  const wanted = (statement: string, one: Granted) =>
    new Map([...testsFor(statement, one)].filter(([name]) => isWanted(name)));
  for (let known = -1; proofsIn(RESULTS).length > known && Date.now() < until; ) {
    known = proofsIn(RESULTS).length;
    const planned = planOf(grantedBy(template), wanted, proofsIn(RESULTS), positionals.length > 0);
    await Promise.all(sharesOf(planned, Number(values.workers)).map((tests) => play(tests, until)));
  }
}

/** One worker's share. */
async function play(tests: readonly Planned[], until: number): Promise<void> {
  const plan = join(mkdtempSync(join(tmpdir(), 'countersign-plan-')), 'plan.json');
  const shared = { log: `${plan}.log`, results: RESULTS };
  writeFileSync(plan, JSON.stringify({ tests, until, ...shared }));
  const files = new Map(
    FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => [basename(file), join(folder, file)]),
    ),
  );
  const wanted = tests.flatMap(({ test }) => {
    const [file = '', ...names] = test.split(' > ');
    const path = files.get(file);
    return path === undefined ? [] : [{ file: path, test: names.join(' > '), state: 'failed' } as const];
  });
  const more = { COUNTERSIGN_RIGHTS_PLAN: plan, COUNTERSIGN_RIGHTS_LOG: shared.log };
  await vitest([...argumentsFor(wanted), '--maxConcurrency=1'], more);
}
const template = values.prove || values.write ? await templateNow() : undefined;
if (values.prove && template) await prove(template, Date.now() + Number(values.minutes) * MINUTE_MS);

const proofs = proofsIn(RESULTS);
if (values.write && template) writeFileSync(PAGE, written(readFileSync(PAGE, 'utf8'), template, used?.rights, proofs));

const text = ({ role, action, resource, rows }: UsedRight): string =>
  [role, action, resource, ...(rows ? [`[${rows}]`] : [])].join(' ');
const print = (heading: string, lines: readonly string[]) =>
  console.log([`\n── ${lines.length} ${heading}`, ...lines].join('\n'));
if (used) tell(used);
if (proofs.length)
  print(
    'tests of statements',
    proofs.map(({ statement, test, result }) => `${result} ${statement}: ${test}`),
  );
console.log(`\nthe log: ${prefix}.*`);
const hasSurplus = positionals.length === 0 && used !== undefined && surplusOf(used.rights).length > 0;
process.exitCode = status === 0 && !hasSurplus ? 0 : (status ?? 1) || 1;

function surplusOf(rights: readonly UsedRight[]): UsedRight[] {
  return rights.filter((right) => right.test === undefined && !right.isOfAws && reasonFor(right) === undefined);
}

function tell({ rights, refused }: ReturnType<typeof usedRights>): void {
  const unused = rights.filter(({ test }) => test === undefined);
  print(
    'rights that a test used',
    rights.filter(({ test }) => test !== undefined).map((right) => `${text(right)}: ${right.test}`),
  );
  print(
    'rights that AWS uses in the name of a role, and no local endpoint asks for',
    unused.filter(({ isOfAws }) => isOfAws).map(text),
  );
  print(
    'rights that no test used, with the reason why they are granted',
    unused
      .filter((right) => !right.isOfAws && reasonFor(right) !== undefined)
      .map((right) => `${text(right)}: ${reasonFor(right)}`),
  );
  print('rights that no test used, and nothing gives a reason for', surplusOf(rights).map(text));
  print(
    'requests that no statement allowed',
    refused.map(({ role, action, resource, test }) => `${role} ${action} ${resource}: ${test}`),
  );
}

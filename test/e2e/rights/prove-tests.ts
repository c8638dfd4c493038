/**
 * Runs each test of a plan once without each statement of its own, and at last with all of them.
 *
 * `npm run rights -- --prove` makes the plan. Without `COUNTERSIGN_RIGHTS_PLAN` it does nothing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, beforeEach, type RunnerTask } from 'vitest';
import { type Named, nameOf } from '../../local/localstack/setup-endpoint.ts';
import { e2eGate } from '../gate.ts';
import { withdrawAll } from '../harness/agents.ts';
import { withoutStatement } from '../harness/rights.ts';
import { noteProof, type Planned, type Taken } from './proof.ts';
import { type Logged, THIEF } from './used.ts';

interface Plan {
  readonly tests: readonly Planned[];
  /** No attempt begins after this time. */
  readonly until: number;
  readonly log: string;
  readonly results: string;
}

const file = process.env['COUNTERSIGN_RIGHTS_PLAN'];

/** Results of a test without each of its statements, so far. */
interface State {
  next: number;
  isOver: boolean;
  readonly failed: { readonly taken: Taken; readonly isRefused: boolean }[];
  readonly passed: Taken[];
}

if (file) {
  const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan;
  const planned = new Map(plan.tests.map(({ test, taken }) => [test, taken]));
  const states = new Map<string, State>();

  // biome-ignore lint/correctness/noEmptyPattern: vitest asks for a pattern of fixtures before the suite
  beforeAll(({}, suite) => {
    for (const task of testsIn(suite.tasks)) {
      // Side by side, one test would lack the statement of another.
      task.concurrent = false;
      const taken = planned.get(nameOf(task as unknown as Named));
      if (taken) task.repeats = taken.length;
      else task.mode = 'skip';
    }
  });

  beforeEach(async ({ task, skip, onTestFinished }) => {
    const test = nameOf(task as unknown as Named);
    const state: State = states.get(test) ?? { next: 0, isOver: false, failed: [], passed: [] };
    states.set(test, state);
    const isLate = Date.now() > plan.until;
    if (state.isOver || (state.next === 0 && isLate)) skip('no time was left');
    // The last attempt has every right: what failed before proves nothing without it.
    const taken = isLate ? undefined : planned.get(test)?.[state.next++];
    state.isOver = taken === undefined;
    const before = (await refusals(plan.log)).length;
    const giveBack = taken ? await withoutStatement(taken) : undefined;
    // After every other hook, whatever became of the test.
    onTestFinished(async () => {
      await giveBack?.();
      const isPassed = task.result?.state === 'pass';
      if (taken && isPassed) state.passed.push(taken);
      if (taken && !isPassed) {
        const since = (await refusals(plan.log)).slice(before);
        state.failed.push({ taken, isRefused: since.some((line) => isOf(line, taken)) });
      }
      await withdrawAll();
      if (taken) return;
      for (const { statement } of state.passed) noteProof(plan.results, { statement, test, result: 'unnoticed' });
      for (const {
        taken: { statement },
        isRefused,
      } of state.failed)
        noteProof(plan.results, { statement, test, result: isPassed && isRefused ? 'needed' : 'unclear' });
    }, 60_000);
    // The first one deploys the gate.
  }, 300_000);
}

const isOf = ({ role, action, session }: Logged, taken: Taken): boolean =>
  session !== THIEF && role.includes(taken.role) && taken.actions.includes(action);

function testsIn(tasks: readonly RunnerTask[]): Extract<RunnerTask, { type: 'test' }>[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task.tasks) : [task]));
}

async function refusals(log: string): Promise<Logged[]> {
  const { endpoint } = await e2eGate();
  const path = `${log}.${endpoint.pid}`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('Deny'))
    .map((line) => JSON.parse(line) as Logged);
}

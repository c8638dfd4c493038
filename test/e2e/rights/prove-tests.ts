/**
 * Runs each test of a plan once without each statement of its own, and at last with all of them.
 *
 * `npm run rights -- --prove` makes the plan. Without `COUNTERSIGN_RIGHTS_PLAN` it does nothing.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, type RunnerTask } from 'vitest';
import { type Named, nameOf } from '../../local/localstack/setup-endpoint.ts';
import { withdrawAll } from '../harness/agents.ts';
import { withoutStatement } from '../harness/rights.ts';
import { noteProof, type Planned, resultOf } from './proof.ts';
import { Refused } from './refused.ts';

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
  readonly tried: { readonly statement: string; readonly isRefused: boolean; readonly isPassed: boolean }[];
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
    const state: State = states.get(test) ?? { next: 0, isOver: false, tried: [] };
    states.set(test, state);
    const isLate = Date.now() > plan.until;
    if (state.isOver || (state.next === 0 && isLate)) skip('no time was left');
    // The last attempt has every right: what failed before proves nothing without it.
    const taken = isLate ? undefined : planned.get(test)?.[state.next++];
    state.isOver = taken === undefined;
    const refused = taken && (await Refused.watch(plan.log, taken));
    const giveBack = taken ? await withoutStatement(taken) : undefined;
    // After every other hook, whatever became of the test.
    onTestFinished(async () => {
      refused?.stop();
      await giveBack?.();
      const isPassed = task.result?.state === 'pass';
      if (taken) state.tried.push({ statement: taken.statement, isRefused: refused?.isSeen() === true, isPassed });
      await withdrawAll();
      if (taken) return;
      for (const { statement, ...without } of state.tried)
        noteProof(plan.results, { statement, test, result: resultOf(without, isPassed) });
    }, 60_000);
    // The first one deploys the gate.
  }, 300_000);
}

function testsIn(tasks: readonly RunnerTask[]): Extract<RunnerTask, { type: 'test' }>[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task.tasks) : [task]));
}

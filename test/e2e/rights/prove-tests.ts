/**
 * Plays each test of a plan with everything, and without each statement of its own.
 *
 * `npm run rights -- --prove` makes the plan. Without `COUNTERSIGN_RIGHTS_PLAN` it does nothing.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, type RunnerTask } from 'vitest';
import { type Named, nameOf } from '../../local/localstack/setup-endpoint.ts';
import { withoutStatement } from '../harness/rights.ts';
import { hopeless } from '../harness/until.ts';
import { type Limited, limits } from './limited.ts';
import { noteProof, type Planned } from './proof.ts';
import { Requests } from './requests.ts';
import { Snapshot } from './snapshot.ts';
import { type Play, type Played, Trial } from './trial.ts';

interface Plan {
  readonly tests: readonly Planned[];
  /** No play without a statement begins after this time. */
  readonly until: number;
  readonly log: string;
  readonly results: string;
}

const file = process.env['COUNTERSIGN_RIGHTS_PLAN'];

if (file) {
  const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan;
  const planned = new Map(plan.tests.map(({ test, taken }) => [test, taken]));
  const trials = new Map<string, Trial>();
  const snapshots = new Map<string, Snapshot>();

  // biome-ignore lint/correctness/noEmptyPattern: vitest asks for a pattern of fixtures before the suite
  beforeAll(({}, suite) => {
    for (const task of testsIn(suite.tasks)) {
      // Side by side, one test would lack the statement of another.
      task.concurrent = false;
      const test = nameOf(task as unknown as Named);
      const taken = planned.get(test);
      if (!taken) {
        task.mode = 'skip';
        continue;
      }
      task.repeats = Trial.maxPlays(taken.length);
      trials.set(test, new Trial(test, taken));
    }
  });

  beforeEach(async ({ task, skip, onTestFinished }) => {
    const test = nameOf(task as unknown as Named);
    const trial = trials.get(test);
    const play = trial?.next(Date.now() > plan.until);
    if (!trial || !play) return skip('nothing is left to play');
    const snapshot = snapshots.get(test) ?? (await Snapshot.take());
    if (snapshots.has(test)) await snapshot.restore();
    snapshots.set(test, snapshot);
    const control = new AbortController();
    hopeless.signal = control.signal;
    const now: Limited = { limitMs: play.limitMs, ms: 0, end: (reason) => control.abort(reason) };
    limits.countersignLimited = now;
    const requests = await Requests.sinceNow(plan.log);
    const restore = play.taken ? await withoutStatement(play.taken) : undefined;
    // After every other hook, whatever became of the test.
    onTestFinished(async () => {
      hopeless.signal = undefined;
      await restore?.();
      const isPassed = task.result?.state === 'pass';
      const isRefused = play.taken !== undefined && requests.hasRefusal(play.taken);
      const proofs = trial.ended(play, { isPassed, isRefused, ms: now.ms }, (taken) => requests.hasUse(taken));
      for (const proof of proofs) noteProof(plan.results, proof);
      console.log(toldOf(play, { isPassed, isRefused, ms: now.ms }));
    }, 60_000);
    // The first one deploys the gate.
  }, 300_000);
}

const toldOf = ({ taken, limitMs }: Play, { isPassed, isRefused, ms }: Played): string =>
  [
    `${isPassed ? 'passed' : 'failed'} in ${ms} of ${limitMs} ms`,
    `without ${taken?.statement.slice(0, 120) ?? 'nothing'}${isRefused ? ', refused' : ''}`,
  ].join(' ');

function testsIn(tasks: readonly RunnerTask[]): Extract<RunnerTask, { type: 'test' }>[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task.tasks) : [task]));
}

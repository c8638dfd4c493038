/** Leaves questions and runs as time, or one service that is away, would. */
import { breakerTries, probesOf } from '../../e2e/harness/damage.ts';
import { without } from '../../e2e/harness/rights.ts';
import { approvalOf, waiting } from '../../e2e/harness/rows.ts';
import { reconcileNow, waitedFor } from '../../e2e/harness/time.ts';
import { until } from '../../e2e/harness/until.ts';
import { REDEEMS } from '../gate.ts';
import { permitEnded } from './permits.ts';
import { repaired } from './reconciled.ts';
import { approvedBy, decided, proposed, type Scene } from './scenes.ts';

const MINUTE_MS = 60_000;
/** Longer than the group that is asked first has, as does the one that it escalates to. */
const STAGE_MS = 9.5 * MINUTE_MS;
const TRIES = 8;
/** A tool with a rate of its own is free again by then. */
const REDEEMED_MS = 90_000;

/** Two that take the same right away would give it back too early. */
let last: Promise<unknown> = Promise.resolve();
function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  return turn;
}

/** No execution could be started while the agent asked. */
export const unstarted: Scene = async (turn) => {
  const step = await oneAtATime(() =>
    without('evaluate', 'states:StartExecution', async () => {
      const asked = await proposed(turn, { agent: 'reader', tool: 'Push' });
      await waiting(turn.actors.pid(asked));
      for (let tried = 0; tried < 2; tried++) await reconcileNow(turn.actors.pid(asked)).catch(() => undefined);
      return asked;
    }),
  );
  await approvedBy(turn, step, 'alice');
};

/** Neither group answers in the time that each has. */
export const stageOver: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'mailer', tool: 'Move' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  turn.actors.history.aged.add(step.id);
  for (let tried = 0; tried < TRIES && (await approvalOf(pid))?.approval.status === 'pending'; tried++)
    await waitedFor(pid, STAGE_MS).catch(() => undefined);
  await decided(turn, step);
  await repaired(pid);
};

/** Nobody hears what came of the call that was to find out whether its tool works again. */
export const probeLost: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Ping' });
  const decision = await decided(turn, step);
  if (!decision) return;
  await oneAtATime(async () => {
    await breakerTries('Ping');
    await until('a permit of Ping', () => turn.actors.redeem(step, decision), REDEEMED_MS);
    await permitEnded(turn.actors.pid(step));
    await until('the place of the probe', async () => ((await probesOf('Ping')) ?? []).length === 0, REDEEMED_MS);
  });
};

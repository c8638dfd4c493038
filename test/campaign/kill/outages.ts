/** Leaves questions and runs as time, or one service that is away, would. */
import { setTimeout as delay } from 'node:timers/promises';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { breakerTries, probesOf } from '../../e2e/harness/damage.ts';
import { rightsOf, without } from '../../e2e/harness/rights.ts';
import { approvalOf, waiting } from '../../e2e/harness/rows.ts';
import { reconcileNow, waitedFor } from '../../e2e/harness/time.ts';
import { until } from '../../e2e/harness/until.ts';
import { REDEEMS } from '../gate.ts';
import { permitEnded } from './permits.ts';
import { repaired, shown, votedAndLost } from './reconciled.ts';
import { approvedBy, decided, proposed, SCENES, type Scene } from './scenes.ts';

const MINUTE_MS = 60_000;
/** Longer than the group that is asked first has, as does the one that it escalates to. */
const STAGE_MS = 9.5 * MINUTE_MS;
const TRIES = 8;
/** A tool with a rate of its own is free again by then, on a busy machine too; each process that ends may keep the place of a probe for 25 s. */
const REDEEMED_MS = 3 * MINUTE_MS;

/** Two that take rights away from one function, or break one tool, would give back too early what the other took. */
const last = new Map<string, Promise<unknown>>();
function oneAtATime<Result>(of: string, work: () => Promise<Result>): Promise<Result> {
  const turn = (last.get(of) ?? Promise.resolve()).then(work);
  last.set(
    of,
    turn.catch(() => undefined),
  );
  return turn;
}

/** SQS and Lambda use these for the function, which asks nobody by them; what is told of it is not missed. */
const NOT_ASKED =
  /^(?:sqs:(?:Receive|Delete|Change|Get)|dynamodb:(?:DescribeStream|Get(?:Records|ShardIterator)|ListStreams)|logs:|xray:|cloudwatch:)/;
/** From the proposal to the last function that it comes to, on a busy machine. */
const GONE_MS = 15_000;

/** Each right of the function is gone for some time, one after the other, while one of the scenes that usually reach it is played. */
export const withoutRights =
  (verb: GateFunctionName): Scene =>
  async (turn) => {
    const parts: Promise<void>[] = [];
    const rights = (await rightsOf(verb)).filter((one) => !NOT_ASKED.test(one));
    const scenes = Object.values(SCENES[verb]);
    for (const [place, right] of rights.entries())
      await oneAtATime(verb, () =>
        without(verb, right, async () => {
          const part = scenes[place % scenes.length]?.(turn.part()) ?? Promise.resolve();
          parts.push(part);
          await Promise.race([Promise.allSettled([part]), delay(GONE_MS)]);
        }),
      );
    await Promise.all(parts);
  };

/** No execution could be started while the agent asked. */
export const unstarted: Scene = async (turn) => {
  const step = await oneAtATime('evaluate', () =>
    without('evaluate', 'states:StartExecution', async () => {
      const asked = await proposed(turn, { agent: 'reader', tool: 'Push' });
      await waiting(turn.actors.pid(asked));
      for (let tried = 0; tried < 2; tried++) await reconcileNow(turn.actors.pid(asked)).catch(() => undefined);
      return asked;
    }),
  );
  await approvedBy(turn, step, 'alice');
};

/** Somebody voted and nobody was told, and the reconciler may wake nobody: the row is decided all the same. */
export const unwoken: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  await shown(pid);
  await oneAtATime('reconcile', () =>
    without('reconcile', 'states:SendTaskSuccess', async () => {
      await votedAndLost(turn, pid, { choice: 'approve' });
      for (let tried = 0; tried < 2; tried++) await reconcileNow(pid).catch(() => undefined);
    }),
  );
  await approvedBy(turn, step, 'bob');
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
  await oneAtATime('Ping', async () => {
    await breakerTries('Ping');
    await until('a permit of Ping', () => turn.actors.redeem(step, decision), REDEEMED_MS);
    await permitEnded(turn.actors.pid(step));
    await until('the place of the probe', async () => ((await probesOf('Ping')) ?? []).length === 0, REDEEMED_MS);
  });
};

/** Leaves the gate as an outage would, and has the reconciler repair it at once. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  askedEarlier,
  asleepForEver,
  cardsForgotten,
  damaged,
  forged,
  isLookedAfter,
  neverTold,
  noticedLongAgo,
  orphaned,
  placesLost,
  placesOf,
} from '../../e2e/harness/damage.ts';
import { invoke } from '../../e2e/harness/functions.ts';
import { approvalOf, waiting } from '../../e2e/harness/rows.ts';
import { reconcileNow, waitedFor } from '../../e2e/harness/time.ts';
import { until } from '../../e2e/harness/until.ts';
import type { Propose } from '../../simulation/model/plan.ts';
import { PEOPLE } from '../../simulation/model/policies.ts';
import { HAS_QUEUE, HOOKED, REDEEMS } from '../gate.ts';
import { cardsThatAsk } from '../people.ts';
import { DECIDED, VOTED } from './awaits.ts';
import type { Door } from './functions.ts';
import { permitEnded, REPAIRED_MS, reconciled } from './permits.ts';
import { approvedBy, called, decided, proposed, type Scene, type Turn } from './scenes.ts';

const TRIES = 8;
const SHOWN_MS = 60_000;
/** A row is finished by the reconciler so long after the end of its time. */
const PAST_EXPIRY_MS = 61_000;
const LASTS_MS = 3_000;
const WAITER_LASTS_MS = 30_000;
const MINUTE_MS = 60_000;
/** Nobody asks under this name in a campaign. */
const IDLE_AGENT = 'tasks';

/** People are asked about an edit, or what else came of their answer: the reconciler has nothing left to do until they answer. */
async function isAskedAnew(pid: string): Promise<boolean> {
  const { approval } = (await approvalOf(pid).catch(() => undefined)) ?? {};
  return approval?.status === 'pending' && approval.round > 1 && Date.now() < Date.parse(approval.expiresAt);
}

/** People are shown the question, unless it is over: an execution that is stopped earlier would never have asked for its card. */
export async function shown(pid: string): Promise<void> {
  await waiting(pid);
  const isAsked = async () => (await cardsThatAsk(pid)).length > 0;
  await until(`a card that asks about ${pid}`, isAsked, SHOWN_MS).catch(() => undefined);
}

/** Approvals are looked after until nothing is left to do to them. */
export async function repaired(...pids: readonly string[]): Promise<void> {
  for (const until = Date.now() + REPAIRED_MS; ; ) {
    const due: string[] = [];
    for (const pid of pids) if ((await isLookedAfter(pid)) && !(await isAskedAnew(pid))) due.push(pid);
    if (!due.length) return;
    if (Date.now() > until)
      throw new Error(`something is left to do, after ${REPAIRED_MS} ms, to ${due.join(' and ')}`);
    await reconcileNow(...due).catch(() => undefined);
  }
}

type Answer = Parameters<Turn['actors']['click']>[0];

/** The vote is written, and whoever wrote it ended before it woke anybody. */
export async function votedAndLost(turn: Turn, about: string, answer: Omit<Answer, 'id' | 'who'>): Promise<void> {
  await turn.killedAt({ ...VOTED, about }, () => turn.actors.click({ id: turn.id, who: 'alice', ...answer }, 1));
}

interface Lost {
  readonly agent?: string;
  readonly tool?: Propose['tool'];
  readonly more?: Partial<Propose>;
  readonly answer?: Omit<Answer, 'id' | 'who'>;
  /** Loses something else. */
  readonly also?: (pid: string) => Promise<void>;
}

const lostVote =
  ({ agent = 'reader', tool = 'Push', more = {}, answer = { choice: 'approve' }, also }: Lost): Scene =>
  async (turn) => {
    const step = await proposed(turn, { agent, tool, ...more });
    const pid = turn.actors.pid(step);
    await shown(pid);
    await also?.(pid);
    // A form that is sent names the approval in another way.
    await votedAndLost(turn, answer.edit === undefined ? pid : '', {
      ...answer,
      ...(answer.edit === undefined ? {} : { edit: turn.number + answer.edit }),
    });
    const { approval } = (await approvalOf(pid).catch(() => undefined)) ?? {};
    // No process came so far, or another one ended first: nothing was lost, and people are still asked.
    if (approval?.round === 1 && !approval.votes.length) return approvedBy(turn, step, 'bob');
    await repaired(pid);
    // An edit is asked again.
    if (!(await turn.actors.decisionOf(step, 1_000))) await approvedBy(turn, step, 'bob');
    await repaired(pid);
  };

export const voteUntold = lostVote({});
export const voteUnheard = lostVote({ also: asleepForEver, agent: HAS_QUEUE });
export const rejectUnheard = lostVote({ also: asleepForEver, answer: { choice: 'reject' } });
export const editUnheard = lostVote({
  also: asleepForEver,
  agent: 'tester',
  tool: 'Ship',
  answer: { choice: 'approve', edit: 1 },
});
export const sealedUnheard = lostVote({ also: asleepForEver, more: { secret: true } });
export const hookUnheard = lostVote({ also: asleepForEver, agent: HOOKED, answer: { choice: 'approve', edit: 1 } });
export const bothUnheard = lostVote({ also: asleepForEver, agent: 'tester', tool: 'Ship', more: { also: 7 } });

/** The second of two that are alike stands on the card of the first. */
async function alike(turn: Turn, step: Propose) {
  const pid = turn.actors.pid(step);
  await shown(pid);
  const other: Propose = { ...step, id: `${turn.id}b` };
  await turn.actors.propose(other);
  const otherPid = turn.actors.pid(other);
  await waiting(otherPid);
  return { pid, other, otherPid };
}

export const followed: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'tester', tool: 'Push' });
  const { pid, otherPid } = await alike(turn, step);
  await asleepForEver(pid);
  await asleepForEver(otherPid);
  await votedAndLost(turn, pid, { choice: 'approve' });
  await turn.killedAt({ verb: 'reconcile', ...DECIDED }, () => reconcileNow(pid).catch(() => undefined));
  await repaired(otherPid);
  await repaired(pid, otherPid);
};
export const cardLost: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  for (const until = Date.now() + 20_000; Date.now() < until; await delay(300))
    if ((await waiting(pid)).cards.length) break;
  await cardsForgotten(pid);
  await askedEarlier(pid, 5 * MINUTE_MS);
  for (let tried = 0; tried < 3; tried++) await reconcileNow(pid).catch(() => undefined);
  await approvedBy(turn, step, 'alice');
};
export const halfway: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'mailer', tool: 'Move' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await turn.actors.click({ id: turn.id, who: 'alice', choice: 'approve' });
  for (let tried = 0; tried < 2; tried++) await reconcileNow(pid).catch(() => undefined);
  await approvedBy(turn, step, 'bob');
};
export const timeGone: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'mailer', tool: 'Move' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await waitedFor(pid, 5 * MINUTE_MS).catch(() => undefined);
  for (let tried = 0; tried < TRIES && !(await approvalOf(pid))?.approval.escalated; tried++)
    await waitedFor(pid, 9.5 * MINUTE_MS).catch(() => undefined);
  await reconcileNow(pid).catch(() => undefined);
  await approvedBy(turn, step, 'alice', 'bob');
};
export const untold: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  const pid = turn.actors.pid(step);
  await approvedBy(turn, step, 'alice');
  await repaired(pid);
  await neverTold(pid);
  await repaired(pid);
};
export const endedAsleep: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'seller', tool: 'Push', lasts: LASTS_MS });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await asleepForEver(pid);
  await delay(LASTS_MS + PAST_EXPIRY_MS);
  await repaired(pid);
};
export const rowUnreadable: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'seller', tool: 'Push', lasts: LASTS_MS });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  turn.actors.history.broken.add(turn.id);
  await damaged(pid);
  await reconcileNow(pid).catch(() => undefined);
  await delay(LASTS_MS + PAST_EXPIRY_MS);
  await repaired(pid);
};
/** The row names a voter whom the record does not. */
export const rowForged: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  await shown(pid);
  await asleepForEver(pid);
  await votedAndLost(turn, pid, { choice: 'approve' });
  // Another process that ended may have taken the click, or the reconciler was there before: there is no vote to forge.
  const { approval, decision } = (await approvalOf(pid)) ?? {};
  if (decision || !approval?.votes.length) return approvedBy(turn, step, 'alice');
  turn.actors.history.broken.add(turn.id);
  await forged(pid, PEOPLE.carol.user);
  await repaired(pid);
};
/** Two calls stand on one card, and the row of the second cannot be read when the first is decided. */
export const waiterUnreadable: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'tester', tool: 'Push', lasts: WAITER_LASTS_MS });
  const { pid, other, otherPid } = await alike(turn, step);
  turn.actors.history.broken.add(other.id);
  await asleepForEver(pid);
  await damaged(otherPid);
  await votedAndLost(turn, pid, { choice: 'approve' });
  await repaired(pid);
  await delay(WAITER_LASTS_MS + PAST_EXPIRY_MS);
  await repaired(otherPid);
};
export const ofNothing: Scene = async ({ id }) => {
  await orphaned(id);
  for (let tried = 0; tried < 3; tried++) await invoke('reconcile', {});
};
export const placeKept: Scene = async () => {
  await placesLost(IDLE_AGENT, 1);
  await reconciled('the count of what waits', async () => {
    await noticedLongAgo(IDLE_AGENT);
    return (await placesOf(IDLE_AGENT)) === 0;
  });
};

/** The gate's run of an approved call stops there. */
export const lostRun =
  (door: Door, tool: Propose['tool'] = 'Ship'): Scene =>
  async (turn) => {
    const step = await proposed(turn, { agent: 'writer', tool });
    if (tool !== 'Look') await approvedBy(turn, step, 'alice');
    const decision = await decided(turn, step);
    if (decision?.outcome !== 'approved') return;
    const pid = turn.actors.pid(step);
    await turn.killedAt({ ...door, about: turn.id }, () => turn.actors.run(step, decision, 'gate'));
    await permitEnded(pid);
  };
/** An agent that redeemed it says nothing. */
export const unreported: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Push' });
  await approvedBy(turn, step, 'alice');
  const decision = await decided(turn, step);
  if (!(decision && (await turn.actors.redeem(step, decision)))) return;
  const pid = turn.actors.pid(step);
  await permitEnded(pid);
};
export const anew: Scene = () => called('reconcile', {});

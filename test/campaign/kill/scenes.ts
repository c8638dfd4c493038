/** Plays what reaches each function, until its proposal is decided. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { invoke } from '../../e2e/harness/functions.ts';
import { deadLetterUrl, queueUrl } from '../../e2e/harness/resources.ts';
import { approvalOf, recordsOf, waiting } from '../../e2e/harness/rows.ts';
import { reconcileNow } from '../../e2e/harness/time.ts';
import { until } from '../../e2e/harness/until.ts';
import type { Propose } from '../../simulation/model/plan.ts';
import { FIRST_CHANNEL, PEOPLE } from '../../simulation/model/policies.ts';
import type { Actors } from '../actors.ts';
import { HAS_QUEUE, HOOKED, REDEEMS } from '../gate.ts';
import { isDeadLetterFree } from '../record.ts';
import type { Door } from './functions.ts';
import { permitEnded } from './permits.ts';

/** A scene's proposal has its id and its number from here. */
export interface Turn {
  readonly actors: Actors;
  readonly id: string;
  readonly number: number;
  /** Does the work, in which the next process that comes by the door ends; whether one did within seconds. */
  readonly killedAt: (door: Door, work: () => Promise<unknown>) => Promise<boolean>;
  /** Another scene within this one, with an id and a number of its own. */
  readonly part: () => Turn;
}

export type Scene = (turn: Turn) => Promise<void>;

/** Deliveries after a kill, and the workflow's own retries, take so long on a busy machine. */
const DECIDED_MS = 90_000;
/** A function may have lost its rights meanwhile, one after the other: whoever waits for it clicks, looks and calls until they are back. */
export const WOKEN_MS = 300_000;
const RAN_MS = 20_000;
/** One more than processes of a function that end in one scene. */
const RUNS = 4;
/** A process holds the dead letters that it has taken for a minute, also where it ends, and three of them may. */
const BROUGHT_BACK_MS = 240_000;

export const stepOf = ({ id, number }: Turn, more: Pick<Propose, 'agent' | 'tool'> & Partial<Propose>): Propose => ({
  do: 'propose',
  at: 0,
  copies: [],
  ...more,
  id,
  number,
});

export async function proposed(turn: Turn, more: Pick<Propose, 'agent' | 'tool'> & Partial<Propose>): Promise<Propose> {
  const step = stepOf(turn, more);
  await turn.actors.propose(step);
  return step;
}

/** A click whose process ends has no answer: people click again, or let it be. */
export const unheard = (work: Promise<unknown>) => work.catch(() => undefined);

export const decided = (turn: Turn, step: Propose) => turn.actors.decisionOf(step, DECIDED_MS);

export async function approvedBy(turn: Turn, step: Propose, ...people: readonly ('alice' | 'bob')[]): Promise<void> {
  for (const who of people) await answered(turn, step, { who });
  await woken(turn, step);
}

type Answer = { readonly who: 'alice' | 'bob'; readonly edit?: number; readonly choice?: 'approve' | 'reject' };

/** Clicked until it counts: a card that is to be drawn anew does not, and the next click is on the new one. */
export async function answered(turn: Turn, step: Propose, answer: Answer): Promise<void> {
  for (const until = Date.now() + WOKEN_MS; Date.now() < until; ) {
    const told = await turn.actors.click({ id: turn.id, choice: 'approve', ...answer });
    if (told === 'counted' || (await hasAnswered(turn, step, answer))) return;
    await delay(500);
  }
}

/**
 * Or nobody asks any more: where a process ends no answer to its click says so, and a later one is told that it is too late. A question that is
 * not asked yet still comes, and so does the one after an edit.
 */
async function hasAnswered(
  { actors }: Turn,
  step: Propose,
  { who, choice = 'approve', edit }: Answer,
): Promise<boolean> {
  if (await actors.read(step)) return true;
  const { approval } = (await approvalOf(actors.pid(step)).catch(() => undefined)) ?? {};
  if (!approval) return false;
  const { status, round, votes } = approval;
  if (edit !== undefined && round > 1) return true;
  const cast = edit === undefined ? choice : 'edit';
  const isTheirs = votes.some((vote) => vote.by.user === PEOPLE[who].user && vote.choice === cast);
  return isTheirs || (status !== 'pending' && status !== 'edited');
}

/** A vote whose process ended before it woke the workflow is found by the reconciler, which comes each minute. */
export async function woken(turn: Turn, step: Pick<Propose, 'id' | 'agent'>): Promise<void> {
  for (const until = Date.now() + WOKEN_MS; Date.now() < until; ) {
    if (await turn.actors.decisionOf(step, 3_000)) return;
    await reconcileNow(turn.actors.pid(step)).catch(() => undefined);
  }
  const { approval } = (await approvalOf(turn.actors.pid(step)).catch(() => undefined)) ?? {};
  const { status = 'not asked', round = 0, votes = [] } = approval ?? {};
  const left = `${status}, round ${round}, votes of ${votes.map(({ by }) => by.user).join(', ') || 'nobody'}`;
  throw new Error(`nobody decided ${step.id}, however often the reconciler looked: ${left}`);
}

/** Until the record says how it ended: the functions that work on it have nothing left to do. */
async function ran(turn: Turn, step: Propose, how: 'agent' | 'gate'): Promise<void> {
  const decision = await decided(turn, step);
  if (decision?.outcome !== 'approved') return;
  const pid = turn.actors.pid(step);
  const hasRun = async () => (await recordsOf(step.agent, pid)).some(({ entry }) => entry.type === 'ran');
  for (let tried = 0; tried < RUNS; tried++) {
    await turn.actors.run(step, decision, how, tried);
    if (await until('', hasRun, RAN_MS).catch(() => false)) return;
    // A process that ended holds the permit, or redeemed it and told nobody: the reconciler frees it, or says how the run ended.
    await permitEnded(pid);
  }
  await until(`the end of the run of ${step.id}`, hasRun, DECIDED_MS);
}

/** As its caller does, or its schedule: called again until it answers. */
export async function called(verb: GateFunctionName, event: unknown): Promise<void> {
  let last: string | undefined;
  for (const until = Date.now() + WOKEN_MS; Date.now() < until; ) {
    ({ error: last } = await invoke(verb, event));
    if (last === undefined) return;
    await delay(500);
  }
  throw new Error(`${verb} does not answer: ${last}`);
}

const allowed: Scene = async (turn) => {
  await ran(turn, await proposed(turn, { agent: 'writer', tool: 'Look', copies: [0] }), 'gate');
};
const approved: Scene = async (turn) => {
  await approvedBy(turn, await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' }), 'alice');
};
const refused: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push', also: turn.number + 5 });
  await answered(turn, step, { who: 'alice', choice: 'reject' });
  await woken(turn, step);
};
const changed: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'tester', tool: 'Ship' });
  await answered(turn, step, { who: 'alice', edit: turn.number + 1 });
  await approvedBy(turn, step, 'bob');
  await ran(turn, step, 'gate');
};
const staged: Scene = async (turn) => {
  await approvedBy(turn, await proposed(turn, { agent: 'mailer', tool: 'Move' }), 'alice', 'bob');
};
const ended: Scene = async (turn) => {
  await woken(turn, await proposed(turn, { agent: 'seller', tool: 'Push', lasts: 3_000 }));
};
const withdrawn: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'seller', tool: 'Push' });
  await waiting(turn.actors.pid(step)).catch(() => undefined);
  await turn.actors.cancel({ id: turn.id });
  await decided(turn, step);
};
const unreadable: Scene = async (turn) => {
  await decided(turn, await proposed(turn, { agent: 'writer', tool: 'Look', spoilt: 'double key' }));
};
const hooked: Scene = async (turn) => {
  await decided(turn, await proposed(turn, { agent: HOOKED, tool: 'Look' }));
};
const hookedAsk: Scene = async (turn) => {
  await approvedBy(turn, await proposed(turn, { agent: HOOKED, tool: 'Push' }), 'alice');
};
const redeemed: Scene = async (turn) => {
  await ran(turn, await proposed(turn, { agent: REDEEMS, tool: 'Look' }), 'agent');
};
/** The agent has no other questions open: another scene would wait for people in vain. */
const paused: Scene = async ({ actors }) => {
  const scope = { agent: 'keeper' };
  await actors.operate({ effect: 'deny', scope });
  await actors.operate({ effect: 'lift', scope });
};
const lookedAfter: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  for (let tried = 0; tried < 2; tried++) await reconcileNow(pid).catch(() => undefined);
  await approvedBy(turn, step, 'alice');
};
/** As a tool server reports: under the redemption that it alone was told. */
const reported: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Look' });
  const decision = await decided(turn, step);
  const redeemed = decision && (await turn.actors.redeem(step, decision));
  if (!redeemed) return;
  const { redemptionId, outcome } = redeemed;
  await called('record-outcome', { agent: REDEEMS, redemptionId, ...outcome });
};
const sealed: Scene = async (turn) => {
  await allowed(turn);
  await called('seal', {});
};
const sung: Scene = () => called('canary', {});
/** A notice that was set aside for no fault of its own; where a process ended that had taken it, the next call finds it after a minute. */
const broughtBack: Scene = async ({ actors, id }) => {
  const { sqs } = actors.gate.root;
  const message = { kind: 'announcement', channel: 'C0APPROVALS', text: `campaign ${id}` };
  const QueueUrl = await deadLetterUrl('Cards');
  const line = { MessageGroupId: id, MessageDeduplicationId: id };
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message), ...line }));
  const isBack = async () => {
    await called('redrive', { queue: 'cards', limit: 10, withinMs: 5_000 });
    return (await isDeadLetterFree(actors, 'Cards')) || delay(5_000, false);
  };
  await until('the cards that were set aside', isBack, BROUGHT_BACK_MS);
};
/** `place`: the same text at the same place is the same message, as Slack's queue may deliver it twice. */
export function messageSaid({ id, number }: Turn, text: string, place = 0) {
  const ts = `${Math.floor(Date.now() / 60_000) * 60 + place}.${String(number).padStart(6, '0').slice(-6)}`;
  return {
    ...{ kind: 'message', id: `${id}-${place}`, person: PEOPLE.bob, name: 'bob', channel: FIRST_CHANNEL },
    ...{ at: Date.now(), conversation: id, text, ts },
  };
}
export async function saidTo(turn: Turn, text: string, place = 0): Promise<void> {
  const line = { MessageGroupId: turn.id, MessageDeduplicationId: randomUUID() };
  const { sqs } = turn.actors.gate.root;
  const QueueUrl = await queueUrl('Talk');
  const MessageBody = JSON.stringify(messageSaid(turn, text, place));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...line }));
  await delay(4_000);
}
const talked: Scene = (turn) => saidTo(turn, `todo: ${turn.id}`);

/** In the order in which they are tried; the first one that came by a point is played for it. */
export const SCENES: Readonly<Record<GateFunctionName, Readonly<Record<string, Scene>>>> = {
  evaluate: { allowed, approved, withdrawn, unreadable, refused },
  deliberate: { hooked, hookedAsk },
  'request-approval': { approved, changed },
  resume: { approved, changed, ended, staged },
  'slack-out': { approved, staged, withdrawn },
  slack: { approved, refused, changed },
  converse: { talked },
  operate: { paused },
  reconcile: { lookedAfter },
  redeem: { redeemed },
  'execute-tool': { allowed, changed },
  'record-outcome': { reported },
  'collect-outcomes': { redeemed },
  'archive-audit': { approved },
  seal: { sealed },
  redrive: { broughtBack },
  'send-webhooks': { withdrawn },
  canary: { sung },
};

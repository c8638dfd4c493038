/** Plays random interleavings of clicks, cancels, ends, pauses, deployments and repairs. */
import { setTimeout as delay } from 'node:timers/promises';
import { reconcileNow } from '../e2e/harness/time.ts';
import type { Cancel, Click, Deploy, Operate, Propose } from '../simulation/model/plan.ts';
import { APPROVERS, type PersonName, POLICY_NAMES, type ToolName } from '../simulation/model/policies.ts';
import { type Dice, diceOf } from '../simulation/model/random.ts';
import { Actors } from './actors.ts';
import { AGENTS, type CampaignGate, FLOODS } from './gate.ts';
import { comingAgainSoon, workedByFew } from './queues.ts';
import { type Judged, judged, undecided } from './record.ts';

/** Proposals side by side: as many as two cores carry. */
const WAVE = 10;
/** People, agents and operators begin their acts within so long. */
const BUSY_MS = 5_000;
const DECIDED_MS = 60_000;

interface Reconcile {
  readonly do: 'reconcile';
  readonly at: number;
  readonly id: string;
}
type Moved = Cancel | Click | Operate | Propose | Deploy | Reconcile;

const TOOLS: readonly ToolName[] = ['Push', 'Push', 'Drop', 'Ship', 'Move', 'Sync', 'Look', 'Wipe', 'Pay'];
const PEOPLE: readonly PersonName[] = [...APPROVERS, ...APPROVERS, 'olga'];
const WRITERS = AGENTS.filter((agent) => agent !== FLOODS);

/** One proposal and what happens to it, in the order of time. */
export function interleavingOf(seed: number): Moved[] {
  const dice = diceOf(seed);
  const id = `i${seed}`;
  const agent = dice.one(WRITERS);
  const sentAt = dice.below(1_500);
  const number = seed * 10;
  const steps: Moved[] = [
    {
      do: 'propose',
      at: sentAt,
      id,
      agent,
      tool: dice.one(TOOLS),
      number,
      copies: dice.chance(0.3) ? Array.from({ length: 1 + dice.below(2) }, () => dice.below(3_000)) : [],
      ...(dice.chance(0.2) ? { lasts: 2_500 + dice.below(4_000) } : {}),
    },
  ];
  const later = () => sentAt + dice.below(BUSY_MS - sentAt);
  for (let clicks = dice.below(4); clicks > 0; clicks--)
    steps.push({
      do: 'click',
      at: later(),
      id,
      who: dice.one(PEOPLE),
      choice: dice.chance(0.8) ? 'approve' : 'reject',
      remember: false,
      again: [],
      ...(dice.chance(0.2) ? { edit: number + 1 + dice.below(3) } : {}),
    });
  if (dice.chance(0.2)) steps.push({ do: 'cancel', at: Math.max(0, later() - 500), id });
  if (dice.chance(0.4)) steps.push({ do: 'reconcile', at: later(), id });
  if (dice.chance(0.15)) {
    const scope = { agent };
    const at = dice.below(BUSY_MS - 2_000);
    steps.push({ do: 'operate', at, effect: dice.one(['deny', 'ask'] as const), scope, copies: [] });
    steps.push({ do: 'operate', at: at + 500 + dice.below(1_500), effect: 'lift', scope, copies: [] });
  }
  return steps.toSorted((one, other) => one.at - other.at);
}

export interface Interleaved extends Judged {
  readonly played: number;
  /** How often each thing was done. */
  readonly done: ReadonlyMap<string, number>;
}

/** `deploys`: whether one wave of two also changes the policy file. */
export async function interleave(
  gate: CampaignGate,
  { first, count, deploys, until }: { first: number; count: number; deploys: boolean; until: number },
): Promise<Interleaved> {
  await comingAgainSoon();
  await workedByFew();
  const actors = await Actors.on(gate);
  const done = new Map<string, number>();
  let played = 0;
  while (played < count && Date.now() < until) {
    const seeds = Array.from({ length: Math.min(WAVE, count - played) }, (_, index) => first + played + index);
    await playWave(seeds, { actors, done, deploys: deploys && Math.floor(played / WAVE) % 2 === 1 });
    played += seeds.length;
    console.log(
      `  ${played} interleavings, ${actors.history.sent.length} proposals, ${actors.history.votes.length} clicks`,
    );
  }
  if (actors.history.deployed.at(-1)?.policy !== 'usual') await actors.deploy({ policy: 'usual' });
  actors.calm();
  return { ...(await judged(actors)), played, done };
}

interface Wave {
  readonly actors: Actors;
  readonly done: Map<string, number>;
  readonly deploys: boolean;
}

async function playWave(seeds: readonly number[], { actors, done, deploys }: Wave): Promise<void> {
  const dice = diceOf(seeds[0] ?? 0);
  const began = Date.now();
  const steps: Moved[] = seeds.flatMap(interleavingOf);
  if (deploys) steps.push({ do: 'deploy', at: dice.below(1_500), policy: dice.one(POLICY_NAMES) });
  await Promise.all(
    steps.map(async (step) => {
      await delay(Math.max(0, began + step.at - Date.now()));
      done.set(step.do, (done.get(step.do) ?? 0) + 1);
      await act(step, actors, dice);
    }),
  );
  const ids = steps.flatMap((step) => (step.do === 'propose' ? [step.id] : []));
  await endAll(ids, actors);
}

async function act(step: Moved, actors: Actors, dice: Dice): Promise<void> {
  switch (step.do) {
    case 'propose':
      await actors.propose(step);
      return runOnceApproved(step, actors, dice);
    case 'click':
      // One can click before the message was sent: there is no card yet.
      if (await sentBy(step.id, actors)) await actors.click(step);
      return;
    case 'cancel':
      if (await sentBy(step.id, actors)) await actors.cancel(step);
      return;
    case 'operate':
      return actors.operate(step);
    case 'deploy':
      return actors.deploy(step);
    case 'reconcile': {
      const sent = actors.history.sent.find(({ id }) => id === step.id);
      // The row may not be there yet, or be decided.
      if (sent) await reconcileNow(actors.pid(sent)).catch(() => undefined);
      return;
    }
    default:
      step satisfies never;
  }
}

async function sentBy(id: string, { history }: Actors): Promise<boolean> {
  for (let tried = 0; tried < 50; tried++) {
    if (history.sent.some((sent) => sent.id === id)) return true;
    await delay(100);
  }
  return false;
}

/** An approved call runs while others vote, pause and deploy. */
async function runOnceApproved(step: Propose, actors: Actors, dice: Dice): Promise<void> {
  const isRun = dice.chance(0.7);
  const decision = await actors.decisionOf(step, BUSY_MS * 2);
  if (decision?.outcome !== 'approved' || !isRun) return;
  await actors.run(step, decision, actors.runsItself(step.agent) ? 'agent' : 'gate');
}

/** Questions that still wait are answered by two people, or withdrawn by their agent. */
export async function endAll(ids: readonly string[], actors: Actors): Promise<void> {
  const open = await undecided(actors, ids, 2_000);
  await Promise.all(
    open.map(async (id) => {
      for (const who of ['alice', 'bob'] as const) await actors.click({ id, who, choice: 'approve' });
    }),
  );
  const still = open.length ? await undecided(actors, open, 10_000) : [];
  await Promise.all(still.map((id) => actors.cancel({ id })));
  if (still.length) await undecided(actors, still, DECIDED_MS);
}

/** Sends proposals of ten agents at once, and measures what each of them waits. */
import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { quantile } from '../bench/support/stats.ts';
import { messageFor } from '../simulation/actors/actors.ts';
import type { Propose } from '../simulation/model/plan.ts';
import { type Dice, diceOf } from '../simulation/model/random.ts';
import { Actors } from './actors.ts';
import { AGENTS, type CampaignGate, FLOODS } from './gate.ts';
import { endAll } from './interleave.ts';
import { allThatAsk } from './people.ts';
import { workedByFew } from './queues.ts';
import { depths, type Judged, judged, openOnRecord } from './record.ts';

/** The flooding agent sends so many for each of another agent, and all of them at once. */
const FLOOD = 4;
/** Messages of one request. */
const BATCH = 10;
const SPOILT = ['unsafe number', 'double key', 'no id'] as const;
const ASK_SHARE = 0.01;
const DENY_SHARE = 0.1;
const DUPLICATES = 0.1;
const POISON = 0.02;
const LOOK_MS = 5_000;
/** A look is followed by a rest so many times as long: the gate has the machine. */
const REST = 3;
const MAX_REST_MS = 30_000;
const ANSWERED_MS = 5 * 60_000;

interface AgentRow {
  readonly agent: string;
  readonly sent: number;
  readonly decided: number;
  readonly perSecond: number;
  /** From the sending to the entry, in milliseconds; of what no person was asked. */
  readonly ms: readonly [p50: number, p95: number, p99: number];
  readonly duplicates: number;
  readonly poison: number;
}

export interface Loaded extends Judged {
  readonly rows: readonly AgentRow[];
  readonly seconds: number;
  readonly messages: number;
  readonly duplicates: { readonly sent: number; readonly alike: number };
  readonly poison: { readonly sent: number; readonly reasons: ReadonlyMap<string, number> };
}

interface LoadOptions {
  /** In the ids: a soak that follows a load on one gate would otherwise send its proposals again. */
  readonly name: 'load' | 'soak';
  readonly seed: number;
  readonly count: number;
  readonly until: number;
  /** Rate of the agents that do not flood, together; undefined: as fast as they can send. */
  readonly perSecond?: number | undefined;
}

type Drawn = Pick<LoadOptions, 'name' | 'seed'>;

/** The proposals of one agent, in its order. */
export function loadOf(agent: string, from: number, count: number, { name, seed }: Drawn): Propose[] {
  const dice = diceOf(seed ^ (from + 1));
  return Array.from({ length: count }, (_, index) => ({
    ...proposalOf(agent, from + index, dice),
    id: `${name}${from + index}`,
  }));
}

function proposalOf(agent: string, index: number, dice: Dice): Omit<Propose, 'id'> {
  const drawn = dice.next();
  const tool = drawn < ASK_SHARE ? 'Push' : drawn < ASK_SHARE + DENY_SHARE ? 'Wipe' : 'Look';
  const step = { do: 'propose', at: 0, agent, tool, number: index * 10, copies: [] } as const;
  if (dice.chance(POISON)) return { ...step, spoilt: dice.one(SPOILT) };
  return dice.chance(DUPLICATES) ? { ...step, copies: [0] } : step;
}

/** So many proposals that the agents which do not flood send at their rate for so long. */
export const countLasting = (ms: number, perSecond: number): number =>
  Math.ceil(((ms / 1_000) * perSecond * (AGENTS.length - 1 + FLOOD)) / (AGENTS.length - 1));

/** Shares of the agents: the flooding one has `FLOOD` times as much as another. */
export function sharesOf(count: number): ReadonlyMap<string, number> {
  const parts = AGENTS.length - 1 + FLOOD;
  const each = Math.floor(count / parts);
  const rest = count - each * (AGENTS.length - 1);
  return new Map(AGENTS.map((agent) => [agent, agent === FLOODS ? rest : each]));
}

/** Sending may take longer than it was to last: whoever was asked last is still answered by people. */
export const answeredUntil = (until: number, sentAt: number): number => Math.max(until, sentAt + ANSWERED_MS);

export async function load(gate: CampaignGate, options: LoadOptions): Promise<Loaded> {
  await workedByFew();
  const actors = await Actors.on(gate);
  const began = Date.now();
  let from = 0;
  const sending = [...sharesOf(options.count)].map(([agent, count]) => {
    const steps = loadOf(agent, from, count, options);
    from += count;
    return sendAll(agent, steps, actors, options);
  });
  const counts = await Promise.all(sending);
  console.log(`  ${actors.history.sent.length} sent in ${Math.round((Date.now() - began) / 1_000)} s`);
  const open = await endedAll(actors, answeredUntil(options.until, Date.now()));
  console.log(`  ${open.length} without a decision ${Math.round((Date.now() - began) / 1_000)} s after the first`);
  for (const { id, agent, tool, spoilt } of actors.history.sent.filter((sent) => open.includes(sent.id)).slice(0, 10))
    console.log(`  ${id} of ${agent}: ${tool} ${spoilt ?? ''}`);
  const found = await judged(actors);
  return { ...found, ...measured(actors, found, began), messages: counts.reduce((all, count) => all + count, 0) };
}

/** Proposals without a decision by then; people answer those that ask them, also where a hook was too slow. */
async function endedAll(actors: Actors, until: number): Promise<string[]> {
  for (const { terms } = actors.history; ; ) {
    const began = Date.now();
    const open = await openOnRecord(actors);
    const restMs = Math.min(MAX_REST_MS, Math.max(LOOK_MS, REST * (Date.now() - began)));
    const isOver = !open.length || began > until;
    // To wait for a turn is no crash that is to be repaired: the judge's minutes begin once the gate has caught up.
    if (terms.calmAt === Number.POSITIVE_INFINITY && (isOver || !(await hasBacklog(actors)))) actors.calm();
    if (isOver) return open.map(({ id }) => id);
    const cards = await allThatAsk();
    await endAll(
      open.flatMap((sent) => (cards.has(actors.pid(sent)) ? [sent.id] : [])),
      actors,
    );
    await delay(restMs);
  }
}

async function hasBacklog(actors: Actors): Promise<boolean> {
  const found = await depths(actors);
  return ['Proposals', 'Deferred'].some((name) => {
    const { visible = 0, inFlight = 0, delayed = 0 } = found.get(name) ?? {};
    return visible + inFlight + delayed > 0;
  });
}

/** In the agent's name, ten messages to a request; the ones that it sends twice a moment later. */
async function sendAll(name: string, steps: readonly Propose[], actors: Actors, options: LoadOptions): Promise<number> {
  const agent = actors.agent(name);
  const QueueUrl = actors.gate.outputs.ProposalsQueueUrl;
  const isFlood = name === FLOODS;
  const perAgent = options.perSecond === undefined ? undefined : options.perSecond / (AGENTS.length - 1);
  const began = Date.now();
  let sent = 0;
  const lines = steps.flatMap((step) => [step, ...step.copies.map(() => ({ ...step, isCopy: true as const }))]);
  for (let from = 0; from < lines.length && Date.now() < options.until; from += BATCH) {
    if (perAgent !== undefined && !isFlood) await delay(Math.max(0, began + (from / perAgent) * 1_000 - Date.now()));
    const batch = lines.slice(from, from + BATCH);
    const sentAt = Date.now();
    const Entries = batch.map((step, index) => {
      const MessageBody = messageFor(step, step.number, sentAt);
      if (!('isCopy' in step)) {
        actors.raw.set(step.id, MessageBody);
        actors.history.sent.push({ ...step, sentAt });
      }
      return { Id: String(index), MessageBody, MessageGroupId: name };
    });
    await agent.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    sent += batch.length;
  }
  return sent;
}

function measured({ history }: Actors, { decisions, records }: Judged, began: number) {
  const endOf = new Map(history.decided.map(({ decision, at }) => [decision.proposalId, at]));
  const last = Math.max(...history.decided.map(({ at }) => at));
  const rows = AGENTS.map((agent): AgentRow => {
    const own = history.sent.filter((sent) => sent.agent === agent);
    const byRules = own.filter(({ tool, spoilt }) => tool !== 'Push' && !spoilt);
    const took = byRules.flatMap(({ id, sentAt }) => {
      const at = endOf.get(id);
      return at === undefined ? [] : [at - sentAt];
    });
    const ends = own.flatMap(({ id }) => endOf.get(id) ?? []);
    const seconds = (Math.max(...ends) - began) / 1_000;
    return {
      agent,
      sent: own.length,
      decided: own.filter(({ id }) => decisions.has(id)).length,
      perSecond: ends.length / seconds,
      ms: [quantile(took, 0.5), quantile(took, 0.95), quantile(took, 0.99)],
      duplicates: own.filter(({ copies }) => copies.length > 0).length,
      poison: own.filter(({ spoilt }) => spoilt).length,
    };
  });
  const twice = history.sent.filter(({ copies }) => copies.length > 0);
  const poison = history.sent.filter(({ spoilt }) => spoilt);
  const reasons = Map.groupBy(poison, ({ id }) => {
    const read = decisions.get(id);
    return read ? `${read.outcome} ${read.reasonCode}` : 'no answer';
  });
  const decisionsOf = Map.groupBy(
    [...records.values()].flat().flatMap(({ decision }) => (decision ? [decision] : [])),
    ({ proposalId }) => proposalId,
  );
  return {
    rows,
    seconds: (last - began) / 1_000,
    duplicates: {
      sent: twice.length,
      alike: twice.filter(({ id }) => decisionsOf.get(id)?.length === 1 && decisions.has(id)).length,
    },
    poison: { sent: poison.length, reasons: new Map([...reasons].map(([reason, all]) => [reason, all.length])) },
  };
}

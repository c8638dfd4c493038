/** Plays a plan, and has its history judged. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { unreadableId } from '../../shared/domain/proposal/reserved-ids.ts';
import type { AuditRecord } from '../../shared/ports/stores/audit-log.ts';
import { UNKNOWN_APPROVAL } from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import { begin, messageFor } from './actors/actors.ts';
import { asksLeft } from './actors/asks.ts';
import { cardsOfCanary } from './actors/canary.ts';
import { comeBack } from './actors/come-back.ts';
import { judge, type Problem } from './judge/judge.ts';
import { leaksIn } from './leaks.ts';
import { modulesLoaded } from './loads.ts';
import type { History } from './model/history.ts';
import type { Fault, Plan } from './model/plan.ts';
import { OPERATOR_IS } from './model/policies.ts';
import { chatLeft } from './world/chat.ts';
import { loadDeadLetters } from './world/dead-letters.ts';
import { loadEndpoint } from './world/endpoint.ts';
import type { Remaining, Remains } from './world/remains.ts';
import { World } from './world/world.ts';

/** A module that is on its way is there after so long. */
const LOADED_MS = 50;

export interface Played {
  readonly problems: readonly Problem[];
  readonly met: ReadonlyMap<string, Fault>;
  readonly lines: readonly string[];
}

/** In virtual time no I/O has a turn: a run that comes to a module which is not there yet goes on without it, and is played again. */
export async function simulate(plan: Plan, isTold = false): Promise<Played> {
  if (plan.steps.some((step) => step.do === 'endpoint')) await loadEndpoint();
  if (plan.steps.some((step) => step.do === 'redrive')) await loadDeadLetters();
  for (;;) {
    const before = modulesLoaded();
    const played = await playOnce(plan, isTold);
    if (modulesLoaded() === before) return played;
    await sleep(LOADED_MS);
  }
}

async function playOnce(plan: Plan, isTold: boolean): Promise<Played> {
  const world = new World(plan, isTold);
  await withoutStacks(() => world.play(begin, comeBack));
  return { problems: judge(world.history, await remainsOf(world)), met: world.faults.met, lines: world.history.lines };
}

/** Thousands of faults are thrown and caught: nobody reads where each was made. */
async function withoutStacks(play: () => Promise<void>): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await play();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function remainsOf(world: World): Promise<Remains> {
  const { gate, history, stored } = world;
  const proposals = new Map<string, Remaining>();
  for (const sent of history.sent) {
    const { id, agent } = sent;
    const pid = world.pid(agent, id);
    const { reader } = stored;
    const claim = await reader.read(agent, pid, 'evaluated');
    const elsewhere = () => world.pid(agent, unreadableId(sha256Hex(messageFor(sent, sent.number, sent.sentAt))));
    const read =
      claim?.decision ??
      (await reader.read(agent, pid, 'decided'))?.decision ??
      // Without an id of its own the answer is filed under the digest of the bytes.
      (sent.spoilt === 'no id' ? (await reader.read(agent, elsewhere(), 'evaluated'))?.decision : undefined);
    const replies = gate.replies
      .sentTo(agent)
      .filter(({ proposalId, reasonCode }) => proposalId === id && reasonCode !== 'proposal_id_conflict');
    const records = await stored.audit.ofProposal(agent, pid);
    noteCounted(id, records, history);
    const view = await stored.approvals.read(pid).catch(() => undefined);
    // A list of waiting calls has no button of its own for each.
    const isShown = world.slack.buttonOf(pid, false) !== undefined || (view?.cards.length ?? 0) > 0;
    proposals.set(id, { read, records, view, replies, isShown, looks: world.looks.get(pid) ?? 0 });
  }
  for (const { id, agent } of history.choices) {
    const pid = world.pid(agent, id);
    const claim = await stored.reader.read(agent, pid, 'evaluated');
    const read = claim?.decision ?? (await stored.reader.read(agent, pid, 'decided'))?.decision;
    const replies = gate.replies.sentTo(agent).filter(({ proposalId }) => proposalId === id);
    const view = await stored.approvals.read(pid).catch(() => undefined);
    proposals.set(id, { read, records: await stored.audit.ofProposal(agent, pid), view, replies, isShown: true });
  }
  const archive = await world.archiveFindings();
  const strays = await stored.audit.ofProposal(UNKNOWN_APPROVAL.agent, UNKNOWN_APPROVAL.pid);
  return {
    ...{ proposals, strays, archive },
    ...{ left: await leftIn(world), leaks: leaksIn(world), large: await stored.large() },
    bothered: cardsOfCanary(world),
    letters: world.deadLetters.letters,
    chat: await chatLeft(world),
    ...(history.asks.length ? { asks: await asksLeft({ ...world, pid: world.pid.bind(world) }) } : {}),
  };
}

/** An operation that comes again recognizes the vote of a run that stopped before it noted the operation, unless clocks are further apart. */
const VOTES_APART_MS = 2_000;

/** With clocks further apart the record notes such an operation as refused; the entry of its vote tells that it counted. */
function noteCounted(proposalId: string, records: readonly AuditRecord[], { votes, terms }: History): void {
  if (terms.apartMs <= VOTES_APART_MS) return;
  const cast = records.findLast(
    ({ entry }) => entry.type === 'vote' && entry.accepted === true && entry.detail === 'operators',
  );
  const vote = votes.findLast(({ id, who }) => id === proposalId && who === OPERATOR_IS);
  if (cast && vote?.told === 'refused as already_decided') vote.told = 'counted';
}

async function leftIn({ gate, stored }: World): Promise<string[]> {
  const left: string[] = [];
  for (const [name, count] of stored.waiting())
    if (count !== 0) left.push(`${count} are counted as waiting under ${name}`);
  for (const { pid } of await stored.approvals.due(Number.MAX_SAFE_INTEGER, 10))
    left.push(`approval ${pid.slice(0, 8)} is due`);
  for (const { pid } of await stored.permits.due(Number.MAX_SAFE_INTEGER, 10))
    left.push(`a permit of ${pid.slice(0, 8)} is due`);
  if (gate.workflow.waiting) left.push(`${gate.workflow.waiting} task tokens wait`);
  return left;
}

/** Judges a history by the contract alone: proposals, votes, operations, effects and time. Each problem is named by the guarantee that it breaks. */
import { isDeepStrictEqual } from 'node:util';

import type { ApprovalView } from '../../shared/ports/approval-store.ts';
import type { AuditRecord } from '../../shared/ports/audit-log.ts';
import { MAX_SKEW_MS } from './faults.ts';
import type { Decided, Effect, History, Operated } from './history.ts';
import { APPROVERS, LIMITS, NEEDS, type Need, REMEMBER_MS, type ToolName } from './policies.ts';

/** The state once nothing happens any more. */
export interface Remains {
  readonly proposals: ReadonlyMap<string, Remaining>;
  /** Rows that somebody still has to look after, messages set aside, tokens that wait: by what they are. */
  readonly left: readonly string[];
}
export interface Remaining {
  readonly read: AuditRecord['decision'];
  readonly records: readonly AuditRecord[];
  readonly view: ApprovalView | undefined;
  /** Decisions that the agent's own queue was sent. */
  readonly replies: readonly unknown[];
}

export interface Problem {
  readonly guarantee: string;
  readonly text: string;
}

/** Clocks of two processes are apart by no more. */
const APART_MS = 2 * MAX_SKEW_MS;

export function judge(history: History, remains: Remains): Problem[] {
  const problems: Problem[] = [];
  const fail = (guarantee: string, text: string) => problems.push({ guarantee, text });
  for (const left of remains.left) fail('G27', `nothing waits for ever, but ${left}`);
  for (const { id } of history.sent) judgeEnd(id, remains, fail);
  for (const decided of history.decided) judgeApproval(decided, history, fail);
  judgeEffects(history, fail);
  judgeBrake(history, fail);
  judgeLimits(history, fail);
  return problems;
}

type Fail = (guarantee: string, text: string) => void;

/** One decision, which its sender can read, and a record that says all of it once. */
function judgeEnd(id: string, { proposals }: Remains, fail: Fail): void {
  const end = proposals.get(id);
  if (!end?.read) {
    fail('G33', `the sender of ${id} never reads a decision`);
    return;
  }
  const { read, records, view, replies } = end;
  const decisions = records.filter(({ decision }) => decision);
  if (decisions.length !== 1) fail('G18', `${id} has ${decisions.length} decisions`);
  if (!isDeepStrictEqual(decisions[0]?.decision, read))
    fail('G39', `the record and the sender of ${id} read different decisions`);
  for (const reply of replies)
    if (!isDeepStrictEqual(reply, read)) fail('G33', `the queue of its agent was sent another decision on ${id}`);
  if (!replies.length) fail('G33', `the queue of its agent was sent no decision on ${id}`);
  if (!view) return;
  if (!isDeepStrictEqual(view.decision, read)) fail('G18', `the row of ${id} holds another decision`);
  const votes = records.filter(({ entry }) => entry.type === 'vote');
  const own = view.approval.askedAs === undefined ? view.approval.votes.length : votes.length;
  if (votes.length !== own) fail('G35', `${id} has ${own} votes, and ${votes.length} of them on record`);
}

/** Nothing is approved without what the policy in force asked for. */
function judgeApproval({ decision, at, since }: Decided, history: History, fail: Fail): void {
  const sent = history.sent.find(({ id }) => id === decision.proposalId);
  if (!sent) return;
  const { id } = sent;
  const isApproved = decision.outcome === 'approved';
  const refused = history.votes.some(
    (vote) => vote.id === id && vote.choice === 'reject' && vote.told === 'counted' && (vote.toldAt ?? at) < since,
  );
  if (refused && isApproved) fail('G18', `${id} is approved after somebody's refusal counted`);
  if (!isApproved) return;
  const needs = inForce(history, since, at).map((policy) => NEEDS[policy][sent.tool]);
  if (needs.every((need) => need === 'deny')) {
    fail('G9', `${id} is approved, and the policy denies it`);
    return;
  }
  if (needs.includes(0) && decision.decidedBy.type !== 'human') return;
  if (decision.reasonCode === 'cache_hit') {
    if (!remembered(history, sent, at)) fail('G16', `${id} is allowed by a memory that nobody gave, or that is over`);
    return;
  }
  const asked: readonly Need[] = inForce(history, sent.sentAt, at).map((policy) => NEEDS[policy][sent.tool]);
  // Where no rule asks, an operator's pause does, and one person is enough.
  const quorum = Math.min(...asked.map((need) => (need === 'deny' || need === 0 ? 1 : need)));
  const people = new Set(approvalsOf(history, sent, at).map(({ who }) => who));
  if (people.size < quorum) fail('G26', `${id} is approved by ${people.size} of ${quorum} people`);
}

type Sent = History['sent'][number];
const isSameCall = (one: Sent, other: Sent): boolean =>
  one.agent === other.agent && one.tool === other.tool && one.number === other.number;

/** Votes that may count for a call: on itself, or on an identical call that waited beside it. */
function approvalsOf(history: History, sent: Sent, at: number) {
  const beside = history.sent.filter((other) => {
    if (other.id === sent.id) return true;
    const end = history.decided.find(({ decision }) => decision.proposalId === other.id);
    return isSameCall(other, sent) && (end === undefined || end.at >= sent.sentAt);
  });
  const ids = new Set(beside.map(({ id }) => id));
  return history.votes.filter(
    (vote) =>
      ids.has(vote.id) && vote.choice === 'approve' && vote.at <= at && isEligible(vote.who) && isNoRefusal(vote.told),
  );
}

const isEligible = (who: string): boolean => APPROVERS.some((one) => one === who);
/** A vote of which nobody heard back may have counted. */
const isNoRefusal = (told: string | undefined): boolean => told === undefined || told === 'counted';

function remembered(history: History, sent: Sent, at: number): boolean {
  return history.sent.some(
    (other) =>
      isSameCall(other, sent) &&
      history.votes.some(
        (vote) => vote.id === other.id && vote.remember && vote.choice === 'approve' && isEligible(vote.who),
      ) &&
      history.decided.some(
        ({ decision, at: then }) =>
          decision.proposalId === other.id &&
          decision.outcome === 'approved' &&
          then <= at &&
          at < then + REMEMBER_MS + APART_MS,
      ),
  );
}

/** The policy files that a run of a function may have had. */
function inForce({ deployed }: History, since: number, at: number) {
  return deployed
    .filter(({ at: from }, index) => from <= at && (deployed[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= since)
    .map(({ policy }) => policy);
}

/** One effect for one permit, after its decision, and not against the policy of the day. */
function judgeEffects(history: History, fail: Fail): void {
  const counts = Map.groupBy(history.effects, ({ id }) => id);
  for (const [id, effects] of counts) {
    if (effects.length > 1) fail('G25', `${id} has ${effects.length} effects under one permit`);
    const decided = history.decided.find(({ decision }) => decision.proposalId === id);
    const sent = history.sent.find((one) => one.id === id);
    for (const effect of effects) {
      if (decided?.decision.outcome !== 'approved' || decided.at > effect.at)
        fail('G35', `${id} runs without an approval on record`);
      const needs = sent ? inForce(history, effect.since, effect.at).map((policy) => NEEDS[policy][sent.tool]) : [];
      if (needs.every((need) => need === 'deny')) fail('G25', `${id} runs, and the policy denies it by then`);
    }
  }
}

/** From the moment that a pause is acknowledged until somebody sends what lifts it, nothing that began meanwhile gets through. */
function judgeBrake(history: History, fail: Fail): void {
  for (const pause of history.operations) {
    if (pause.effect === 'lift' || pause.doneAt === undefined) continue;
    const { doneAt } = pause;
    const lifted = endOf(pause, history);
    const holds = ({ since, at }: { since: number; at: number }) => since > doneAt && at < lifted;
    for (const one of history.decided) {
      const sent = history.sent.find(({ id }) => id === one.decision.proposalId);
      if (!sent || one.decision.outcome !== 'approved' || !concerns(pause, sent) || !holds(one)) continue;
      if (pause.effect === 'deny') fail('A18', `${sent.id} is approved while ${pause.id} denies it`);
      else if (one.decision.decidedBy.type !== 'human')
        fail('A18', `${sent.id} is approved by no person while ${pause.id} asks for one`);
    }
    for (const effect of history.effects) {
      const sent = history.sent.find(({ id }) => id === effect.id);
      if (sent && pause.effect === 'deny' && concerns(pause, sent) && holds(effect))
        fail('A18', `${effect.id} runs while ${pause.id} denies it`);
    }
  }
}

/** When the first message was sent that may lift it: of the same scope, and later than itself. */
function endOf({ scope, at, effect }: Operated, { operations }: History): number {
  const same = operations.filter((other) => JSON.stringify(other.scope) === JSON.stringify(scope) && other.at > at);
  const end = same.find((other) => other.effect === 'lift' || (effect === 'deny' && other.effect === 'ask'));
  return end?.at ?? Number.POSITIVE_INFINITY;
}

const concerns = ({ scope }: Operated, { agent, tool }: Sent): boolean =>
  'all' in scope || ('agent' in scope ? scope.agent === agent : scope.tool === tool);

/** Caps, rates and budgets are never exceeded, whoever ran the calls. */
function judgeLimits(history: History, fail: Fail): void {
  for (const { waiting, agent, id } of history.opened)
    if (waiting > LIMITS.waiting) fail('G34', `${waiting} calls of ${agent} wait with ${id}`);
  const ran = (tool: ToolName, agent?: string) =>
    history.effects.filter(({ id }) =>
      history.sent.some(
        (sent) => sent.id === id && sent.tool === tool && (agent === undefined || sent.agent === agent),
      ),
    );
  for (const agent of new Set(history.sent.map((sent) => sent.agent))) {
    const paid = ran('Pay', agent).length;
    if (paid > LIMITS.payments) fail('G28', `${agent} paid ${paid} times`);
  }
  const pinged = ran('Ping')
    .map(({ at }) => at)
    .toSorted((one, other) => one - other);
  for (const [index, from] of pinged.entries())
    for (const [count, until] of pinged.slice(index).entries())
      if (count + 1 > LIMITS.rate.burst + ((until - from + 60_000) / 1_000) * LIMITS.rate.perSecond)
        fail('G30', `Ping ran ${count + 1} times in ${until - from} ms`);
  const running = ran('Sync').filter(({ by }) => by === 'gate');
  for (const effect of running)
    if (overlapping(effect, running) > LIMITS.slots)
      fail('G30', `Sync runs ${overlapping(effect, running)} times at once`);
}

const overlapping = (one: Effect, all: readonly Effect[]): number =>
  all.filter(({ at, until }) => at <= one.at && one.at < until).length;

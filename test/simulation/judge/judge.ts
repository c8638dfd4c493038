/**
 * Judges a history by the contract alone: proposals, votes, operations, effects and time.
 * Each problem is named by the guarantee that it breaks.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ApprovalView } from '../../../shared/ports/stores/approval-store.ts';
import { type Decided, type Effect, type History, liftOf, mayCount, type Operated } from '../model/history.ts';
import { numberIn } from '../model/plan.ts';
import {
  ESCALATED,
  ESCALATES_MS,
  FIRST_CHANNEL,
  isAskedFirst,
  LIMITS,
  NEEDS,
  PEOPLE,
  STAGED,
  TIMEOUT_MS,
  type ToolName,
} from '../model/policies.ts';
import { type Fail, isSameAnswer, type Remains } from '../world/remains.ts';
import { callsOf, inForce, isRemembered, isSameCard, judgeApproval, wasGiven } from './approval.ts';
import { judgeCanary } from './canary.ts';
import { judgeAsks, judgeChat } from './chat.ts';
import { judgeChoices } from './choices.ts';
import { judgeEndpoint } from './endpoint.ts';
import { judgeEvents } from './events.ts';
import { judgeForms } from './forms.ts';
import { judgeNames, judgeRecord } from './record.ts';
import { judgeRedriven } from './redriven.ts';
import { judgeReports } from './reports.ts';
import { countedIn, seatsOf } from './seats.ts';
import { judgeReason, judgeTold } from './told.ts';
import { judgeVisits } from './visits.ts';

export interface Problem {
  readonly guarantee: string;
  readonly text: string;
}

/** A row that was left by a crash is repaired, and a card asked for, in so long without faults. */
const REPAIRED_MS = 3 * 60_000;
/** A row, and a message that was set aside, that failed again and again is tried again after so long at most. */
const MAX_PAUSE_MS = 15 * 60_000;

const DAY_MS = 24 * 60 * 60_000;

type Sent = History['sent'][number];

/** People have the time that the policy file gives, or less where the message says so. */
const patienceOf = ({ lasts = TIMEOUT_MS }: Sent): number => lasts;
/** Where a second group is asked, it has as long as the first one. */
const leastOf = (sent: Sent): number =>
  Math.min(patienceOf(sent), sent.tool === ESCALATED ? 2 * ESCALATES_MS : Number.POSITIVE_INFINITY);

export function judge(history: History, remains: Remains): Problem[] {
  const problems: Problem[] = [];
  const fail = (guarantee: string, text: string) => problems.push({ guarantee, text });
  for (const left of remains.left) fail('G27', `nothing waits for ever, but ${left}`);
  for (const sent of history.sent) judgeEnd(sent, history, remains, fail);
  for (const decided of history.decided) {
    const sent = history.sent.find(({ id }) => id === decided.decision.proposalId);
    if (!sent) continue;
    judgeWhy(decided, sent, history, fail);
    judgeReason(decided, sent, history, fail);
    judgeNames(decided, sent, remains.proposals.get(sent.id), history, fail);
    if (decided.decision.outcome === 'approved') judgeApproval(decided, sent, history, fail);
  }
  for (const key of history.overwritten) fail('G39', `the entry ${key} takes the place of another`);
  judgeTold(history, remains, fail);
  judgeRecord(history, remains, fail);
  judgeVotes(history, fail);
  judgeEffects(history, fail);
  judgeBrake(history, fail);
  judgeLimits(history, fail);
  judgeVoided(history, fail);
  judgeChoices(history, remains.proposals, fail);
  judgeEvents(history, fail);
  judgeReports(history, remains, fail);
  judgeEndpoint(history, fail);
  judgeForms(history, remains, fail);
  judgeVisits(history, fail);
  judgeCanary(history, remains, fail);
  judgeChat(history, remains, fail);
  judgeAsks(history, remains, fail);
  judgeRedriven(history, remains, fail);
  return problems;
}

/** One decision, which its sender can read, and a record that says all of it once. */
function judgeEnd({ id, agent, spoilt, sentAt }: Sent, history: History, { proposals }: Remains, fail: Fail): void {
  const end = proposals.get(id);
  if (!end?.read) {
    fail('G33', `the sender of ${id} never reads a decision`);
    return;
  }
  const { read, records, view, replies } = end;
  if (spoilt) {
    if (read.outcome !== 'error' && read.outcome !== 'cancelled')
      fail('G15', `${id} cannot be read, and ends ${read.outcome}`);
    return;
  }
  const decisions = records.filter(({ decision }) => decision);
  if (decisions.length !== 1) fail('G18', `${id} has ${decisions.length} decisions`);
  if (!isSameAnswer(decisions[0]?.decision, read))
    fail('G39', `the record and the sender of ${id} read different decisions`);
  if (read.reasonCode === 'dead_letter' && mayWait(history) && !history.givenUp.has(id))
    fail('G45', `${id} is given up for the faults of others`);
  if (view?.cardProblem === 'channel_gone' && !wasAskedOnlyIn(FIRST_CHANNEL, view))
    fail('G45', `${id} is noted as one that nobody can be asked about`);
  // A damaged row sends no approval: its agent reads it from the record.
  const isMuted = history.muted.has(agent) || (history.broken.has(id) && read.outcome === 'approved');
  if (!replies.every((reply) => isSameAnswer(reply, read)))
    fail('G33', `the queue of its agent was sent another decision on ${id}`);
  if (!replies.length && !isMuted) fail('G33', `the queue of its agent was sent no decision on ${id}`);
  const isOvertaken = history.withdrawn.some((one) => one.id === id && one.at < sentAt);
  if (isOvertaken && !history.troubled.length && read.outcome !== 'cancelled')
    fail('D35', `${id} is withdrawn before it is sent, and ends ${read.outcome}`);
  if (!view) return;
  if (!isDeepStrictEqual(view.decision, decisions[0]?.decision)) fail('G18', `the row of ${id} holds another decision`);
  const votes = records.filter(({ entry }) => entry.type === 'vote');
  const counted = history.votes.filter((vote) => vote.id === id && vote.choice !== 'pass' && vote.told === 'counted');
  for (const { who } of counted)
    if (!votes.some(({ entry }) => entry.person?.user === PEOPLE[who].user))
      fail('G35', `the vote of ${who} on ${id} counts, and is not on record`);
  const { round, askedAs, votes: own } = view.approval;
  // One that followed another holds its votes, which the record has under that one. An edit begins another round, which has votes of its own.
  const isComplete = askedAs !== undefined || (round === 1 ? votes.length === own.length : votes.length > own.length);
  if (!isComplete) fail('G35', `${id} has ${own.length} votes, and ${votes.length} of them on record`);
  if (read.outcome === 'expired' && !end.isShown && view.approval.askedAs === undefined)
    judgeUnasked(id, history, fail);
}

/** A message waits for a store as long as it takes, where it can be sent anew and did not seem to end its process. */
const mayWait = ({ ended, isDeferredOut }: History): boolean =>
  !isDeferredOut && ended.filter((name) => WORKERS.has(name)).length < MANY_ENDS;
const MANY_ENDS = 4;
const WORKERS: ReadonlySet<string> = new Set(['evaluate', 'deliberate']);

const wasAskedOnlyIn = (channel: string, { approval }: ApprovalView): boolean =>
  approval.question.stages[approval.stage ?? 0]?.channel === channel;

/** People see each question, unless something did not work until shortly before its end. */
function judgeUnasked(id: string, history: History, fail: Fail): void {
  const sent = history.sent.find((one) => one.id === id);
  const opened = history.opened.find((one) => one.id === id);
  if (!sent || !opened || opened.waiting > 2 || history.broken.has(id)) return;
  const end = sent.sentAt + leastOf(sent);
  const from = Math.max(opened.at, end - REPAIRED_MS);
  const isTroubled = history.troubled.some((time) => time.from < end && time.until > from);
  const isClosed = sent.tool === STAGED && history.archivedAt !== undefined && history.archivedAt < end;
  // One card asks for identical calls.
  const isAlone = history.sent.every((other) => other.id === id || !isSameCard(other, sent));
  if (!isTroubled && !isClosed && isAlone && end - from >= REPAIRED_MS)
    fail('G45', `${id} expires, and nobody was asked`);
}

/** An end has a reason that somebody gave: time, its agent, an operator, another policy file. */
function judgeWhy({ decision, at, since }: Decided, sent: Sent, history: History, fail: Fail): void {
  const { id, sentAt } = sent;
  const { apartMs, calmAt } = history.terms;
  if (history.broken.has(id)) return;
  if (decision.outcome === 'expired' && !history.aged.has(id) && at < sentAt + leastOf(sent) - apartMs)
    fail('G21', `${id} expires before its time`);
  if (decision.reasonCode === 'unreadable_row')
    fail('G46', `${id} ends as a row that cannot be read, and nobody damaged it`);
  if (decision.outcome === 'cancelled' && !history.withdrawn.some((one) => one.id === id && one.at <= at))
    fail('G33', `${id} is cancelled, and nobody withdrew it`);
  // An operation takes effect by the time that the record says so.
  const changes = [
    ...history.deployed.slice(1).map((one) => ({ from: one.at, until: one.doneAt ?? one.at })),
    ...[...history.operations, ...history.revoked, ...history.voided, ...history.delegated].map((one) => ({
      from: one.at,
      until: one.doneAt ?? at,
    })),
    // One that is over changes as much as one that is lifted.
    ...[...history.operations, ...history.delegated].map((one) => ({ from: one.at, until: one.until ?? one.at })),
  ];
  const isChanged = changes.some(({ from, until }) => until >= sentAt - apartMs && from <= at);
  // A memory that is over by then answers nothing any more.
  const holds = () =>
    callsOf(sent).every((call) => isRemembered(history, call, { since, at }, -apartMs) || !wasGiven(history, call, at));
  if (decision.outcome === 'superseded' && !isChanged && holds())
    fail('A16', `${id} is superseded, and nothing has changed`);
  const counted = history.votes.flatMap((vote) => (vote.id === id && mayCount(vote.told) ? [vote.at] : []));
  const ended =
    decision.decidedBy.type === 'human' && counted.length ? Math.max(...counted) : sentAt + patienceOf(sent);
  const again = decision.reasonCode === 'dead_letter' || history.isLongOut ? MAX_PAUSE_MS : 0;
  const repaired = Math.max(calmAt, ended) + REPAIRED_MS + again;
  if (at > repaired)
    fail('G27', `${id} is decided ${Math.round((at - repaired) / 1_000)} s later than crashes are repaired`);
}

/** Only those count who may vote, and only in time. */
function judgeVotes(history: History, fail: Fail): void {
  for (const vote of history.votes) {
    const { id, who, told, toldAt, at } = vote;
    if (told !== 'counted') continue;
    if (vote.shows && hasLongLeft(vote, history)) fail('G19', `the vote of ${who} on ${id} counts, who has left`);
    const seats = seatsOf(history, who, countedIn(vote));
    if (!seats.length) fail('G19', `the vote of ${who} on ${id} counts`);
    const sent = history.sent.find((one) => one.id === id);
    const asked = history.opened.find((one) => one.id === id);
    const isEarly = (toldAt ?? at) < (asked?.since ?? 0) + ESCALATES_MS - 2 * history.terms.apartMs;
    if (sent?.tool === ESCALATED && isEarly && !seats.some(isAskedFirst))
      fail('G19', `the vote of ${who} on ${id} counts, and nobody had asked them`);
    if (sent && at > lastSentBefore(asked?.at ?? at, sent) + patienceOf(sent) + history.terms.apartMs)
      fail('G20', `${who} votes on ${id} after its end, and it counts`);
  }
}

/** A process remembers somebody's account for so long. */
const KNOWN_MS = 5 * 60_000;

const hasLongLeft = ({ who, at, toldAt = at }: History['votes'][number], { left, terms }: History): boolean =>
  left.some((one) => one.who === who && at > one.at + KNOWN_MS + terms.apartMs && toldAt < one.until);

/** The question may be that of a later copy, or of the other call under the same id: each has the time since it was sent. */
const lastSentBefore = (at: number, { sentAt, copies, other = 0 }: Sent): number =>
  Math.max(...[0, ...copies, other].map((later) => sentAt + later).filter((time) => time <= at), sentAt);

/** One effect for one permit, after its decision, and not against the policy of the day. */
function judgeEffects(history: History, fail: Fail): void {
  for (const [id, effects] of Map.groupBy(history.effects, (effect) => effect.id)) {
    if (effects.length > 1) fail('G25', `${id} has ${effects.length} effects under one permit`);
    const decided = history.decided.find(({ decision }) => decision.proposalId === id);
    const sent = history.sent.find((one) => one.id === id);
    for (const effect of effects) {
      if (decided?.decision.outcome !== 'approved' || decided.at > effect.at)
        fail('G35', `${id} runs without an approval on record`);
      const number = sent && numberIn(decided?.decision.calls[0]?.effective?.input, sent.number);
      if (number !== effect.number) fail('G25', `${id} runs with ${effect.number}, and ${number} is approved`);
      const needs = sent ? inForce(history, effect.since, effect.at).map((policy) => NEEDS[policy][sent.tool]) : [];
      const expiresAt = Date.parse(decided?.decision.calls[0]?.permit?.expiresAt ?? '');
      if (effect.since > expiresAt + history.terms.apartMs) fail('G25', `${id} runs under a permit that is over`);
      if (needs.every((need) => need === 'deny')) fail('G25', `${id} runs, and the policy denies it by then`);
    }
  }
}

/** From the moment that a pause is acknowledged until somebody sends what lifts it, nothing that began meanwhile gets through. */
function judgeBrake(history: History, fail: Fail): void {
  for (const pause of history.operations) {
    if (pause.effect === 'lift' || pause.doneAt === undefined) continue;
    const { doneAt } = pause;
    const lifted = liftOf(pause, history);
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

/** A permit that was issued before all were made void runs nothing any more. */
function judgeVoided({ voided, effects, decided, terms }: History, fail: Fail): void {
  for (const { id, at, doneAt } of voided) {
    if (doneAt === undefined) continue;
    for (const effect of effects) {
      const approved = decided.find(({ decision }) => decision.proposalId === effect.id);
      // The epoch counts seconds.
      if (approved && approved.at < at - terms.apartMs - 1_000 && effect.since > doneAt)
        fail('A26', `${effect.id} runs under a permit that ${id} has made void`);
    }
  }
}

const concerns = ({ scope }: Operated, sent: Sent): boolean =>
  'all' in scope ||
  ('agent' in scope ? scope.agent === sent.agent : callsOf(sent).some(({ tool }) => tool === scope.tool));

/** Caps, rates and budgets are never exceeded, whoever ran the calls. */
function judgeLimits(history: History, fail: Fail): void {
  for (const { waiting, agent, id } of history.opened)
    if (waiting > history.terms.waiting) fail('G34', `${waiting} calls of ${agent} wait with ${id}`);
  const ran = (tool: ToolName, agent?: string) =>
    history.effects.filter(({ id }) =>
      history.sent.some(
        (sent) => sent.id === id && sent.tool === tool && (agent === undefined || sent.agent === agent),
      ),
    );
  for (const agent of new Set(history.sent.map((sent) => sent.agent))) {
    for (const [day, paid] of Map.groupBy(ran('Pay', agent), ({ at }) => Math.floor(at / DAY_MS)))
      if (paid.length > LIMITS.payments) fail('G28', `${agent} paid ${paid.length} times on day ${day}`);
  }
  const pinged = ran('Ping')
    .map(({ at }) => at)
    .toSorted((one, other) => one - other);
  const { burst, perSecond } = LIMITS.rate;
  for (const [index, from] of pinged.entries())
    for (const [count, until] of pinged.slice(index).entries())
      if (count + 1 > burst + ((until - from + RATE_LATE_MS) / 1_000) * perSecond)
        fail('G30', `Ping ran ${count + 1} times in ${until - from} ms`);
  const running = ran('Sync').filter(({ by }) => by === 'gate');
  for (const effect of running)
    if (overlapping(effect, running) > LIMITS.slots)
      fail('G30', `Sync runs ${overlapping(effect, running)} times at once`);
}

/** A call that was admitted begins at most so much later. */
const RATE_LATE_MS = 15_000;

const overlapping = (one: Effect, all: readonly Effect[]): number =>
  all.filter(({ at, until }) => at <= one.at && one.at < until).length;

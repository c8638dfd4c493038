/**
 * Moves an approval through its states: pure, one end per round and one decision per approval.
 *
 * Every transition gives the next row, or the reason why there is none; the adapter writes it on the condition that
 * the version is still the one read.
 *
 * - `castVote`: one person answers. The same write advances the stage, or ends the round.
 * - `pass`: one person says "not me", and may name somebody who takes the seat.
 * - `advance`: time has passed: a reminder, an escalation, or the end of a stage or of the wait is due.
 * - `cancel`: the agent withdraws its proposal.
 * - `nextRound`: the run asks another question, such as the one about an edited call.
 * - `coalesce`: a follower (an identical waiting call) takes the answer of its primary, whose card asked for both.
 * - `detach`: a follower asks by itself, because its primary ended without people.
 */
import type { Approval, ApprovalStatus, Person, Question, Vote } from '../../contract/index.ts';
import { isHighSeverity } from '../severity.ts';
import { type Ballot, type Refusal, samePerson, statedChoice, type Voter } from './ballot.ts';
import { hasRoomFor, withPassed } from './room.ts';
import { callsOf, countedUnder, currentStage, deadlineOf, sinceOf, stageResult, tallyOf } from './stage.ts';

export * from './ballot.ts';
export * from './stage.ts';

export type Transition =
  | { readonly ok: true; readonly next: Approval }
  | { readonly ok: false; readonly refusal: Refusal };

/** Whether the present round of an approval has ended. */
export const isTerminal = (status: ApprovalStatus): boolean => status !== 'pending';

const MAX_ROUNDS = 20;
const refused = (refusal: Refusal): Transition => ({ ok: false, refusal });

/** One person's vote. `now` in milliseconds; a vote at the very end of the wait is late. */
export function castVote(row: Approval, voter: Voter, given: Ballot, now: number): Transition {
  const refusal =
    closedRefusal(row, now) ?? questionRefusal(row, given) ?? voterRefusal(row, voter) ?? ballotRefusal(row, given);
  if (refusal) return refused(refusal);
  const seat = seatOf(row, voter);
  if (seat.refusal) return refused(seat.refusal);
  const ballot = limitedToOpenCalls(row, voter, given);
  if (voter.isNeededLater && ballot.choice === 'approve' && statedChoice(ballot) === 'approve')
    return refused('needed_later');
  const vote = voteOf(row, voter, seat, ballot, now);
  if (row.votes.some((other) => sameSeat(other, vote) && aboutTheSame(other, vote))) return refused('already_voted');
  const isPart = () => vote.choice === 'approve' && openTo(row, voter).some((id) => !namesCall(vote, id));
  if (!hasRoomFor(row, vote, isPart)) return refused('too_many_votes');
  return { ok: true, next: afterVote({ ...row, votes: [...row.votes, vote], version: row.version + 1 }, vote, now) };
}

/** Records the answer "not me". `to` takes the person's seat in this approval; without `to`, nobody does. */
export function pass(
  row: Approval,
  voter: Voter,
  { to, questionDigest }: { readonly to?: Person | undefined; readonly questionDigest: string },
  now: number,
): Transition {
  const refusal = closedRefusal(row, now) ?? questionRefusal(row, { questionDigest }) ?? voterRefusal(row, voter);
  if (refusal) return refused(refusal);
  // Nobody else can confirm what somebody asked for.
  if (currentStage(row).by === 'requester') return refused('not_offered');
  const votingSeat = seatOf(row, voter);
  if (votingSeat.refusal) return refused(votingSeat.refusal);
  if (to && (samePerson(to, voter.person) || isOwner(row, voter, to) || isAsker(row, to)))
    return refused('unknown_person');
  if (row.votes.some((vote) => isHolder(vote, voter.person))) return refused('already_voted');
  const { standsFor } = votingSeat;
  // A seat is passed on as a whole: it stays one seat, and only the last person who got it holds it.
  const seat = standsFor ?? voter.person;
  const others = (row.passed ?? []).filter((earlier) => !samePerson(seatOwner(earlier), seat));
  const by = { by: voter.person, name: voter.person.user, ...(standsFor ? { standsFor } : {}) };
  const passed = { ...by, ...(to ? { to } : {}), at: new Date(now).toISOString() };
  const all = withPassed(others, passed);
  return all ? { ok: true, next: { ...row, passed: all, version: row.version + 1 } } : refused('too_many_votes');
}

/**
 * Counts the votes of a round again, one after the other, and gives the status that they lead to. Undefined for votes that `castVote` would not
 * have taken.
 */
export function statusByVotes(row: Approval): ApprovalStatus | undefined {
  const { stage: _, ...rest } = row;
  let counted: Approval = { ...rest, status: 'pending', votes: [] };
  for (const vote of row.votes) {
    if (isTerminal(counted.status) || vote.stage !== (counted.stage ?? 0)) return undefined;
    counted = afterVote({ ...counted, votes: [...counted.votes, vote] }, vote, Date.parse(vote.at));
  }
  return counted.status;
}

/** Ends a round whose time is over before enough people answered. */
export function expire(row: Approval, now: number): Transition {
  if (isTerminal(row.status)) return refused('already_decided');
  if (now < deadlineOf(row)) return refused('not_yet_expired');
  return { ok: true, next: ended(row, 'expired', now) };
}

/** Ends a round before its time, because too few people are left to answer it. One whose silence may approve ends with its time alone. */
export function abandon(row: Approval, now: number): Transition {
  if (isTerminal(row.status)) return refused('already_decided');
  if (row.follows !== undefined || row.question.onTimeout === 'approve' || now >= deadlineOf(row))
    return refused('not_due');
  return { ok: true, next: ended(row, 'expired', now) };
}

/** Applies what is due at `now`: the end of the wait or of the stage, else an escalation, else a reminder. */
export function advance(row: Approval, now: number): Transition {
  if (isTerminal(row.status)) return refused('already_decided');
  if (row.follows !== undefined && now < Date.parse(row.expiresAt)) return refused('not_due');
  if (now >= deadlineOf(row)) return expire(row, now);
  const { timeoutMs, escalateTo, remindMs } = currentStage(row);
  const waited = now - sinceOf(row);
  if (timeoutMs !== undefined && escalateTo && !row.escalated && waited >= timeoutMs) {
    const { reminders: _, ...rest } = row;
    const stageSince = new Date(now).toISOString();
    return { ok: true, next: { ...rest, escalated: true, stageSince, version: row.version + 1 } };
  }
  const reminders = remindMs === undefined ? 0 : Math.floor(waited / remindMs);
  if (reminders <= (row.reminders ?? 0)) return refused('not_due');
  return { ok: true, next: { ...row, reminders, version: row.version + 1 } };
}

/** Withdraws the proposal. A round that has ended keeps its result, and no further round begins. */
export function cancel(row: Approval, now: number, why?: string): Transition {
  const stated = why ? { ...row, withdrawnWhy: why } : row;
  if (row.status === 'pending') return { ok: true, next: ended(stated, 'cancelled', now) };
  if (!mayGoOn(row) || row.withdrawn) return refused('already_decided');
  return { ok: true, next: { ...stated, withdrawn: true, version: row.version + 1 } };
}

/** Whether the round that ended may lead to another question: an edited call may be asked about, and so may an agent policy's next part. */
const mayGoOn = ({ status, question }: Approval): boolean =>
  status === 'edited' || (question.kind === 'choice' && status !== 'cancelled');

/** Begins another round with another question of the same run. The journal holds the votes of the round that ended. */
export function nextRound(row: Approval, question: Question, now: number): Transition {
  if (row.status === 'pending' || !mayGoOn(row) || row.withdrawn) return refused('already_decided');
  if (row.round >= MAX_ROUNDS) return refused('too_many_rounds');
  if (now >= Date.parse(row.expiresAt)) return refused('expired');
  const { endedAt: _, stage: __, escalated: ___, reminders: ____, passed: _____, ...more } = row;
  const { follows: ______, deliberating: _______, ...rest } = more;
  const editors = row.votes.filter(({ choice }) => choice === 'edit').map(({ by }) => by);
  return {
    ok: true,
    next: {
      ...rest,
      version: row.version + 1,
      round: row.round + 1,
      countedUnder: countedUnder(row),
      status: 'pending',
      question,
      votes: [],
      stageSince: new Date(now).toISOString(),
      ...(editors.length ? { editors: [...(row.editors ?? []), ...editors].slice(-MAX_ROUNDS) } : {}),
    },
  };
}

/** Gives a follower the answer of its primary, which has ended. An answer from after the end of the follower's own wait does not count. */
export function coalesce(row: Approval, primary: Approval): Transition {
  if (isTerminal(row.status)) return refused('already_decided');
  if (row.follows !== primary.pid || !isTerminal(primary.status)) return refused('not_due');
  const { follows: _, ...rest } = row;
  if (isTooLate(row, primary) && !sharesSilence(row, primary))
    return { ok: true, next: ended(row, 'expired', Date.parse(primary.endedAt ?? row.expiresAt)) };
  const { round, status, question, votes, editors, endedAt, stage } = primary;
  return {
    ok: true,
    next: {
      ...rest,
      version: row.version + 1,
      countedUnder: countedUnder(row),
      round,
      status,
      question,
      votes,
      ...(stage === undefined ? {} : { stage }),
      ...(editors ? { editors } : {}),
      ...(endedAt ? { endedAt } : {}),
      askedAs: primary.askedAs ?? primary.pid,
      followedRound: round,
    },
  };
}

/** Whether the primary was answered only after the follower's own wait had ended. */
export const isTooLate = ({ expiresAt }: Pick<Approval, 'expiresAt'>, primary: Pick<Approval, 'endedAt'>): boolean =>
  primary.endedAt === undefined || Date.parse(primary.endedAt) >= Date.parse(expiresAt);

/** Whether the silence about the primary's card, which asked for both, may count as a yes for the follower too. */
export const sharesSilence = (row: Pick<Approval, 'expiresAt'>, primary: Approval): boolean =>
  primary.status === 'expired' &&
  !primary.withdrawn &&
  primary.question.onTimeout === 'approve' &&
  Date.parse(row.expiresAt) >= deadlineOf(primary);

/** Lets a follower ask by itself from now on: its primary ended without people. */
export function detach(row: Approval, now: number): Transition {
  if (isTerminal(row.status) || row.follows === undefined) return refused('already_decided');
  const { follows: _, ...rest } = row;
  return { ok: true, next: { ...rest, stageSince: new Date(now).toISOString(), version: row.version + 1 } };
}

function ended(row: Approval, status: ApprovalStatus, now: number): Approval {
  return { ...row, status, version: row.version + 1, endedAt: new Date(now).toISOString() };
}

/** Refuses votes on a round that has ended, or whose time is over. */
function closedRefusal(row: Approval, now: number): Refusal | undefined {
  if (row.status === 'expired') return 'expired';
  if (isTerminal(row.status)) return 'already_decided';
  return now >= deadlineOf(row) ? 'expired' : undefined;
}

/** Refuses an answer to another question than the one that is asked now. */
const questionRefusal = (
  { question }: Approval,
  { questionDigest }: Pick<Ballot, 'questionDigest'>,
): Refusal | undefined => (questionDigest === question.digest ? undefined : 'stale_digest');

/** Refuses voters who may not vote on this approval, whatever groups they are in. */
function voterRefusal(row: Approval, voter: Voter): Refusal | undefined {
  if (voter.isBot) return 'bot_cannot_approve';
  if (voter.barred === 'foreign_workspace' || voter.barred === 'deactivated_person') return voter.barred;
  if (currentStage(row).by === 'requester') return isRequester(row, voter.person) ? undefined : 'not_the_requester';
  if (isOwner(row, voter, voter.person)) return 'owner_cannot_approve';
  if (isAsker(row, voter.person)) return 'requester_cannot_approve';
  return isBarredEditor(row, voter.person) ? 'editor_cannot_approve' : undefined;
}

/**
 * Whether the person owns the agent, or an agent that its session works for. Owners of the time of the question count, and so do today's: an
 * agent may get another owner while a question waits.
 */
const isOwner = (row: Approval, { ownersNow = [] }: Voter, person: Person): boolean =>
  [row.owner, ...(row.above?.owners ?? []), ...ownersNow].some((owner) => samePerson(owner, person));

/** Whether the call was proposed in the name of this person, or a session above it was started in their name. */
const isAsker = (row: Approval, person: Person): boolean =>
  isRequester(row, person) || row.above?.requesters.some((one) => samePerson(one, person)) === true;

const isBarredEditor = (row: Approval, person: Person): boolean =>
  isHighSeverity(row.question.severity) && row.editors?.some((editor) => samePerson(editor, person)) === true;

/** Whether the person is the requester. In a self-confirmation without a known requester, the agent's owner is. */
const isRequester = (row: Approval, person: Person): boolean =>
  row.requester
    ? samePerson(row.requester, person)
    : currentStage(row).by === 'requester' && samePerson(row.owner, person);

interface VotingSeat {
  readonly refusal?: Refusal;
  readonly standsFor?: Person;
  readonly passed?: true;
}

/** The seat in which a person votes: their own first, then one that was passed on to them, then a delegated one. */
function seatOf(row: Approval, voter: Voter): VotingSeat {
  const { person, seats, barred } = voter;
  const stage = currentStage(row);
  if (stage.by === 'requester') return {};
  const groups = [stage.group, ...(row.escalated && stage.escalateTo ? [stage.escalateTo.group] : [])];
  const here = seats.filter(({ group }) => groups.includes(group));
  if (here.some(({ standsFor }) => standsFor === undefined)) return {};
  const passed = (row.passed ?? []).filter(({ to }) => to && samePerson(to, person)).map(seatOwner);
  // A person who may not vote has no seat to give away.
  const mayGive = (owner: Person | undefined): owner is Person =>
    owner !== undefined && !isOwner(row, voter, owner) && !isAsker(row, owner) && !isBarredEditor(row, owner);
  const passedBy = passed.find(mayGive);
  if (passedBy) return { standsFor: passedBy, passed: true };
  const standsFor = here.map((seat) => seat.standsFor).find(mayGive);
  if (standsFor) return { standsFor };
  return { refusal: barred ?? 'not_in_group' };
}

/** The owner of a seat that was passed on. Another person than the owner may have passed it on last. */
const seatOwner = ({ by, standsFor }: NonNullable<Approval['passed']>[number]): Person => standsFor ?? by;

/** Refuses a ballot that does not fit the question. */
function ballotRefusal({ question }: Approval, ballot: Ballot): Refusal | undefined {
  if (!question.offers.includes(ballot.choice)) return 'not_offered';
  switch (ballot.choice) {
    case 'approve':
      return callsRefusal(question, ballot);
    case 'reject':
      return undefined;
    case 'edit': {
      const asked = question.kind === 'calls' ? question.calls : [];
      if (asked.length !== 1) return 'not_offered';
      if (asked[0]?.id !== ballot.callId) return 'unknown_call';
      return asked[0]?.actionDigest === ballot.actionDigest ? 'unchanged' : undefined;
    }
    case 'substitute':
      // One person decides on a substitute alone, so that it is not offered where two people have to approve.
      if (question.kind !== 'choice' || question.stages.length > 1) return 'not_offered';
      return question.stages[0]?.quorum === 1 ? undefined : 'not_offered';
    case 'respond': {
      const choices = question.kind === 'input' ? question.choices : undefined;
      if (!ballot.answer.trim()) return 'unknown_answer';
      return choices && !choices.includes(ballot.answer) ? 'unknown_answer' : undefined;
    }
    default:
      return ballot satisfies never;
  }
}

function callsRefusal(question: Question, { calls }: Extract<Ballot, { choice: 'approve' }>): Refusal | undefined {
  if (!calls) return undefined;
  const known = question.kind === 'calls' ? question.calls.map(({ id }) => id) : [];
  const ids = calls.map(({ id }) => id);
  return !ids.length || new Set(ids).size < ids.length || ids.some((id) => !known.includes(id))
    ? 'unknown_call'
    : undefined;
}

function voteOf(row: Approval, voter: Voter, { standsFor, passed }: VotingSeat, ballot: Ballot, now: number): Vote {
  const cast = {
    by: voter.person,
    name: voter.person.user,
    ...(standsFor ? { standsFor } : {}),
    ...(passed ? { passed } : {}),
    stage: row.stage ?? 0,
    ...(ballot.reason ? { reason: ballot.reason } : {}),
    at: new Date(now).toISOString(),
    via: ballot.via,
  };
  switch (ballot.choice) {
    case 'approve': {
      const { calls, remember } = ballot;
      return { ...cast, choice: 'approve', ...(calls ? { calls: [...calls] } : {}), ...(remember ? { remember } : {}) };
    }
    case 'reject':
      return { ...cast, choice: 'reject' };
    case 'edit': {
      const { callId, input, actionDigest } = ballot;
      return { ...cast, choice: 'edit', callId, input: { ...input }, actionDigest };
    }
    case 'substitute':
      return { ...cast, choice: 'substitute', index: ballot.index, actionDigest: ballot.actionDigest };
    case 'respond':
      return { ...cast, choice: 'respond', answer: ballot.answer };
    default:
      return ballot satisfies never;
  }
}

const holders = ({ by, standsFor }: Vote): Person[] => (standsFor ? [by, standsFor] : [by]);

/** Whether two votes are one by the rule that a person votes once, and a seat counts once, whoever sits in it. */
const sameSeat = (a: Vote, b: Vote): boolean =>
  holders(a).some((one) => holders(b).some((other) => samePerson(one, other)));

/** The ids of the calls of a batch that this person may still answer: open calls about which their seat has not voted. */
export function openTo(row: Approval, voter: Pick<Voter, 'person'> & Partial<Voter>): string[] {
  const { person, seats = [] } = voter;
  const { standsFor = person } = seatOf(row, { ...voter, isBot: false, seats });
  const theirs = row.votes.filter((vote) => [person, standsFor].some((who) => isHolder(vote, who)));
  const silent = (id: string) => theirs.every((vote) => vote.choice === 'approve' && !namesCall(vote, id));
  return callsOf(row.question).flatMap(({ id }) => (tallyOf(row, id) === 'open' && silent(id) ? [id] : []));
}

const isHolder = (vote: Vote, person: Person): boolean => holders(vote).some((holder) => samePerson(holder, person));

/** Limits an answer to a whole batch to the calls that are still open to this person, where part of the batch is answered already. */
function limitedToOpenCalls(row: Approval, voter: Voter, ballot: Ballot): Ballot {
  if (ballot.choice !== 'approve' && ballot.choice !== 'reject') return ballot;
  const open = openTo(row, voter);
  const isWhole = !('calls' in ballot && ballot.calls);
  if (!isWhole || !open.length || open.length === callsOf(row.question).length) return ballot;
  const { choice, reason, ...rest } = ballot;
  const why = reason ? { reason } : {};
  if (choice === 'approve') return { ...ballot, calls: open.map((id) => ({ id, choice })) };
  return { ...rest, choice: 'approve', calls: open.map((id) => ({ id, choice, ...why })) };
}

const namesCall = ({ calls }: Extract<Vote, { choice: 'approve' }>, id: string): boolean =>
  !calls || calls.some((call) => call.id === id);

const aboutTheSame = (a: Vote, b: Vote): boolean => {
  const [first, second] = [a, b].map((vote) => (vote.choice === 'approve' ? vote.calls : undefined));
  return !first || !second || first.some(({ id }) => second.some((other) => other.id === id));
};

const ENDS = { edit: 'edited', substitute: 'substituted', respond: 'answered' } as const;

function afterVote(row: Approval, vote: Vote, now: number): Approval {
  const at = new Date(now).toISOString();
  if (vote.choice !== 'approve' && vote.choice !== 'reject') return { ...row, status: ENDS[vote.choice], endedAt: at };
  const result = stageResult(row);
  if (result === 'open') return row;
  if (result === 'rejected') return { ...row, status: 'rejected', endedAt: at };
  const stage = (row.stage ?? 0) + 1;
  if (stage >= row.question.stages.length) return { ...row, status: 'approved', endedAt: at };
  // A seat that was passed on belongs to one group: the next stage asks another.
  const { escalated: _, reminders: __, passed: ___, ...rest } = row;
  return { ...rest, stage, stageSince: at };
}

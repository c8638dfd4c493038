/** Judges approvals by the rules in force, by votes, and by what people approved for later. */
import { isDeepStrictEqual } from 'node:util';
import { type Decided, type History, mayCount, type Seen } from '../model/history.ts';
import { numberIn } from '../model/plan.ts';
import {
  HAS_SEVERITY,
  isEligible,
  NEEDS,
  type Need,
  needOf,
  PILOT,
  type PolicyName,
  REMEMBER_MS,
  type ToolName,
} from '../model/policies.ts';
import type { Fail } from '../world/remains.ts';
import { judgeHook } from './hooks.ts';
import { countedIn, countVoices, seatsOf } from './seats.ts';

type Sent = History['sent'][number];

interface Call {
  readonly agent: string;
  readonly tool: ToolName;
  readonly number: number;
}
export const callsOf = ({ agent, tool, number, also, alsoTool = tool, more = 0 }: Sent): Call[] => [
  { agent, tool, number },
  ...(also === undefined ? [] : [{ agent, tool: alsoTool, number: also }]),
  ...Array.from({ length: more }, (_, index) => ({ agent, tool, number: number + 1 + index })),
];
const isSameCall = (one: Call, other: Call): boolean => isDeepStrictEqual(one, other);
/** Compares the cheap fields first: among thousands of proposals few begin alike. */
export const isSameCard = (one: Sent, other: Sent): boolean =>
  one.number === other.number && one.tool === other.tool && isDeepStrictEqual(callsOf(one), callsOf(other));

/** An answer instead of a yes says that the call is not run. */
const REFUSES: ReadonlySet<string> = new Set(['reject', 'respond']);

/** Nothing is approved without what the policy in force asked for. */
export function judgeApproval({ decision, at, since }: Decided, sent: Sent, history: History, fail: Fail): void {
  const { id } = sent;
  const isRefused = history.votes.some(
    (vote) => vote.id === id && REFUSES.has(vote.choice) && vote.told === 'counted' && (vote.toldAt ?? at) < since,
  );
  if (isRefused) fail('G18', `${id} is approved after somebody's refusal counted`);
  for (const [index, call] of callsOf(sent).entries()) {
    const { decidedBy, reasonCode } = decision.calls[index] ?? decision;
    const { effective, actionDigest } = decision.calls[index] ?? {};
    const number = numberIn(effective?.input, call.number);
    const edits = editsOf(history, sent, at);
    // Also where an edit takes back another.
    const isEdited = edits.some(({ edit }) => edit === number);
    const isByPeople = decidedBy.type === 'human';
    const policies = inForce(history, since, at);
    if (policies.every((policy) => NEEDS[policy][call.tool] === 'deny'))
      fail('G9', `${id} is approved, and the policy denies it`);
    const needIn = (policy: PolicyName): Need => needOf(policy, call.tool, number);
    const asked = policies.map(needIn);
    // Where no rule asks, an operator's pause does, and one person is enough.
    const quorum = Math.min(...asked.map((need) => (need === 'deny' || need === 0 ? 1 : need)));
    const isLeftAlone = judgeHook({ id, tool: call.tool, number, isEdited, isByPeople }, history, fail);
    if (!isEdited && number !== call.number)
      fail('G16', `${id} is approved with ${number}, and nobody changed it to that`);
    // A call that somebody changed goes through all rules again: where one, a memory or the agent's model allows it, nobody has to say yes once more.
    const mayBeAllowed = isLeftAlone && (!isByPeople || isEdited);
    if (mayBeAllowed && policies.map(needIn).includes(0)) continue;
    if (mayBeAllowed && (decidedBy.type === 'classifier' || isEdited) && sent.agent === PILOT) continue;
    const isMemory = isRemembered(history, { ...call, number }, { since, at }, history.terms.apartMs);
    if (mayBeAllowed && isEdited && isMemory) continue;
    if (reasonCode === 'cache_hit') {
      if (!isMemory && wasApproved(history, { ...call, number }))
        fail('G16', `${id} is allowed by a memory that is over`);
      else if (!isMemory) fail('G17', `${id} is allowed by a memory that nobody gave`);
      continue;
    }
    // A severe call is approved by others than the person who changed it.
    const barred = HAS_SEVERITY.has(call.tool)
      ? edits.flatMap(({ who, told }) => (told === 'counted' ? [who] : []))
      : [];
    const votes = approvalsOf(history, sent, at).filter(({ seen }) => !!actionDigest && seen.includes(actionDigest));
    const people = countVoices(history, votes, barred);
    if (!history.lied.has(id) && votes.some(({ shows }) => shows && !shows.includes(number)))
      fail('G22', `${id} is approved with ${number}, which no card showed`);
    if (people < quorum) fail(isEdited ? 'G23' : 'G26', `${id} is approved by ${people} of ${quorum} people`);
  }
}

/** Yeses that may count for a call. */
const approvalsOf = (history: History, sent: Sent, at: number) =>
  votesFor(history, sent, at).filter(({ choice }) => choice === 'approve');
const editsOf = (history: History, sent: Sent, at: number) =>
  votesFor(history, sent, at).filter(({ choice }) => choice === 'edit');

/** Votes that may count for a call: on itself, or on an identical one that waited beside it. */
function votesFor(history: History, sent: Sent, at: number) {
  if (!history.votes.length) return [];
  const beside = history.sent.filter((other) => {
    if (other.id === sent.id) return true;
    if (!isSameCard(other, sent)) return false;
    const end = history.decided.find(({ decision }) => decision.proposalId === other.id);
    return end === undefined || end.at >= sent.sentAt;
  });
  const ids = new Set(beside.map(({ id }) => id));
  return history.votes.filter(
    (vote) =>
      ids.has(vote.id) && vote.at <= at && seatsOf(history, vote.who, countedIn(vote)).length && mayCount(vote.told),
  );
}

/** `slack`: clocks apart prolong a memory that may hold, and cut one that must. */
export function isRemembered(history: History, call: Call, run: Seen, slack: number): boolean {
  const isSure = slack < 0;
  return history.sent.some(
    (other) =>
      (isSure ? !isChanged(history, other) && isAskedAbout(call, other) : isGivenFor(history, call, other)) &&
      history.votes.some(
        (vote) =>
          vote.id === other.id &&
          vote.remember &&
          vote.choice === 'approve' &&
          (isSure ? isEligible(vote.who) : mayGiveStill(history, vote, run)),
      ) &&
      history.decided.some(
        ({ decision, since, at }) =>
          decision.proposalId === other.id &&
          decision.outcome === 'approved' &&
          at <= run.at &&
          !isTakenBack(history, call.agent, { given: { since, at }, run, isSure }) &&
          // A memory lasts from when people answered, which was after the first vote and before the run that gave it ended.
          (isSure
            ? run.at < firstVoteOn(other.id, history) + REMEMBER_MS + slack
            : run.since < at + REMEMBER_MS + slack),
      ),
  );
}

const firstVoteOn = (id: string, { votes }: History): number =>
  Math.min(...votes.flatMap((vote) => (vote.id === id ? [vote.at] : [])));

/** An approval for later counts for as long as whoever gave it could still give it (D52). */
const mayGiveStill = (history: History, vote: History['votes'][number], run: Seen): boolean =>
  seatsOf(history, vote.who, countedIn(vote)).length > 0 && seatsOf(history, vote.who, run).length > 0;

/** Whether an operator took back what was given: `isSure`, whether one may have. */
function isTakenBack(
  history: History,
  of: string,
  { given, run, isSure }: { readonly given: Seen; readonly run: Seen; readonly isSure: boolean },
): boolean {
  const { revoked, voided, terms } = history;
  const all = voided.map((one) => ({ ...one, agent: of, isSingle: false }));
  return [...revoked, ...all].some(({ agent, at, isSingle, doneAt = Number.POSITIVE_INFINITY }) => {
    if (agent !== of || (isSingle && !isSure && givenTo(of, history) > 1)) return false;
    return isSure ? at <= run.at && doneAt >= given.since : given.at < at - terms.apartMs && run.since > doneAt;
  });
}

/** Approvals for later that an agent has: which one was taken back nobody knows where there are several. */
const givenTo = (of: string, { sent, votes }: History): number =>
  sent.filter(({ id, agent }) => agent === of && votes.some((vote) => vote.id === id && vote.remember)).length;

/** Whether an approval for later of this call was given and took effect, whatever became of it. */
const wasApproved = (history: History, call: Call): boolean =>
  history.sent.some(
    (other) =>
      isGivenFor(history, call, other) &&
      history.votes.some((vote) => vote.id === other.id && vote.remember) &&
      history.decided.some(({ decision }) => decision.proposalId === other.id && decision.outcome === 'approved'),
  );

/** Whether anybody ever gave an approval for later of this call. */
export const wasGiven = (history: History, call: Call, at: number): boolean =>
  history.sent.some(
    (other) =>
      isGivenFor(history, call, other) &&
      history.votes.some((vote) => vote.id === other.id && vote.remember && vote.at <= at),
  );

const isAskedAbout = (call: Call, sent: Sent): boolean => callsOf(sent).some((one) => isSameCall(one, call));
const editsOfCard = ({ votes }: History, { id }: Sent) =>
  votes.filter((vote) => vote.id === id && mayCount(vote.told) && vote.choice === 'edit');
const isChanged = (history: History, sent: Sent): boolean => editsOfCard(history, sent).length > 0;
/** An approval for later is one of the call as people changed it. */
const isGivenFor = (history: History, call: Call, sent: Sent): boolean =>
  isAskedAbout(call, sent) ||
  editsOfCard(history, sent).some(({ edit }) =>
    isSameCall({ agent: sent.agent, tool: sent.tool, number: edit ?? Number.NaN }, call),
  );

/** The policy files that a run of a function may have had. */
export function inForce({ deployed }: History, since: number, at: number) {
  return deployed
    .filter(({ at: from }, index) => {
      const next = deployed[index + 1];
      return from <= at && (next?.doneAt ?? next?.at ?? Number.POSITIVE_INFINITY) >= since;
    })
    .map(({ policy }) => policy);
}

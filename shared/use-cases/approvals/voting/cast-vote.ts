/**
 * Takes a person's vote on an approval: one conditional write, audited whether it counts or not.
 * Slack clicks and modals, commands and operators all come here. `ballot` holds the choice:
 *
 * - approve: `{ choice: 'approve' }`; for the session `remember: 'session' | 'session-all-tools'`; single calls of a batch by their ids
 *   `calls: [{ id, choice: 'approve' | 'reject', reason }]` (a rejected one needs a reason).
 * - reject: `{ choice: 'reject', reason }`.
 * - edit: `edit()` below checks the input and makes the ballot; the changed call is judged anew by `resume`.
 * - substitute: `{ choice: 'substitute', index, actionDigest }`, an action of the proposal's action space (`choiceDigest`).
 * - respond: `{ choice: 'respond', answer }`: to an input request the answer; to a call, that it is not run and why.
 * - pass on: `passOn()` below.
 *
 * `question.offers` lists the choices; any other is refused as `not_offered`. `VoteRefusal` in `domain/approval/ballot.ts` lists all refusals, and
 * `adapters/slack/texts/refusals.ts` holds their words. A refusal changes nothing.
 */
import type { Policy } from '../../../config/compile.ts';
import { LIMITS } from '../../../contract/bounds.ts';
import type { Approval, AuditEntry, CallVote, Person } from '../../../contract/index.ts';
import {
  type Ballot,
  castVote,
  isTerminal,
  openTo,
  pass,
  type Refusal,
  samePerson,
  type Transition,
  type VoteRefusal,
  type Voter,
} from '../../../domain/approval/approval.ts';
import { voteDigest } from '../../../domain/approval/vote-digest.ts';
import { auditDigest, choiceDigest } from '../../../domain/digest.ts';
import { storedProposal } from '../../../domain/proposal/stored-proposal.ts';
import { canBeJudged, canQuestionBeJudged } from '../../../domain/redaction/judgeable/judgeable.ts';
import { cutMarked } from '../../../domain/redaction/text/marker.ts';
import type { AccountStatus } from '../../../ports/people.ts';
import type { ApprovalView, Card } from '../../../ports/stores/approval-store.ts';
import type { AuditLog } from '../../../ports/stores/audit-log.ts';
import type { InputStore } from '../../../ports/stores/input-store.ts';
import type { CardQueue } from '../../../ports/stores/outbox.ts';
import { recordOf, type Subject } from '../../audit/audit-entry.ts';
import { storeShown } from '../../audit/proposal-text.ts';
import type { VoterDependencies } from '../../people/seats.ts';
import type { VoteDependencies } from '../dependencies.ts';
import { refreshChangedCards, refreshClickedCards } from '../refresh-cards.ts';
import { updateApproval } from '../update-approval.ts';
import { canAnswer } from './can-answer.ts';
import { type Claimant, voterOf } from './eligible-voter.ts';
import type { FieldProblems } from './input-schema.ts';
import { readEdit } from './read-edit.ts';

export type VoteResult =
  | { readonly kind: 'counted'; readonly approval: Approval }
  | {
      readonly kind: 'refused';
      readonly refusal: VoteRefusal;
      readonly approval?: Approval;
      /** Problems of an edit that the tool's schema refuses, by the path of the argument, for the modal. */
      readonly fields?: FieldProblems;
    };

export interface VotingDependencies extends VoteDependencies, VoterDependencies {
  readonly policy: Policy;
  readonly audit: AuditLog;
  readonly cards: CardQueue;
  readonly inputs: Pick<InputStore, 'put'>;
}

/** One click: its approval, its person, and the card that was clicked. */
export interface ClickContext extends Claimant {
  readonly pid: string;
  /** Names the request, so that a request that is delivered twice is audited once. */
  readonly requestId: string;
  /** The card that was clicked and whether the channel vouches for it; absent where there is no card. */
  readonly from?: { readonly card: Card; readonly isOwn: (view: ApprovalView) => boolean };
  /** The message or form that was clicked, as JSON: Slack's own word on what it showed. */
  readonly shown?: string | undefined;
}

export interface Click extends ClickContext {
  readonly ballot: Ballot;
}

/** The subject of verified clicks that name no approval of this gate; no agent can have this name. */
export const UNKNOWN_APPROVAL: Subject = { agent: '-clicks', pid: '0'.repeat(64), proposalId: null };

/** Counts a vote, or returns why it does not count. The audit's `detail` names the reason; nobody else's name or vote is told. */
export async function vote(click: Click, deps: VotingDependencies): Promise<VoteResult> {
  const redacted = await withoutSecrets(click.ballot, deps);
  const what = { type: 'vote', code: redacted.choice, via: redacted.via } as const;
  return submitVote(click, what, deps, (approval, voter, view) => {
    const ballot = withListedAnswer(redacted, click.ballot, approval);
    const cast = castVote(approval, voter, ballot, deps.clock.now());
    const problem = cast.ok ? ballotProblem(view, ballot) : undefined;
    return problem ? { ok: false, refusal: problem } : cast;
  });
}

/** The question's choices are redacted already, and the mark in one of them is no text of a person. */
function withListedAnswer(redacted: Ballot, given: Ballot, { question }: Approval): Ballot {
  const choices = question.kind === 'input' ? question.choices : undefined;
  if (redacted.choice !== 'respond' || given.choice !== 'respond') return redacted;
  return choices?.includes(given.answer) ? { ...redacted, answer: given.answer } : redacted;
}

/** Checks a ballot against the proposal: the action is the one that was chosen, and people could judge the call that would run. */
function ballotProblem(view: ApprovalView, ballot: Ballot): Refusal | undefined {
  if (ballot.choice === 'approve') {
    const approves = ballot.calls?.some(({ choice }) => choice === 'approve') ?? true;
    return !approves || canQuestionBeJudged(view.approval.question, proposalOf(view)) ? undefined : 'not_offered';
  }
  if (ballot.choice !== 'substitute') return undefined;
  const proposal = proposalOf(view);
  const action = proposal.kind === 'action-choice' ? proposal.actionSpace.actions[ballot.index] : undefined;
  if (!action) return 'unknown_action';
  if (!canBeJudged({ toolName: action.flow_id, input: action })) return 'not_offered';
  return choiceDigest(action) === ballot.actionDigest ? undefined : 'stale_digest';
}

/** The proposal as people see it, with marks in place of its secrets. */
export const proposalOf = ({ proposal }: Pick<ApprovalView, 'proposal'>) => storedProposal(proposal);

interface Editing extends ClickContext {
  readonly questionDigest: string;
  readonly via: Ballot['via'];
  readonly callId: string;
  /** All arguments as they would run, as JSON text or as the object. */
  readonly input: unknown;
  readonly reason?: string | undefined;
}

/**
 * Votes for a changed call. Refusals are those of a vote, `unchanged`, `unknown_call`, and `invalid_edit` with `fields`: the input is no JSON object,
 * has more than 8 KB, or is refused by the tool's schema in the policy file.
 */
export async function edit(editing: Editing, deps: VotingDependencies): Promise<VoteResult> {
  const { questionDigest, via, callId, input, reason, ...click } = editing;
  const known = await deps.approvals.read(click.pid);
  const read = known && (await readEdit(known, callId, input, deps.policy));
  const refuseEdit = (refusal: VoteRefusal, fields?: FieldProblems): Promise<VoteResult> =>
    known
      ? refuse(click, subjectOf(known.approval), { code: 'edit', via }, refusal, known.approval, deps, fields)
      : refuse(click, UNKNOWN_APPROVAL, { code: 'edit', via }, 'unknown_approval', undefined, deps);
  if (!read) return refuseEdit('unknown_approval');
  if (!read.ok) return refuseEdit(read.refusal, read.fields);
  // More people may read the row than may know the secret, and a mark in its place is no argument to run with.
  if ((await deps.redactor.json(read.input)).found) return refuseEdit('invalid_edit', SECRET_IN_EDIT);
  const ballot: Ballot = {
    choice: 'edit',
    questionDigest,
    via,
    callId,
    input: read.input,
    actionDigest: read.actionDigest,
    ...(reason ? { reason } : {}),
  };
  return vote({ ...click, ballot }, deps);
}

interface Passing extends ClickContext {
  /** Digest of the question that the person saw. */
  readonly questionDigest: string;
  readonly via: Ballot['via'];
  /** The person who takes the seat; the policy file lists them. Absent: nobody takes it, and the person is no longer asked. */
  readonly to?: Person | undefined;
}

/** "Not me": refused as a vote would be, or with `unknown_person`. */
export async function passOn(
  { to, via, questionDigest, ...click }: Passing,
  deps: VotingDependencies,
): Promise<VoteResult> {
  const what = { type: 'pass', code: 'pass', via } as const;
  const isKnown = !to || (isListed(to, deps) && !NEVER_VOTES.has(await deps.people.accountStatus(to)));
  return submitVote(click, what, deps, (approval, voter) => {
    if (!isKnown) return { ok: false, refusal: 'unknown_person' };
    const now = deps.clock.now();
    const passed = pass(approval, voter, { to, questionDigest }, now);
    // If the person who takes the seat has voted, or may not vote, nobody would be asked.
    if (!to || !passed.ok || canAnswer(passed.next, takerOf(to, voter), now)) return passed;
    return { ok: false, refusal: 'unknown_person' };
  });
}

/** Accounts whose votes are refused, whatever seat they have. */
const NEVER_VOTES: ReadonlySet<AccountStatus> = new Set(['bot', 'deactivated', 'foreign']);

/** The person who takes the seat, as a voter without any other seat. */
const takerOf = (person: Person, { ownersNow }: Voter): Voter => ({ person, isBot: false, seats: [], ownersNow });

const SECRET_IN_EDIT: FieldProblems = {
  '': 'must not hold a secret, or the mark of one: reject the call and say what it should be.',
};

interface What {
  readonly code: string;
  readonly via: Ballot['via'];
}

/** `open`: ids of the calls of a batch that are still open to this person. */
interface MayAnswer {
  readonly kind: 'may';
  readonly view: ApprovalView;
  readonly open: readonly string[];
}

/**
 * Tells whether a form may be opened for the person, so that nobody fills one in for nothing. A refusal is recorded as that of a vote would be.
 * `call`: the one call of a batch that the form is about; `some`: the calls that are still open to this person.
 */
export async function mayAnswer(
  click: ClickContext,
  about: {
    readonly questionDigest: string;
    readonly code: string;
    readonly call?: string | undefined;
    readonly some?: boolean;
  },
  deps: VotingDependencies,
): Promise<MayAnswer | Extract<VoteResult, { kind: 'refused' }>> {
  const what = { code: about.code, via: 'slack' } as const;
  const view = await deps.approvals.read(click.pid);
  if (!view) return refuse(click, UNKNOWN_APPROVAL, what, 'unknown_approval', undefined, deps);
  const { approval } = view;
  const subject = subjectOf(approval);
  if (click.from && !click.from.isOwn(view)) return refuse(click, subject, what, 'foreign_card', approval, deps);
  const base = { questionDigest: about.questionDigest, via: 'slack', reason: 'asked' } as const;
  const voter = await voterOf(click, approval, deps);
  const open = openTo(approval, voter);
  const ids = about.some ? open : about.call === undefined ? [] : [about.call];
  const calls = ids.map((id) => ({ id, choice: 'reject', reason: 'asked' }) as const);
  const ballot: Ballot = calls.length ? { ...base, choice: 'approve', calls } : { ...base, choice: 'reject' };
  const cast = castVote(approval, voter, ballot, deps.clock.now());
  if (cast.ok) return { kind: 'may', view, open };
  return refuseByRow(click, what, cast.refusal, view, deps);
}

/** Tells a person who clicks between another's edit and its decision that the card is out of date: the call on it no longer runs. */
function refusalShown(refusal: Refusal, { approval, decision }: ApprovalView, person: Person): Refusal {
  const isEdited = refusal === 'already_decided' && approval.status === 'edited' && !decision;
  const isEditor = approval.votes.some((vote) => vote.choice === 'edit' && samePerson(vote.by, person));
  return isEdited && !isEditor ? 'stale_digest' : refusal;
}

async function submitVote(
  click: ClickContext,
  what: What & { readonly type: 'vote' | 'pass' },
  deps: VotingDependencies,
  transition: (approval: Approval, voter: Voter, view: ApprovalView) => Transition,
): Promise<VoteResult> {
  const clicked = await deps.approvals.read(click.pid);
  if (!clicked) return refuse(click, UNKNOWN_APPROVAL, what, 'unknown_approval', undefined, deps);
  const subject = subjectOf(clicked.approval);
  if (click.from && !click.from.isOwn(clicked))
    return refuse(click, subject, what, 'foreign_card', clicked.approval, deps);
  if (click.from) await adopt(click.from.card, clicked, deps);

  const [voter, seen] = await Promise.all([voterOf(click, clicked.approval, deps), storeShown(click.shown, deps)]);
  const isOfSeveral = what.code === 'approve' && hasLaterStage(clicked.approval);
  const isNeededLater = isOfSeveral && (await neededLater(voter, clicked.approval, deps));
  let isBehind = false;
  const changed = await updateApproval(
    click.pid,
    (view) => {
      // Another's vote changes who is needed for a later stage.
      isBehind = isOfSeveral && view.approval.version !== clicked.approval.version;
      if (isBehind) return { ok: false, refusal: 'needed_later' };
      return transition(view.approval, { ...voter, isNeededLater }, view);
    },
    (_, next) =>
      recordOf(deps, subject, `${what.type}#${next.version}`, {
        type: what.type,
        person: click.person,
        accepted: true,
        reasonCode: what.type === 'vote' ? (next.votes.at(-1)?.choice ?? what.code) : what.code,
        detail: what.via,
        ...seen,
        ...(what.type === 'vote' ? votedFor(next, deps) : {}),
      }),
    deps,
    clicked,
  );
  if (isBehind) return submitVote(click, what, deps, transition);
  if (changed.kind === 'missing') return refuse(click, UNKNOWN_APPROVAL, what, 'unknown_approval', undefined, deps);
  if (changed.kind === 'refused') {
    const refusal = changed.refusal as Refusal;
    // A repeated click on a row that ended: nobody may be deciding it if the first click's run stopped in between.
    if (refusal === 'already_decided' && !changed.view.decision) await deps.resumer.resume(click.pid);
    return refuseByRow(click, what, refusal, changed.view, deps);
  }
  const { approval } = changed;
  // The run that decides draws the card, with vote and decision at once, and ends the workflow. If it stops, the reconciler does both.
  if (isTerminal(approval.status)) await deps.resumer.resume(click.pid);
  else await refreshChangedCards(approval, deps.cards);
  return { kind: 'counted', approval };
}

const hasLaterStage = ({ stage = 0, question }: Approval): boolean => stage + 1 < question.stages.length;

/** The module is loaded with the first approval that has a later stage, because few have one. */
const neededLater = async (voter: Voter, approval: Approval, deps: VotingDependencies): Promise<boolean> =>
  (await import('./needed-later.ts')).isNeededLater(voter, approval, deps);

/** Binds the entry to the question and the answer, so that a row with a vote about anything else does not match the record. */
function votedFor(
  { question, votes }: Approval,
  { digestKey }: VotingDependencies,
): Pick<AuditEntry, 'standsFor' | 'voteDigest'> {
  const vote = votes.at(-1);
  if (!vote) return {};
  const { standsFor } = vote;
  return { ...(standsFor ? { standsFor } : {}), voteDigest: auditDigest(voteDigest(question, vote), digestKey) };
}

/** A card that was posted but never registered, because its run stopped in between, is kept up to date from now on. */
async function adopt(card: Card, known: ApprovalView, deps: VotingDependencies): Promise<void> {
  const registered = known.cards.some(({ channel, ts }) => channel === card.channel && ts === card.ts);
  if (registered) return;
  await deps.approvals.addCard(known.approval.pid, card);
  await deps.cards.refresh(known.approval.pid, card.channel, `card-${card.ts}`);
}

const isListed = (person: Person, { policy }: VoterDependencies): boolean =>
  Object.values(policy.settings.people).some(({ team, user }) => samePerson({ team, user }, person));

/** Refuses what the row does not take. A card that still offers it is behind, and whatever was to draw it may be lost: it is asked for again. */
async function refuseByRow(
  click: ClickContext,
  what: What,
  refusal: Refusal,
  view: ApprovalView,
  deps: VotingDependencies,
): Promise<Extract<VoteResult, { kind: 'refused' }>> {
  const { approval } = view;
  const refused = await refuse(
    click,
    subjectOf(approval),
    what,
    refusalShown(refusal, view, click.person),
    approval,
    deps,
  );
  // A row that nobody has changed has no card of before.
  const isBehind = isTerminal(approval.status) || (approval.version > 0 && refused.refusal === 'stale_digest');
  // The person is told all the same; a click a minute later asks again.
  if (click.from && isBehind) await refreshClickedCards(approval, deps.clock.now(), deps.cards).catch(() => undefined);
  return refused;
}

async function refuse(
  click: ClickContext,
  subject: Subject,
  { code, via }: What,
  refusal: VoteRefusal,
  approval: Approval | undefined,
  deps: VotingDependencies,
  fields?: FieldProblems,
): Promise<Extract<VoteResult, { kind: 'refused' }>> {
  await deps.audit.put(
    recordOf(deps, subject, `click#${click.requestId}`, {
      type: 'click',
      person: click.person,
      accepted: false,
      reasonCode: refusal,
      detail: `${code} via ${via}`,
    }),
  );
  return { kind: 'refused', refusal, ...(approval ? { approval } : {}), ...(fields ? { fields } : {}) };
}

const subjectOf = ({ agent, pid, proposalId, sessionId }: Approval): Subject => ({ agent, pid, proposalId, sessionId });

/** Takes secrets out of people's texts, which are stored, shown on the card and told to the model. An edit that holds one is refused. */
async function withoutSecrets(ballot: Ballot, { redactor }: VotingDependencies): Promise<Ballot> {
  const { value: redacted } = await redactor.json({
    ...(ballot.reason === undefined ? {} : { reason: ballot.reason }),
    ...(ballot.choice === 'respond' ? { answer: ballot.answer } : {}),
    ...(ballot.choice === 'approve' && ballot.calls ? { calls: ballot.calls } : {}),
  });
  const { reason, answer, calls } = redacted;
  return {
    ...ballot,
    ...(reason === undefined ? {} : { reason: cutMarked(reason, LIMITS.voteReason) }),
    ...(answer === undefined ? {} : { answer: cutMarked(answer, LIMITS.voteAnswer) }),
    ...(calls === undefined ? {} : { calls: calls.map(cutReason) }),
  };
}

const cutReason = ({ reason, ...call }: CallVote): CallVote =>
  reason === undefined ? call : { ...call, reason: cutMarked(reason, LIMITS.voteReason) };

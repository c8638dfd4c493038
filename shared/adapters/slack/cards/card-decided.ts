/**
 * Renders a card that nobody has to answer any more.
 *
 * Two lines give the result, and everything else is behind a button.
 */
import type { ContextBlock, KnownBlock, RichTextElement } from '@slack/types';
import type { Approval, Decision, Vote } from '../../../contract/index.ts';
import { callsOf, currentStage, statedChoice, tallyOf } from '../../../domain/approval/approval.ts';
import { isAnsweredByPeople } from '../../../domain/approval/disagreement.ts';
import type { Ran } from '../../../ports/stores/outbox.ts';
import { words } from '../elements/blocks.ts';
import { inMarkup, inText, shortened, slackDay, slackWhen, visible, visibleLine } from '../elements/text.ts';
import { CARD, listed, took } from '../texts/card.ts';
import { VOTES } from '../texts/votes.ts';
import { bold, code, plain } from './call-blocks.ts';
import { namesLine, showButton } from './card-buttons.ts';
import { changesOf } from './card-question.ts';
import { type CardSource, editorNames, personName, voterName, withNames } from './card-source.ts';
import { chosenInstead } from './other-actions.ts';

const { outcome: OUTCOME } = CARD;
const MAX_NAME = 200;
export const MAX_REASON = 300;
const MAX_CONTEXT = 1_800;
const MAX_VOTERS = 6;
const MAX_REASONS = 3;
const MAX_PERSON = 60;

/** One sees state before one reads it. */
const MARKS = { good: '✓', waits: '…', bad: '⚠', no: '✗', some: '◐', over: '⌛', changed: '✎' } as const;

interface Outcome {
  readonly mark: keyof typeof MARKS;
  readonly title: string;
}

export function decidedCard(source: CardSource): { readonly text: string; readonly blocks: KnownBlock[] } {
  const { approval } = source;
  const { mark, title } = outcomeOf(source);
  const agent = visible(approval.agent);
  const name = shortened(namesLine(source), MAX_NAME);
  const line: RichTextElement[] = [plain(`${MARKS[mark]} `), bold(title), plain(` · ${agent} · `), code(name)];
  return {
    text: inText(`${title}: ${agent} · ${name}`),
    blocks: [{ type: 'rich_text', elements: [words(line)] }, detailsBlock(source), showButton(source)],
  };
}

/** The same in a few words, as markup: for a list of several calls. */
export function decidedWords(source: CardSource): string {
  const { mark, title } = outcomeOf(source);
  return [`${MARKS[mark]} ${title}`, ...whoVoted(source).map(inMarkup)].join(' · ');
}

/** Whether the gate refused what people had approved, changed or answered: a rule, a hook or another policy. Of a batch, perhaps some calls only. */
export const isOverruled = ({ approval, decision }: Pick<CardSource, 'approval' | 'decision'>): boolean =>
  decision !== undefined &&
  (WENT.has(approval.status) || isInputAnswered(approval)) &&
  decision.outcome !== 'approved' &&
  decision.outcome !== 'answered' &&
  (approval.question.kind !== 'calls' || overruledCalls({ approval, decision }).length > 0);

/** The calls that people did not reject and that were not approved all the same, by their places in the question. */
export const overruledCalls = ({ approval, decision }: Pick<CardSource, 'approval' | 'decision'>): number[] =>
  callsOf(approval.question).flatMap(({ id }, index) =>
    decision && tallyOf(approval, id) !== 'rejected' && !isApprovedIn(decision, id) ? [index] : [],
  );

type OverruledAnswer = Pick<Decision, 'outcome' | 'reasonCode' | 'decidedBy' | 'message'>;

/** Whether an operator's pause refused it: of an edited call the code tells only that it was refused. */
export const isPaused = ({ reasonCode, decidedBy }: Pick<Decision, 'reasonCode' | 'decidedBy'>): boolean =>
  reasonCode === 'paused' || (decidedBy.type === 'system' && decidedBy.id === 'pause');

/** How the calls that people approved were refused all the same; the whole decision where none of them was judged, or no call was asked about. */
export function overruledAnswers(source: Pick<CardSource, 'approval' | 'decision'>): readonly OverruledAnswer[] {
  const { approval, decision } = source;
  if (!decision) return [];
  const asked = callsOf(approval.question);
  const ids = overruledCalls(source).map((index) => asked[index]?.id);
  const own = decision.calls.filter(({ id }) => ids.includes(id));
  return own.length ? own : [decision];
}

/** A question of the agent; an answer in place of a call lets nothing run, and stands. */
export const isInputAnswered = ({ status, question }: Approval): boolean =>
  status === 'answered' && question.kind === 'input';

const WENT: ReadonlySet<Approval['status']> = new Set(['approved', 'edited', 'substituted']);

function outcomeOf(source: CardSource): Outcome {
  const { approval, decision, ran = [] } = source;
  const isChanged = approval.status === 'edited' || !!approval.editors?.length;
  // Nobody approved the action that was asked about where another was chosen.
  const overruled = overruledOutcome(source, isChanged || approval.status === 'substituted');
  if (overruled) return overruled;
  switch (approval.status) {
    case 'pending':
      return { mark: 'waits', title: OUTCOME.deciding };
    case 'rejected':
      return { mark: 'no', title: OUTCOME.rejected };
    case 'expired':
      if (decision?.outcome === 'approved') return ranOutcome(ran, isChanged, decision);
      if (isChosenAsAsked(source)) return { mark: 'good', title: OUTCOME.choice };
      return someApproved(source) ?? { mark: 'over', title: OUTCOME.expired };
    case 'cancelled':
      return { mark: 'no', title: OUTCOME.cancelled };
    case 'answered':
      return { mark: 'good', title: approval.question.kind === 'input' ? OUTCOME.answered : OUTCOME.answeredInstead };
    case 'substituted':
      return { mark: 'changed', title: OUTCOME.otherAction };
    case 'edited':
    case 'approved': {
      const calls = callsOf(approval.question);
      const approved = calls.filter(({ id }) => tallyOf(approval, id) !== 'rejected').length;
      if (approved < calls.length && approval.status === 'approved')
        return { mark: ranMark(ran) ?? 'some', title: OUTCOME.some(approved, calls.length) };
      if (!decision) return { mark: 'waits', title: isChanged ? OUTCOME.changed : OUTCOME.deciding };
      if (approval.question.kind !== 'calls') return { mark: 'good', title: OUTCOME.choice };
      return ranOutcome(ran, isChanged, decision);
    }
    default:
      return approval.status satisfies never;
  }
}

/** A policy may take silence for a yes to the action that it asked about. */
const isChosenAsAsked = ({ approval: { question }, decision }: CardSource): boolean =>
  question.kind === 'choice' && decision?.outcome === 'answered' && decision.actionDigest === question.proposed.digest;

/** Names the outcome that overruled people; undefined where the outcome is as people decided. */
function overruledOutcome(source: CardSource, isChanged: boolean): Outcome | undefined {
  const outcome = source.decision?.outcome;
  if (outcome !== 'superseded' && !isOverruled(source)) return undefined;
  const some = someApproved(source);
  if (some) return some;
  if (outcome === 'superseded') return { mark: 'no', title: OUTCOME.superseded };
  if (isInputAnswered(source.approval)) return { mark: 'no', title: OUTCOME.answerHeld };
  if (outcome === 'error') return { mark: 'bad', title: OUTCOME.undecidable };
  if (outcome === 'expired') return { mark: 'over', title: OUTCOME.expired };
  if (outcome === 'cancelled') return { mark: 'no', title: OUTCOME.cancelled };
  if (overruledAnswers(source).every(isPaused)) return { mark: 'no', title: OUTCOME.paused };
  return { mark: 'no', title: isChanged ? OUTCOME.changedOverruled : OUTCOME.overruled };
}

/** People or silence may approve some calls of a batch where a rule refused the others meanwhile. */
function someApproved({ approval, decision, ran = [] }: CardSource): Outcome | undefined {
  const calls = callsOf(approval.question);
  const approved = calls.filter(({ id }) => isApprovedIn(decision, id)).length;
  return approved > 0 ? { mark: ranMark(ran) ?? 'some', title: OUTCOME.some(approved, calls.length) } : undefined;
}

const isApprovedIn = (decision: Decision | undefined, id: string): boolean =>
  decision?.calls.find((call) => call.id === id)?.outcome === 'approved';

const ranMark = (ran: readonly Ran[]): 'bad' | undefined =>
  ran.some(({ status }) => status !== 'succeeded') ? 'bad' : undefined;

function ranOutcome(ran: readonly Ran[], isChanged: boolean, { calls }: Decision): Outcome {
  if (ran.some(({ status }) => status === 'failed'))
    return { mark: 'bad', title: isChanged ? OUTCOME.changedFailed : OUTCOME.failed };
  if (ran.some(({ status }) => status === 'unknown')) return { mark: 'bad', title: OUTCOME.unknown };
  const permitted = calls.filter(({ permit }) => permit !== undefined).length;
  if (ran.length > 0 && ran.length >= permitted)
    return { mark: isChanged ? 'changed' : 'good', title: isChanged ? OUTCOME.changedRan : OUTCOME.ran };
  return { mark: isChanged ? 'changed' : 'good', title: isChanged ? OUTCOME.changed : OUTCOME.waitsToRun };
}

/** Lists who decided and when, why not, what was changed, and how it ended. People wrote some of it: only the time is markup. */
function detailsBlock(source: CardSource): ContextBlock {
  const { approval, decision, ran = [], followers } = source;
  const { status, endedAt } = approval;
  const changes = changesOf(source);
  const editors = editorNames(source);
  const who = whoVoted(source);
  const chosen = chosenInstead(source);
  const before = [
    ...(changes.length && editors ? [`${CARD.changedBy(editors)}${shortened(changes.join(' · '), MAX_REASON)}`] : []),
    ...who,
    ...(chosen ? [CARD.instead(shortened(chosen.name, MAX_NAME))] : []),
    ...(status === 'expired' ? [unansweredWords(source, who.length > 0)] : []),
  ];
  const after = [
    ...partial(source),
    ...reasonsOf(source)
      .slice(-MAX_REASONS)
      .map((text) => (isOverruled(source) ? CARD.told : CARD.quote)(shortened(text, MAX_REASON))),
    ...whyWithdrawn(approval).map((text) => CARD.agentWrote(shortened(text, MAX_REASON))),
    ...(decision?.outcome === 'superseded' ? [someApproved(source) ? CARD.askSomeAnew : CARD.askAnew] : []),
    ...(followers && isAnsweredByPeople(approval, decision) ? [CARD.answeredTimes(followers + 1)] : []),
    ...ran.map((one) => ranText(one, source)),
    CARD.id(approval.pid),
  ];
  const until = mayRunUntil(source);
  const plainText = (texts: readonly string[]): ContextBlock['elements'] =>
    texts.length ? [{ type: 'plain_text', text: shortened(texts.join(' · '), MAX_CONTEXT), emoji: false }] : [];
  return {
    type: 'context',
    elements: [
      ...plainText(before),
      ...(endedAt ? [time(slackDay(endedAt))] : []),
      ...(until === undefined ? [] : [time(slackWhen(until, `${CARD.mayRun} `))]),
      ...plainText(after),
    ],
  };
}

const time = (text: string) => ({ type: 'mrkdwn', text, verbatim: true }) as const;

/** The end of the last permit of these calls that nobody is known to have used: a card is not drawn again when it comes. */
function mayRunUntil({ approval, decision, ran = [] }: CardSource): string | undefined {
  const asked = callsOf(approval.question).map(({ id }) => id);
  // Other calls of the proposal may run without people: this card is not about them.
  const permits = (decision?.calls ?? []).flatMap(({ id, permit }) => (asked.includes(id) ? (permit ?? []) : []));
  const open = permits.filter(({ permitId }) => !ran.some((one) => one.permitId === permitId));
  return open
    .map(({ expiresAt }) => expiresAt)
    .toSorted()
    .at(-1);
}

/** The policy may have let it run, or taken the action, all the same. */
function unansweredWords(source: CardSource, hasVotes: boolean): string {
  const groups = groupsAsked(source.approval);
  if (source.decision?.outcome === 'approved' || isChosenAsAsked(source)) return CARD.silenceApproved(groups);
  return hasVotes ? CARD.tooFewAnswered(groups) : CARD.nobodyAnswered(groups);
}

const groupsAsked = (approval: Approval): string => {
  const { group, escalateTo } = currentStage(approval);
  return approval.escalated && escalateTo ? CARD.bothGroups(group, escalateTo.group) : group;
};

/** The votes that lead to these ends: names alone say all of them. */
const ENDED_BY: Readonly<Partial<Record<Approval['status'], Vote['choice']>>> = {
  approved: 'approve',
  rejected: 'reject',
  edited: 'edit',
  substituted: 'substitute',
  answered: 'respond',
};

/** Beside an end that somebody voted against, or that people did not vote for, each choice with its names. */
function whoVoted(source: CardSource): string[] {
  const { votes, status } = source.approval;
  const names = (some: readonly Vote[]) => some.slice(-MAX_VOTERS).map((vote) => voteText(vote, source));
  if (votes.every((vote) => statedChoice(vote) === ENDED_BY[status]))
    return votes.length ? [names(votes).join(', ')] : [];
  const didOf = (vote: Vote): string => (isMixed(vote) ? VOTES.didEach : VOTES.did[statedChoice(vote)]);
  return [...Map.groupBy(votes, didOf)].map(([did, some]) => VOTES.by(did, listed(names(some))));
}

const isMixed = (vote: Vote): boolean =>
  vote.choice === 'approve' && new Set(vote.calls?.map(({ choice }) => choice)).size > 1;

/** A name, and what stands beside it: an operator, another one's place, the session. */
function voteText(vote: Vote, source: CardSource): string {
  const { standsFor, via } = vote;
  const session = vote.choice === 'approve' && vote.remember ? ` ${CARD.forSession}` : '';
  const seat = standsFor ? CARD.forWhom(shortened(personName(standsFor, source), MAX_PERSON)) : '';
  return `${shortened(voterName(vote, source), MAX_PERSON)}${seat}${via === 'operators' ? CARD.operator : ''}${session}`;
}

/** Words a batch that was decided call by call: the approved calls, the rejected ones with their reasons, and those that were not run all the same. */
function partial({ approval, decision }: CardSource): string[] {
  const calls = callsOf(approval.question);
  if (calls.length < 2) return [];
  const numbers = (which: (id: string) => boolean) =>
    calls.flatMap(({ id }, index) => (which(id) ? [String(index + 1)] : []));
  const rejected = numbers((id) => tallyOf(approval, id) === 'rejected');
  const isSilent = approval.status === 'expired';
  const isApart =
    (isSilent || isOverruled({ approval, decision })) && calls.some(({ id }) => isApprovedIn(decision, id));
  if (!(rejected.length || isApart) || approval.status === 'rejected') return [];
  const isApproved = (id: string) => tallyOf(approval, id) !== 'rejected';
  const approved = numbers((id) => isApproved(id) && (!decision || isApprovedIn(decision, id)));
  const notRun = numbers((id) => isApproved(id) && decision !== undefined && !isApprovedIn(decision, id));
  return [
    ...(approved.length ? [CARD.approvedCalls(listed(approved))] : []),
    ...rejectedParts(approval),
    ...(notRun.length ? [CARD.notRunCalls(listed(notRun))] : []),
  ];
}

/** Each reason with the calls alone that it was given for. */
function rejectedParts(approval: Approval): string[] {
  const rejected = callsOf(approval.question).flatMap(({ id }, index) => {
    if (tallyOf(approval, id) !== 'rejected') return [];
    const votes = approval.votes.flatMap((vote) => (vote.choice === 'approve' ? (vote.calls ?? []) : []));
    const reason = votes.find((call) => call.id === id && call.choice === 'reject' && call.reason?.trim())?.reason;
    return [{ number: String(index + 1), reason }];
  });
  const parts = [...Map.groupBy(rejected, ({ reason }) => reason)];
  // The end of the run stands behind them.
  const most = Math.min(MAX_REASON, Math.floor((MAX_REASONS * MAX_REASON) / parts.length));
  return parts.map(([reason, some]) =>
    CARD.rejectedCalls(listed(some.map(({ number }) => number)), reason && shortened(visible(reason), most)),
  );
}

/** The title says that the agent withdrew it, or that its time was over: the sentence for the agent is nobody's words. */
const isTold = ({ outcome }: OverruledAnswer, source: CardSource): boolean =>
  outcome === 'cancelled' || (outcome === 'expired' && !someApproved(source));

/** Finds what people wrote, or why a rule won over them; the whole of it stands behind the button. */
export function reasonsOf(source: CardSource): string[] {
  const { approval, decision } = source;
  const { status, votes } = approval;
  // The decision tells an agent how to go on; the title tells people.
  if (decision?.outcome === 'superseded') return [];
  if (isOverruled(source)) {
    const messages = new Set(overruledAnswers(source).flatMap((one) => (isTold(one, source) ? [] : one.message)));
    return [...messages].map((text) => withNames(visible(text), source));
  }
  if (status === 'answered') return votes.flatMap((vote) => (vote.choice === 'respond' ? [visible(vote.answer)] : []));
  return votes.flatMap(({ reason }) => (reason?.trim() ? [visible(reason)] : []));
}

/** The agent's own words: they stand apart from those of people, and a line of them cannot look like one of the card. */
export const whyWithdrawn = ({ withdrawnWhy }: Approval): string[] =>
  withdrawnWhy?.trim() ? [visibleLine(withdrawnWhy.trim())] : [];

function ranText({ callId, status, durationMs, errorCode }: Ran, { approval }: CardSource): string {
  const calls = callsOf(approval.question);
  const at = calls.findIndex(({ id }) => id === callId);
  const which = calls.length > 1 && at >= 0 ? `${at + 1} ` : '';
  switch (status) {
    case 'succeeded':
      return `${which}${CARD.ranIn(took(durationMs))}`;
    case 'failed':
      return `${which}${CARD.failedAfter(took(durationMs), errorCode && visible(errorCode))}`;
    case 'unknown':
      return `${which}${CARD.mayHaveRun}`;
    default:
      return status satisfies never;
  }
}

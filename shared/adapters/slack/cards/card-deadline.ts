/** Tells until when people can answer, in their own time zone and, where a text knows none, in UTC. */
import type { Approval, Proposal } from '../../../contract/index.ts';
import { type NextDeadline, nextDeadline, sinceOf } from '../../../domain/approval/approval.ts';
import { isInTime } from '../../../domain/approval/shown.ts';
import { maySilenceApprove } from '../../../domain/approval/silence.ts';
import { canQuestionBeJudged } from '../../../domain/redaction/judgeable/judgeable.ts';
import { inMarkup, slackDay, slackTime, slackWhen, utcDay, utcTime } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import type { CardSource } from './card-source.ts';

/** A deadline that is further away than this is told with its day. */
const SAME_DAY_MS = 12 * 60 * 60_000;

/** The time alone, or its day with it. */
function deadline(approval: Approval, time: (iso: string) => string, day: (iso: string) => string): string {
  const { at } = nextDeadline(approval);
  return (at - sinceOf(approval) > SAME_DAY_MS ? day : time)(new Date(at).toISOString());
}

/** A message that comes so long after people were asked reads as a new question. */
const LATE_MS = 10 * 60_000;

/** Since when people are asked, if the message came late: after an outage, in place of a deleted card, as a reminder. */
export function askedLate({ approval, postedAt }: Pick<CardSource, 'approval' | 'postedAt'>): string | undefined {
  const since = sinceOf(approval);
  return postedAt !== undefined && postedAt - since > LATE_MS ? new Date(since).toISOString() : undefined;
}

/** The same within a line of markup. */
export function askedTexts(source: Pick<CardSource, 'approval' | 'postedAt'>): string[] {
  const asked = askedLate(source);
  return asked === undefined ? [] : [slackWhen(asked, `${CARD.asked} `)];
}

/** For notifications: a phone shows nothing else. */
export const deadlineUtc = (approval: Approval): string => deadline(approval, utcTime, utcDay);

/** A question, as far as its reader knows it. */
interface Asked {
  readonly approval: Approval;
  readonly proposal: Proposal | undefined;
  readonly shownSince?: number | undefined;
}

/** As `nextDeadline`: where silence is no yes after all, the question ends unanswered, whatever the policy file says of silence. */
export function nextOf({ approval, proposal, shownSince }: Asked): NextDeadline {
  const { at, next } = nextDeadline(approval);
  if (next.kind !== 'approves') return { at, next };
  const stated = proposal && 'expiresAt' in proposal ? proposal.expiresAt : undefined;
  const isSeen = shownSince === undefined || isInTime(approval, shownSince);
  const isJudgeable = !proposal || canQuestionBeJudged(approval.question, proposal);
  const mayRun = isSeen && isJudgeable && maySilenceApprove(approval, stated);
  return { at, next: { kind: mayRun ? 'approves' : 'expires' } };
}

/** Silence about an action that a policy chose is a yes to the policy: a later stage of it, or a rule on the action, may ask about the same action. */
export const isYesToPolicy = ({ question }: Pick<Approval, 'question'>): boolean => question.kind === 'choice';

/** For a notification: somebody who does nothing lets it run. */
export function runsThen(source: Asked): string {
  if (nextOf(source).next.kind !== 'approves') return '';
  return isYesToPolicy(source.approval) ? CARD.push.thenYes : CARD.push.thenRuns;
}

/** Behind a deadline at which silence approves. */
export const approvesThen = (approval: Approval): string =>
  isYesToPolicy(approval) ? CARD.thenYes : CARD.thenApproves;

/** The stage's own deadline, and what happens then. */
export function untilText(source: Asked): string {
  const { approval } = source;
  const { next } = nextOf(source);
  const time = deadline(approval, slackTime, slackDay);
  return `${CARD.until} *${time}*${
    next.kind === 'escalates'
      ? CARD.thenAlso(inMarkup(next.to))
      : next.kind === 'approves'
        ? approvesThen(approval)
        : approval.question.kind === 'input'
          ? CARD.thenEnds
          : CARD.thenExpires
  }`;
}

/** Tells until when people can answer, in their own time zone and, where a text knows none, in UTC. */
import type { Approval } from '../../../contract/index.ts';
import { nextDeadline, sinceOf } from '../../../domain/approval/approval.ts';
import { escaped, slackDay, slackTime, slackWhen, utcDay, utcTime } from '../elements/text.ts';
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

/** The stage's own deadline, and what happens then. */
export function untilText(approval: Approval): string {
  const { next } = nextDeadline(approval);
  const time = deadline(approval, slackTime, slackDay);
  return `${CARD.until} *${time}*${
    next.kind === 'escalates'
      ? CARD.thenAlso(escaped(next.to))
      : next.kind === 'approves'
        ? CARD.thenApproves
        : approval.question.kind === 'input'
          ? CARD.thenEnds
          : CARD.thenExpires
  }`;
}

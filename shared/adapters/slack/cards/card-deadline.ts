/** Tells until when people can answer, in their own time zone and, where a text knows none, in UTC. */
import type { Approval } from '../../../contract/index.ts';
import { nextDeadline, sinceOf } from '../../../domain/approval/approval.ts';
import { escaped, slackDay, slackTime, utcDay, utcTime } from '../elements/text.ts';
import { CARD } from '../words/card.ts';

/** A deadline that is further away than this is told with its day. */
const SAME_DAY_MS = 12 * 60 * 60_000;

/** The time alone, or its day with it. */
function deadline(approval: Approval, time: (iso: string) => string, day: (iso: string) => string): string {
  const { at } = nextDeadline(approval);
  return (at - sinceOf(approval) > SAME_DAY_MS ? day : time)(new Date(at).toISOString());
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

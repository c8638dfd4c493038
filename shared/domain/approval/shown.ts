/** Tells whether people could see a question on a card: silence about others is no answer. Pure. */
import type { Approval } from '../../contract/index.ts';
import { askedChannelsOf, currentStage, deadlineOf, isShownIn, sinceOf } from './stage.ts';

/** Holds the question that a message showed when Slack took it last. Times are in milliseconds. */
export interface Shown {
  /** Names the question: after an edit, or in another stage, people are asked something else on the same message. */
  readonly place: string;
  /** When the message showed it first. */
  readonly since: number;
  /** When Slack took the message last: until then nobody had deleted it, and its channel was open. */
  readonly at: number;
}

interface ShowingCard {
  readonly channel: string;
  readonly gone?: true | undefined;
  readonly shown?: Shown | undefined;
}

/** Slack is asked so long before silence approves whether the card still stands. */
const LAST_LOOK_MS = 5 * 60_000;
/** Slack's word counts if it is of so long before the end: the look may come late. */
const KNOWN_MS = 2 * LAST_LOOK_MS;
/** A card that waits for long is looked at so often: nothing tells the gate of a message that somebody deleted, or of a channel that was archived. */
const LOOK_EACH_MS = 6 * 60 * 60_000;

const placeOf = ({ round, stage = 0 }: Approval): string => `${round}-${stage}`;

/** Notes the question on a message that Slack takes now. */
export function shownNow(row: Approval, before: Shown | undefined, now: number): Shown {
  const place = placeOf(row);
  return { place, since: before?.place === place ? before.since : now, at: now };
}

/** Whether people who see the question from then on have at least half of the time that it has. */
export const isInTime = (row: Approval, since: number): boolean => since <= (sinceOf(row) + deadlineOf(row)) / 2;

/** Whether people could see the question in time, and up to its end. */
export const wasSeen = (row: Approval, cards: readonly ShowingCard[]): boolean =>
  showing(row, cards, currentStage(row).channel).some(
    ({ since, at }) => isInTime(row, since) && at >= deadlineOf(row) - KNOWN_MS,
  );

/** For a question that no card shows, or shows in full. A store keeps it, so that looks at such a card end as well. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Since when people see the question; undefined if no card was posted yet. */
export function shownSince(row: Approval, cards: readonly ShowingCard[]): number | undefined {
  const times = showing(row, cards, currentStage(row).channel).map(({ since }) => since);
  return cards.length ? Math.min(NEVER, ...times) : undefined;
}

/** When the cards are to be looked at next; undefined if not before the question ends. */
export function nextCardLookAt(row: Approval, now: number): number | undefined {
  if (row.follows !== undefined) return undefined;
  const end = deadlineOf(row);
  const since = sinceOf(row);
  const last = row.question.onTimeout === 'approve' ? [end - LAST_LOOK_MS] : [];
  const usual = since + (Math.floor((now - since) / LOOK_EACH_MS) + 1) * LOOK_EACH_MS;
  const times = [...last, usual].filter((time) => now < time && time < end);
  return times.length ? Math.min(...times) : undefined;
}

/** Whether nobody knows any more that people see the question: `last` shortly before silence would approve it. */
export function cardLookDue(row: Approval, cards: readonly ShowingCard[], now: number): 'last' | 'usual' | undefined {
  const end = deadlineOf(row);
  if (row.follows !== undefined || now >= end) return undefined;
  const known = askedChannelsOf(row).map((channel) => Math.max(0, ...showing(row, cards, channel).map(({ at }) => at)));
  const oldest = Math.min(...known);
  if (row.question.onTimeout === 'approve' && now >= end - LAST_LOOK_MS && oldest < end - KNOWN_MS) return 'last';
  return now - oldest >= LOOK_EACH_MS / 2 ? 'usual' : undefined;
}

/** Notes of the cards in the channel that show the question. */
const showing = (row: Approval, cards: readonly ShowingCard[], channel: string): Shown[] =>
  cards.flatMap(({ gone, shown, ...card }) =>
    !gone && shown?.place === placeOf(row) && isShownIn(channel, [card.channel]) ? [shown] : [],
  );

/** Declares settings that hold where a policy file is silent, or knows no such sender. */

/** Proposals of one agent: what comes faster waits, and is not lost. */
export const DEFAULT_RATE = { perSecond: 20, burst: 200 };

/**
 * New cards of one agent: at once after a quiet time, then each minute; one that it withdraws counts twice. More of them would only push each
 * other, and other agents' cards, out of sight.
 */
export const DEFAULT_NEW_CARDS = { burst: 5, perMinute: 12, listFrom: 3 };

/** Seconds that the oldest message of a queue may wait, by the queue's name: after them the alarm and `countersign doctor` call it late. */
export const LATE_AFTER_S = {
  // Nobody waits longer for the gate, nor a card for Slack.
  Proposals: 120,
  Operators: 120,
  Outcomes: 120,
  Cards: 120,
  Talk: 120,
  // Waits for the calls before it.
  Executions: 900,
  // May be delayed by 15 minutes at a time.
  Deferred: 1_800,
  // A receiver has been down for an hour: it is tried for a day and a half.
  Webhooks: 3_600,
} as const;

/** Receipts after which a message that fails by itself is set aside. */
export const MAX_RECEIPTS = 5;

/**
 * Receipts of a queue that names the sender of its messages, so that most of its functions cannot send them anew while a store is down. With the
 * pauses between them an hour or more.
 */
export const MAX_RECEIPTS_OF_SENDERS = 20;

/**
 * Tries of an answer to a dead letter that read the letter. Later tries do not read it, because reading may be what ends the process. An outage
 * of a store uses four tries an hour: after a weekend the sender still gets an answer under its own ids, and a cancel is still done.
 */
export const MAX_READING_TRIES = 300;

/** Receipts of a message to the task agent: with the pauses between them about half an hour, and then nobody waits for an answer. */
export const MAX_RECEIPTS_OF_PEOPLE = 10;

/**
 * The longest that a function has SQS hide a message, in seconds. SQS counts twelve hours from the receipt and refuses more; a function may have held
 * the message for fifteen minutes of them.
 */
export const MAX_VISIBILITY_S = 42_300;

/** The longest that SQS delays a message, in seconds: no sender's line is longer. */
export const MAX_DELAY_S = 900;

/** Pauses before the second and each later try of a webhook, in seconds: a receiver that is down for a day still gets its events. */
export const WEBHOOK_PAUSES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 39_600] as const;

/** Runs of `execute-tool` and of `deliberate` at once, over all agents. */
export const MAX_EXECUTIONS = 50;
export const MAX_DELIBERATIONS = 20;

/** The name that a stage of the requester has in rows; no group may have it. */
export const REQUESTER = 'requester';

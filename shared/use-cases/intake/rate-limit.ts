/**
 * Checks a sender's rate before anything else, with one limiter write per sender and batch.
 * Messages beyond the rate wait in line in `deferred`: each is told when its turn is and comes back once, so that a flood costs the gate no
 * more than its messages.
 */
import { MAX_DELAY_S } from '../../config/schema/defaults.ts';
import { LIMITS } from '../../contract/primitives.ts';
import { sha256Hex } from '../../domain/digest.ts';
import type { RateLimitStore } from '../../ports/stores/guardrail-state.ts';
import type { DeferredQueue } from '../../ports/stores/outbox.ts';
import type { Incoming } from './message.ts';

export interface Throttle {
  readonly rates: RateLimitStore;
  readonly deferred: DeferredQueue;
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A message that was deferred this often is answered `expired`, even if its time is not over. */
export const MAX_ROUNDS = 100;

export interface Admitted {
  /** Messages that may be worked now. */
  readonly admitted: readonly Incoming[];
  /** The end of each other message: one that could not be deferred comes again by itself. */
  readonly aside: ReadonlyMap<Incoming, Promise<void>>;
}

const bucketOf = (sender: string, { perSecond, burst }: Rate) => ({
  key: `rate#proposals#${sender}`,
  ratePerSecond: perSecond,
  burst,
});

/** Whether so many messages are within the rate, as far as this process knows: others may have taken tokens since. */
export const foreseesRoom = (sender: string, count: number, rate: Rate, rates: RateLimitStore): boolean =>
  (rates.peek(bucketOf(sender, rate)) ?? 0) >= count;

/**
 * Admits messages within the rate. A message beyond it is deferred until its turn, and its receive count is not spent; a message that finds
 * the line too long asks again later. `refuse` works a message beyond the rate that shall have no turn, and returns undefined for any other.
 */
export async function admit(
  sender: string,
  messages: readonly Incoming[],
  rate: Rate,
  { rates, deferred }: Throttle,
  refuse: (message: Incoming) => Promise<void> | undefined = () => undefined,
): Promise<Admitted> {
  const counted = messages.filter(({ admitted }) => admitted);
  const fresh = messages.filter(({ admitted }) => !admitted);
  if (!fresh.length) return { admitted: counted, aside: new Map() };
  const waits = await rates.book(bucketOf(sender, rate), fresh.length, MAX_DELAY_S * 1000);
  const aside = new Map<Incoming, Promise<void>>();
  const admitted = [...counted];
  for (const [index, message] of fresh.entries()) {
    const { principal, firstSentAt, messageId, rounds, raw } = message;
    const next = { principal, firstSentAt, messageId, rounds: rounds + 1, raw };
    const waitMs = waits?.[index];
    const refused = waitMs === 0 ? undefined : refuse(message);
    if (refused) aside.set(message, refused);
    else if (waitMs === 0 || isFinal(message, waitMs)) admitted.push(message);
    else if (waitMs === undefined) aside.set(message, deferred.defer(next, askAgainAfter(message)));
    else aside.set(message, deferred.defer({ ...next, admitted: true }, Math.ceil(waitMs / 1000)));
  }
  return { admitted, aside };
}

/**
 * Whether a message is answered without its turn: it asked for a turn too often, or it is larger than a message may be. The answer to a
 * larger one is known, and `deferred` may not take it either.
 */
function isFinal({ rounds, raw }: Incoming, waitMs: number | undefined): boolean {
  return (waitMs === undefined && rounds >= MAX_ROUNDS) || Buffer.byteLength(raw) > LIMITS.messageBytes;
}

/** Seconds until the message asks again: the line has moved on by half or more, and messages do not all ask at the same time. */
function askAgainAfter({ messageId, rounds }: Incoming): number {
  const share = Number.parseInt(sha256Hex(`${messageId} ${rounds}`).slice(0, 4), 16) / 0xffff;
  return Math.round((MAX_DELAY_S * (1 + share)) / 2);
}

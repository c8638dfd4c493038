/**
 * Checks a sender's rate before anything else, with one limiter write per sender and batch.
 * Messages beyond the rate wait in the `deferred` queue. Each gets its turn at once and comes back once, so that the cost of a flood grows with
 * its messages alone.
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

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** After so many deferrals a message is answered `expired`, even if its time is not over. */
export const MAX_ROUNDS = 100;

export interface AdmittedBatch {
  /** Messages that may be worked now. */
  readonly admitted: readonly Incoming[];
  /** Each other message with the promise of its refusal or its deferral. One that cannot be deferred is received again. */
  readonly notAdmitted: ReadonlyMap<Incoming, Promise<void>>;
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
 * Admits messages within the rate. A message beyond the rate is deferred until its turn, which costs none of its receipts. If the line is too
 * long, the message asks for a turn later. `refuse` answers a message that gets no turn, and returns undefined for any other.
 */
export async function admit(
  sender: string,
  messages: readonly Incoming[],
  rate: Rate,
  { rates, deferred }: Throttle,
  refuse: (message: Incoming) => Promise<void> | undefined = () => undefined,
): Promise<AdmittedBatch> {
  const counted = messages.filter(({ admitted }) => admitted);
  const fresh = messages.filter(({ admitted }) => !admitted);
  if (!fresh.length) return { admitted: counted, notAdmitted: new Map() };
  const waits = await rates.book(bucketOf(sender, rate), fresh.length, MAX_DELAY_S * 1000);
  const notAdmitted = new Map<Incoming, Promise<void>>();
  const admitted = [...counted];
  for (const [index, message] of fresh.entries()) {
    const { principal, firstSentAt, messageId, rounds, raw } = message;
    const next = { principal, firstSentAt, messageId, rounds: rounds + 1, raw };
    const waitMs = waits?.[index];
    const refused = waitMs === 0 ? undefined : refuse(message);
    if (refused) notAdmitted.set(message, refused);
    else if (waitMs === 0 || isFinal(message, waitMs)) admitted.push(message);
    else if (waitMs === undefined) notAdmitted.set(message, deferred.defer(next, askAgainAfter(message)));
    else notAdmitted.set(message, deferred.defer({ ...next, admitted: true }, Math.ceil(waitMs / 1000)));
  }
  return { admitted, notAdmitted };
}

/**
 * Whether a message is answered without a turn: it asked for one too often, or it is larger than a message may be. A message that is too large
 * is refused in any case, and the `deferred` queue might not take it.
 */
function isFinal({ rounds, raw }: Incoming, waitMs: number | undefined): boolean {
  return (waitMs === undefined && rounds >= MAX_ROUNDS) || Buffer.byteLength(raw) > LIMITS.messageBytes;
}

/** Seconds until a message asks again: half the line has passed by then, and messages are spread over the other half. */
function askAgainAfter({ messageId, rounds }: Incoming): number {
  const share = Number.parseInt(sha256Hex(`${messageId} ${rounds}`).slice(0, 4), 16) / 0xffff;
  return Math.round((MAX_DELAY_S * (1 + share)) / 2);
}

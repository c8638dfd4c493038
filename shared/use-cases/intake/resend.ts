/**
 * Decides how a message is tried again after a fault.
 *
 * A fault of a store passes, and the message waits for as long as it lasts. Any other fault returns with each try, so
 * that the message gets few tries.
 */
import { MAX_RECEIPTS } from '../../config/schema/defaults.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { afterMsOf, isFromOutside } from '../port-faults.ts';
import type { IntakeDependencies } from './dependencies.ts';
import type { Incoming } from './message.ts';

/** Names of faults that lie in the message or in the code, and not in the service that was called. */
const POISON: ReadonlySet<string> = new Set([
  'ZodError',
  '$ZodError',
  'SyntaxError',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
  'SerializationException',
  'InvalidMessageContents',
]);

/** Whether another try would meet the same fault. */
export const isPoison = (error: unknown): boolean => error instanceof Error && POISON.has(error.name);

/** A message that met a store fault twice is sent anew, so that the queue counts its receipts from one. */
const RENEW_FROM = 2;

export interface Delivery {
  /** Counts from 1. */
  readonly receiveCount: number;
  /** By the deferred queue, which hides a failed message for six minutes: the message is sent anew at its first failure. */
  readonly isDeferred?: true;
}
/** No sender waits longer than this, and no queue keeps a message longer. */
const MAX_RENEWED_MS = 14 * 24 * 60 * 60_000;
/** Bounds of the delay, which is half the message's age: short after a short outage, long in a long one. */
const FIRST_RENEWAL_S = 2;
const MAX_RENEWAL_S = 60;

/**
 * Sends the message anew to the deferred queue where that helps. True: it was sent, and the caller drops this copy. False: the queue delivers this
 * copy again by itself. Never rejects.
 */
export async function renew(
  message: Incoming,
  { receiveCount, isDeferred }: Delivery,
  error: unknown,
  deps: Pick<IntakeDependencies, 'deferred' | 'clock'>,
): Promise<boolean> {
  if (!isFromOutside(error) || isPoison(error) || (!isDeferred && receiveCount < RENEW_FROM)) return false;
  return sendAnew(message, deps, afterMsOf(error));
}

/** Sends a copy whose receipts count from one again. Returns what `renew` returns. `afterMs`: the delay; by default by the message's age. */
export async function sendAnew(
  message: Incoming,
  { deferred, clock }: Pick<IntakeDependencies, 'deferred' | 'clock'>,
  afterMs?: number,
): Promise<boolean> {
  const { principal, groupId, firstSentAt, messageId, rounds, raw, admitted, isSlow } = message;
  const now = clock.now();
  if (now - firstSentAt >= MAX_RENEWED_MS) return false;
  const delay = afterMs === undefined ? delayByAge(message, now) : afterMs / 1_000;
  try {
    await deferred.defer({ principal, groupId, firstSentAt, messageId, rounds, raw, admitted, isSlow }, delay);
    return true;
  } catch {
    return false;
  }
}

/** Seconds until a message that is sent anew comes back. */
export function delayByAge(
  { messageId, firstSentAt }: Pick<Incoming, 'messageId' | 'firstSentAt'>,
  now: number,
): number {
  const longest = Math.min(MAX_RENEWAL_S, Math.max(FIRST_RENEWAL_S, (now - firstSentAt) / 2_000));
  return longest * (0.5 + 0.5 * shareOf(`${messageId} ${now}`));
}

const FIRST_PAUSE_S = 10;
const MAX_PAUSE_S = 900;

/**
 * Seconds until the next try of a message that cannot be sent anew, because its queue names the sender. Undefined where no further try
 * helps.
 */
export function pauseAfter(error: unknown, messageId: string, receiveCount: number): number | undefined {
  if (isPoison(error) && receiveCount >= MAX_RECEIPTS) return undefined;
  const longest = Math.min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** (receiveCount - 1));
  return Math.ceil(longest * (0.5 + 0.5 * shareOf(`${messageId} ${receiveCount}`)));
}

/** A number from 0 to 1 by the text, so that messages that failed together do not come back together. */
const shareOf = (text: string): number => Number.parseInt(sha256Hex(text).slice(0, 4), 16) / 0xffff;

/**
 * Decides how a message comes again after a fault.
 *
 * Faults of a store are waited out, however long they last; any other fault comes back with each try, so that few
 * receipts are enough for it.
 */
import { MAX_RECEIPTS } from '../../config/schema/defaults.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { afterMsOf, isFromOutside } from '../port-faults.ts';
import type { IntakeDependencies } from './dependencies.ts';
import type { Incoming } from './message.ts';

/** Faults that say something of the message or of the code, and nothing of the service that was called. */
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
/** Nobody waits longer, and no queue keeps anything longer. */
const MAX_RENEWED_MS = 14 * 24 * 60 * 60_000;
/** As long again as half its age, within these: soon after a short outage, and seldom in a long one. */
const FIRST_RENEWAL_S = 2;
const MAX_RENEWAL_S = 60;

/**
 * True: the message was sent anew to the deferred queue, and this copy of it is done. Never rejects: a message that could not be sent anew comes
 * again by itself.
 */
export async function renew(
  message: Incoming,
  receiveCount: number,
  error: unknown,
  deps: Pick<IntakeDependencies, 'deferred' | 'clock'>,
): Promise<boolean> {
  if (!isFromOutside(error) || isPoison(error) || receiveCount < RENEW_FROM) return false;
  return sendAnew(message, deps, afterMsOf(error));
}

/** Receipts count from one again. True as of `renew`, and never rejects; `afterMs`: by the age of the message if undefined. */
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

/** In seconds: for a message that is sent anew until it can be worked. */
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
 * For a queue whose senders the queue itself names, so that a message of it cannot be sent anew: seconds until the next try, or undefined where
 * trying again does not help.
 */
export function pauseAfter(error: unknown, messageId: string, receiveCount: number): number | undefined {
  if (isPoison(error) && receiveCount >= MAX_RECEIPTS) return undefined;
  const longest = Math.min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** (receiveCount - 1));
  return Math.ceil(longest * (0.5 + 0.5 * shareOf(`${messageId} ${receiveCount}`)));
}

/** From 0 to 1: messages that failed together do not come back together. */
const shareOf = (text: string): number => Number.parseInt(sha256Hex(text).slice(0, 4), 16) / 0xffff;

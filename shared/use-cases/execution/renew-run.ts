/** Sends a request to run a call anew while the gate cannot work it, for as long as permits last. */
import { MAX_RECEIPTS } from '../../config/schema/defaults.ts';
import { roleOf } from '../../domain/aws/sender.ts';
import type { CarriedMessage } from '../../ports/carried-message.ts';
import { isPoison, pauseAfter } from '../intake/resend.ts';
import { isFromOutside } from '../port-faults.ts';
import type { RunDependencies } from './execute-fairly.ts';

/** No permit lasts longer, and nobody waits longer. */
const MAX_RENEWED_MS = 24 * 60 * 60_000;

/**
 * True: the message was sent with receipts that count from one again, and the caller drops this copy. False: the queue delivers this copy again.
 * Never rejects. `now`: milliseconds since 1970.
 */
export async function renewRun(
  message: CarriedMessage,
  received: number,
  error: unknown,
  runs: RunDependencies['runs'],
  now: number,
): Promise<boolean> {
  const { messageId, principal, firstSentAt, raw } = message;
  if (!isFromOutside(error) || isPoison(error) || received < MAX_RECEIPTS || now - firstSentAt >= MAX_RENEWED_MS)
    return false;
  const seconds = pauseAfter(error, messageId, received) ?? 0;
  const carried = { messageId, principal, firstSentAt, raw };
  return runs.carry(carried, roleOf(principal), seconds).then(
    () => true,
    () => false,
  );
}

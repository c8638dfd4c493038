/** Looks after messages whose receipts end: those that fail, and those that never had their turn. */
import { MAX_RECEIPTS } from '../../../shared/config/schema/defaults.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { withTimeout } from '../../../shared/ports/with-timeout.ts';
import { recordDeadLetter } from '../../../shared/use-cases/intake/dead-letter.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import type { IdentifiedAs } from '../../../shared/use-cases/intake/evaluation/intake.ts';
import type { Incoming } from '../../../shared/use-cases/intake/message.ts';
import type { Delivery } from '../../../shared/use-cases/intake/resend.ts';
import { count, faultName, logFault } from '../telemetry/observe.ts';

export type Received = Incoming &
  Delivery & {
    /** The queue's own id of the message, if it is not `messageId`. */
    readonly failureId?: string;
  };

/**
 * Orders messages that are worked one by one. A message that ends the process costs those behind it a receipt, too. So
 * the order is reversed with each receipt, and a message with fewer receipts left comes first: none becomes a dead letter with it.
 */
export function inTurn(one: Received, other: Received): number {
  if (one.receiveCount !== other.receiveCount) return other.receiveCount - one.receiveCount;
  const isFirst = one.messageId < other.messageId === (one.receiveCount % 2 === 1);
  return isFirst ? -1 : 1;
}

/** Records a message that failed at its last receipt; before that, the queue delivers it again. */
export async function recordLastReceipt(
  { messageId, receiveCount }: Received,
  fault: unknown,
  about: IdentifiedAs | undefined,
  deps: IntakeDependencies,
): Promise<void> {
  if (receiveCount < MAX_RECEIPTS) return;
  await recordDeadLetter({ messageId, fault: faultName(fault), about }, deps).catch((error: unknown) =>
    logFault('a dead letter could not be recorded', error, { messageId }),
  );
}

/** Counts messages that wait, for the dashboard: sent anew, or left to their queue. */
export function countUnworked(renewed: number, returned: number): void {
  if (renewed) count('ProposalsRenewed', renewed);
  if (returned) count('ProposalsReturned', returned);
}

/** One receipt before the last, at which the process may end before it can send anything. */
const ANEW_FROM = MAX_RECEIPTS - 1;
/** Part of the time reserved for the answer, which counts only if it comes in time. */
const SEND_TIMEOUT_MS = 400;

/**
 * Sends messages anew that waited behind a slow one at each receipt, so that they do not become dead letters with it.
 * Returns the ones that were sent. A message that is sent late comes twice, and is decided once.
 */
export async function sendAnewInTime<Message extends Received>(
  messages: readonly Message[],
  deps: Pick<IntakeDependencies, 'deferred' | 'clock'> | undefined,
): Promise<ReadonlySet<Message>> {
  const sent = new Set<Message>();
  const last = messages.filter(({ receiveCount }) => receiveCount >= ANEW_FROM);
  if (!deps || !last.length) return sent;
  const { sendAnew } = await import('../../../shared/use-cases/intake/resend.ts');
  const work = () => Promise.all(last.map(async (message) => (await sendAnew(message, deps)) && sent.add(message)));
  await withTimeout(SEND_TIMEOUT_MS, systemTimers.after, work);
  return new Set(sent);
}

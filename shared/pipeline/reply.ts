/** Sends a decision to its agent's own queue: a courtesy, since the decision stands in the record (A13). */
import type { Decision } from '../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import { ReplyQueueUnknownError, ReplyRefusedError, type ReplySender } from '../ports/outbox.ts';

/** A queue that is gone or forbidden is left alone after this: two or three tries of whoever sends. */
export const MAX_REFUSED_MS = 150_000;
/** Any other fault may pass, and is most likely that of all agents. */
export const MAX_REPLY_MS = 6 * 60 * 60_000;
/** Between tries for a row: as long again as since its decision, within these. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

interface Replying {
  readonly replies: ReplySender;
  readonly clock: Clock;
}

/**
 * Undefined: it is done. Otherwise how long to wait before another try, in milliseconds. A queue that takes nothing for too long is counted
 * under its agent's name, and costs nobody else anything. `patience`: how long a fault that may pass is waited for.
 */
export async function reply(
  agent: string,
  decision: Decision,
  { replies, clock }: Replying,
  patience = MAX_REPLY_MS,
): Promise<number | undefined> {
  try {
    await replies.send(agent, decision);
    return undefined;
  } catch (error) {
    const age = clock.now() - Date.parse(decision.decidedAt);
    if (age < (error instanceof ReplyRefusedError ? MAX_REFUSED_MS : patience))
      return Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, age));
    // An alarm would blame a queue that nobody has tried.
    if (!(error instanceof ReplyQueueUnknownError)) await replies.giveUp(agent).catch(() => undefined);
    return undefined;
  }
}

/**
 * The same for a message that comes again where its reply could not be sent: its queue sets it aside after five minutes, which a decision that
 * stands in the record is not worth. @throws while another try is worth it.
 */
export async function replyOrComeAgain(agent: string, decision: Decision, gate: Replying): Promise<void> {
  const pause = await reply(agent, decision, gate, MAX_REFUSED_MS);
  if (pause !== undefined) throw new Error("the agent's queue did not take its decision");
}

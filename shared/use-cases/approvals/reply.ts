/** Sends a decision to its agent's own queue: a courtesy, since the decision stands in the record. */
import type { Decision } from '../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { ReplyQueueUnknownError, ReplyRefusedError, type ReplySender } from '../../ports/stores/outbox.ts';
import { outsideFaultFor } from '../port-faults.ts';

/** A queue that is gone or forbidden is left alone after this: two or three tries of whoever sends. */
const MAX_REFUSED_MS = 150_000;
/** Any other fault may pass, and is most likely that of all agents. */
const MAX_REPLY_MS = 6 * 60 * 60_000;
/** Between tries for a row: as long again as since its decision, within these. */
const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 15 * 60_000;

interface Replying {
  readonly replies: ReplySender;
  readonly clock: Clock;
}

/**
 * Undefined: it is done. Otherwise how long to wait before another try, in milliseconds. A queue that takes nothing for too long is counted
 * under its agent's name, and costs nobody else anything.
 */
export async function reply(
  agent: string,
  decision: Decision,
  { replies, clock }: Replying,
  isRepeat = false,
): Promise<number | undefined> {
  try {
    await replies.send(agent, decision, isRepeat);
    return undefined;
  } catch (error) {
    const age = clock.now() - Date.parse(decision.decidedAt);
    if (age < (error instanceof ReplyRefusedError ? MAX_REFUSED_MS : MAX_REPLY_MS))
      return Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, age));
    // An alarm would blame a queue that nobody has tried.
    if (!(error instanceof ReplyQueueUnknownError)) await replies.giveUp(agent).catch(() => undefined);
    return undefined;
  }
}

/**
 * The same for a message that comes again where its reply could not be sent: it waits as for any store that is down. @throws while another try
 * is worth it.
 */
export async function replyOrComeAgain(
  agent: string,
  decision: Decision,
  deps: Replying,
  isRepeat = false,
): Promise<void> {
  const pause = await reply(agent, decision, deps, isRepeat);
  if (pause !== undefined) throw outsideFaultFor(pause, "the agent's queue did not take its decision");
}

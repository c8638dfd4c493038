/** Sends a decision to its agent's own queue: a courtesy, since the decision stands in the record (A13). */
import type { Decision } from '../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReplySender } from '../ports/outbox.ts';

/** A queue that refuses a decision for longer than this is left alone: two or three tries of whoever sends. */
export const MAX_REPLY_MS = 150_000;

/** False: it is worth another try later. A queue that stays dead is counted under its agent's name, and costs nobody else anything. */
export async function reply(
  agent: string,
  decision: Decision,
  { replies, clock }: { readonly replies: ReplySender; readonly clock: Clock },
): Promise<boolean> {
  try {
    await replies.send(agent, decision);
    return true;
  } catch {
    if (clock.now() - Date.parse(decision.decidedAt) < MAX_REPLY_MS) return false;
    await replies.giveUp(agent).catch(() => undefined);
    return true;
  }
}

/** The same for a message that comes again where its reply could not be sent. @throws while another try is worth it. */
export async function replyOrComeAgain(
  agent: string,
  decision: Decision,
  gate: { readonly replies: ReplySender; readonly clock: Clock },
): Promise<void> {
  if (!(await reply(agent, decision, gate))) throw new Error("the agent's queue did not take its decision");
}

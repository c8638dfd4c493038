/** Begins the wait of a question: keeps the task token, then has the card posted. */
import { isTerminal } from '../../domain/approval/approval.ts';
import { CountersignError } from '../../domain/errors.ts';
import type { ApprovalStore, TaskToken } from '../../ports/stores/approval-store.ts';
import type { CardQueue } from '../../ports/stores/outbox.ts';
import { refreshCards } from './refresh-cards.ts';

/** The row ended before its wait began; the workflow catches this by name and goes on to `resume`. */
class AlreadyDecided extends CountersignError {
  override readonly name = 'AlreadyDecided';
  constructor() {
    super('already_decided', 'the approval has ended already');
  }
}

/**
 * The token is stored before the row is read, and a vote writes the row before it reads the token: one of the two sees the other.
 * @throws AlreadyDecided if the row is no longer pending.
 */
export async function requestApproval(
  pid: string,
  token: TaskToken,
  deps: { readonly approvals: ApprovalStore; readonly cards: CardQueue },
): Promise<void> {
  await deps.approvals.storeToken(pid, token);
  const view = await deps.approvals.read(pid);
  // While a model is asked, the execution waits for what comes of it.
  if (view?.approval.deliberating && !view.decision) return;
  if (!view || isTerminal(view.approval.status)) throw new AlreadyDecided();
  await refreshCards(view.approval, `round-${view.approval.round}`, deps.cards);
}

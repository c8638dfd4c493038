/** Asks for an approval's cards to be drawn again; the first channel is where the current stage is asked (A22). */
import type { Approval } from '../contract/index.ts';
import { channelsOf } from '../domain/approval.ts';
import type { CardQueue } from '../ports/outbox.ts';

/** `revision` names the request, so that the same one asked twice is drawn once. */
export async function redraw(approval: Approval, revision: string, cards: CardQueue): Promise<void> {
  const [channel] = channelsOf(approval);
  if (channel && approval.follows === undefined) await cards.refresh(approval.pid, channel, revision);
}

/** After a change of the row; the reconciler asks again, in case the one who changed it did not come to it. */
export const redrawChanged = (approval: Approval, cards: CardQueue): Promise<void> =>
  redraw(approval, `changed-${approval.version}`, cards);

/** Asks for an approval's cards to be drawn again, the current stage's channel first. */
import type { Approval } from '../../contract/index.ts';
import { channelsOf, isTerminal } from '../../domain/approval/approval.ts';
import type { CardQueue } from '../../ports/stores/outbox.ts';

/**
 * `revision` names the request, so that the same one asked twice is drawn once. A card that may be missing and cards that may be old are two
 * requests: updates that Slack makes wait hold up no first post.
 */
export async function refreshCards(approval: Approval, revision: string, cards: CardQueue): Promise<void> {
  const { pid, agent, follows, status, version } = approval;
  const [channel] = channelsOf(approval);
  if (!channel || follows !== undefined) return;
  if (!isTerminal(status)) await cards.refresh(pid, channel, revision, { agent, only: 'post' });
  if (isTerminal(status) || version > 0) await cards.refresh(pid, channel, revision, { agent, only: 'update' });
}

/** After a change of the row; the reconciler asks again, in case the one who changed it did not come to it. */
export const refreshChangedCards = (approval: Approval, cards: CardQueue): Promise<void> =>
  refreshCards(approval, `changed-${approval.version}`, cards);

/** The queue draws one request once in five minutes: a click a minute later is another request. */
const CLICKS_MS = 60_000;

/** After a click on a card that is behind: at most once a minute, because the first drawing may have been lost. */
export const refreshClickedCards = (approval: Approval, now: number, cards: CardQueue): Promise<void> =>
  refreshShownCards(approval, cards, `-${Math.floor(now / CLICKS_MS)}`);

/** Cards of a row that is not changed now, where they may not show it as it is. */
export async function refreshShownCards(
  approval: Approval,
  cards: CardQueue,
  asked = '',
  anew?: 'look',
): Promise<void> {
  const { pid, agent, version } = approval;
  const [channel] = channelsOf(approval);
  if (channel) await cards.refresh(pid, channel, `shown-${version}${asked}`, { agent, only: 'update', anew });
}

/** Has Slack say whether the cards still stand, by drawing them as they are. */
export const lookAtCards = (approval: Approval, now: number, cards: CardQueue): Promise<void> =>
  refreshShownCards(approval, cards, `-looked-${Math.floor(now / CLICKS_MS)}`, 'look');

/** After another question of the same run: asked twice, its cards are drawn once. */
export const refreshRound = (approval: Approval, cards: CardQueue): Promise<void> =>
  refreshCards(approval, `round-${approval.round}`, cards);

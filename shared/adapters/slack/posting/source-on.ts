/** Notes on a card which question people see there, and tells what the card says of silence. */
import { NEVER, shownNow } from '../../../domain/approval/shown.ts';
import type { Card } from '../../../ports/stores/approval-store.ts';
import { renderCard } from '../cards/card.ts';
import type { CardSource } from '../cards/card-source.ts';
import type { Drawing } from './drawing.ts';

/** The source for the message of a card, which is posted now if there is none yet. Slack names a message by the time when it was posted. */
export function sourceOn(source: CardSource, card: Card | undefined, { clock }: Pick<Drawing, 'clock'>): CardSource {
  const { approval } = source;
  const now = clock.now();
  // Nobody is asked for a yes to what nobody can read in full: silence is none either.
  const { status, question } = approval;
  const isUnread = status === 'pending' && question.onTimeout === 'approve' && !renderCard(source).approvable;
  const since = isUnread ? NEVER : shownNow(approval, card?.shown, now).since;
  return { ...source, postedAt: card ? Number(card.ts) * 1_000 : now, shownSince: since };
}

/** The card with the question that Slack took on it now. */
export function taken(card: Card, { approval, shownSince }: CardSource, { clock }: Pick<Drawing, 'clock'>): Card {
  const shown = shownNow(approval, card.shown, clock.now());
  return { ...card, shown: shownSince === NEVER ? { ...shown, since: NEVER } : shown };
}

/** Bounds how many new cards of an agent are posted each minute; further ones wait in line. */
import type { Approval } from '../../../contract/index.ts';
import type { ApprovalStore, ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { RateLimitStore } from '../../../ports/stores/guardrail-state.ts';
import { CARD } from '../texts/card.ts';
import { CardInLineError } from './errors.ts';
import type { SlackPoster } from './poster.ts';

/** Cards that are posted at once after a quiet time, and then each minute. */
export interface NewCards {
  readonly burst: number;
  readonly perMinute: number;
  /** From this waiting card in a channel within a minute on, one card lists the calls. */
  readonly listFrom: number;
}

interface Line {
  readonly approvals: Pick<ApprovalStore, 'noteCardProblem'>;
  readonly poster: Pick<SlackPoster, 'announce'>;
  readonly rates: Pick<RateLimitStore, 'take' | 'refund' | 'book'>;
  readonly newCards: NewCards;
}

/** A withdrawn card has cost Slack as much again: it takes another turn, be it one that is still to come. */
export async function payForWithdrawn({ agent }: Approval, { rates, newCards }: Pick<Line, 'rates' | 'newCards'>) {
  await rates.book(bucketOf(agent, newCards), 1, MAX_DEBT_MS);
}

const MAX_DEBT_MS = 10 * 60_000;

const bucketOf = (agent: string, { burst, perMinute }: NewCards, isUpdate = false) => ({
  key: `rate#${isUpdate ? 'lists' : 'cards'}#${agent}`,
  ratePerSecond: perMinute / 60,
  burst,
});

/** A channel is told of a line at most once in so long. */
const TOLD_EACH_S = 600;

/** A card that waits for its turn: one approval's, or a list. */
interface Turn {
  readonly agent: string;
  readonly channel: string | undefined;
  /** Questions that nobody sees yet; none for an update of a list, which has turns of its own, as many a minute. */
  readonly waiting: readonly Pick<ApprovalView, 'approval' | 'cardProblem'>[];
}

/**
 * Takes the turn of a card. The rows tell of the line and, now and then, the channel does.
 * @throws CardInLineError while it is not its turn; the request has to come again.
 */
export async function awaitTurn(
  { agent, channel, waiting }: Turn,
  line: Line,
): Promise<{ returnToQueue(): Promise<void> }> {
  const bucket = bucketOf(agent, line.newCards, waiting.length === 0);
  const taken = await line.rates.take(bucket);
  if (taken.admitted) return { returnToQueue: async () => line.rates.refund(bucket) };
  for (const { approval, cardProblem } of waiting)
    if (cardProblem !== 'in_line') await line.approvals.noteCardProblem(approval.pid, 'in_line');
  const told = { key: `rate#cards-told#${agent}`, ratePerSecond: 1 / TOLD_EACH_S, burst: 1 };
  if (channel && waiting.length && (await line.rates.take(told)).admitted)
    // A courtesy: what Slack says to it changes nothing.
    await line.poster.announce(channel, CARD.cardsWait(agent, line.newCards.perMinute)).catch(() => undefined);
  throw new CardInLineError((taken.retryAfterMs ?? 60_000) / 1_000);
}

/** New cards of an agent wait in line: so many a minute are posted, whatever it asks and withdraws. */
import type { Approval } from '../../contract/index.ts';
import { askedChannelsOf } from '../../domain/approval.ts';
import type { ApprovalStore, ApprovalView } from '../../ports/approval-store.ts';
import type { RateLimitStore } from '../../ports/guardrail-state.ts';
import { CardInLineError } from './errors.ts';
import type { SlackPoster } from './poster.ts';

/** Cards that are posted at once after a quiet time, and then each minute. */
export interface NewCards {
  readonly burst: number;
  readonly perMinute: number;
}

interface Line {
  readonly approvals: Pick<ApprovalStore, 'noteCardProblem'>;
  readonly poster: Pick<SlackPoster, 'say'>;
  readonly rates: Pick<RateLimitStore, 'take' | 'giveBack' | 'book'>;
  readonly newCards: NewCards;
}

/** A withdrawn card has cost Slack as much again: it takes another turn, be it one that is still to come. */
export async function payForWithdrawn({ agent }: Approval, { rates, newCards }: Pick<Line, 'rates' | 'newCards'>) {
  await rates.book(bucketOf(agent, newCards), 1, MAX_DEBT_MS);
}

const MAX_DEBT_MS = 10 * 60_000;

const bucketOf = (agent: string, { burst, perMinute }: NewCards) => ({
  key: `rate#cards#${agent}`,
  ratePerSecond: perMinute / 60,
  burst,
});

/** A channel is told of a line at most once in so long. */
const TOLD_EACH_S = 600;

/**
 * Takes the turn of an approval's first card. The row tells of the line and, now and then, the channel does.
 * @throws CardInLineError while it is not its turn; the request has to come again.
 */
export async function awaitTurn(
  { approval, cardProblem }: Pick<ApprovalView, 'approval' | 'cardProblem'>,
  line: Line,
): Promise<{ returnToQueue(): Promise<void> }> {
  const { agent, pid } = approval;
  const { perMinute } = line.newCards;
  const bucket = bucketOf(agent, line.newCards);
  const taken = await line.rates.take(bucket);
  if (taken.admitted) return { returnToQueue: () => line.rates.giveBack(bucket) };
  if (cardProblem !== 'in_line') await line.approvals.noteCardProblem(pid, 'in_line');
  const [channel] = askedChannelsOf(approval);
  const told = { key: `rate#cards-told#${agent}`, ratePerSecond: 1 / TOLD_EACH_S, burst: 1 };
  if (channel && (await line.rates.take(told)).admitted) {
    // A courtesy: what Slack says to it changes nothing.
    const text = `Agent ${agent} asks more than ${perMinute} times a minute: its other questions wait in line and come here one by one.`;
    await line.poster.say(channel, text).catch(() => undefined);
  }
  throw new CardInLineError((taken.retryAfterMs ?? 60_000) / 1_000);
}

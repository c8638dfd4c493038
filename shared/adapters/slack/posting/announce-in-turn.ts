/** Bounds how many runs of an agent whose end nobody knows a channel is told of one by one. */
import type { SlackOutMessage } from '../../sqs/slack-out-message.ts';
import { CARD } from '../texts/card.ts';
import type { Drawing } from './drawing.ts';

/** Told at once after a quiet time, and then each minute. */
const BURST = 5;
const PER_MINUTE = 1;
/** A channel is told that there are more at most once in so long. */
const MORE_EACH_S = 600;

/**
 * An agent that never reports its runs would fill the channel, for which Slack takes one message a second, cards of others among them. Each run is
 * on the record all the same.
 *
 * @throws what Slack answers: the message comes again, and its turn is given back
 */
export async function announceInTurn(
  { channel, text, unknownOf: agent }: Extract<SlackOutMessage, { kind: 'announcement' }>,
  { poster, rates }: Pick<Drawing, 'poster' | 'rates'>,
): Promise<void> {
  if (agent === undefined) return poster.announce(channel, text);
  const bucketOf = (what: string, ratePerSecond: number, burst: number) => ({
    key: `rate#${what}#${agent}#${channel}`,
    ratePerSecond,
    burst,
  });
  const turns = [
    [bucketOf('runs-unknown', PER_MINUTE / 60, BURST), text],
    [bucketOf('runs-more', 1 / MORE_EACH_S, 1), CARD.moreUnknown(agent)],
  ] as const;
  for (const [bucket, words] of turns) {
    if (!(await rates.take(bucket)).admitted) continue;
    try {
      return await poster.announce(channel, words);
    } catch (error) {
      await rates.refund(bucket);
      throw error;
    }
  }
}

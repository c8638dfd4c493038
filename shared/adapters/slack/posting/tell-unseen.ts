/** Tells a channel of a question that expired before its card could be posted, as in an outage. */
import { askedChannelsOf, deadlineOf, isShownIn, sinceOf } from '../../../domain/approval/approval.ts';
import { nameOfApproval } from '../../../domain/proposal/call-name.ts';
import { storedProposal } from '../../../domain/proposal/stored-proposal.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import { shortened } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import type { Drawing } from './drawing.ts';
import { SlackBusyError } from './errors.ts';
import { isOutage } from './outage.ts';

/** One message tells of all questions that an outage hid, because Slack takes one message a second in a channel. */
const TOLD_EACH_S = 600;
const ONCE_IN_A_DAY = 1 / 86_400;
const MAX_NAME = 200;
/**
 * A question that was asked for a shorter time is no sign of an outage: a follower whose primary has ended may ask by itself for the moment that
 * is left.
 */
const MIN_ASKED_MS = 60_000;

/** @throws what Slack answers while it is away: the message comes again. Nobody can be told anything in a channel that is closed. */
export async function tellUnseen(view: ApprovalView, drawing: Drawing): Promise<void> {
  const { approval, cards } = view;
  // Another's card asked for it.
  if (approval.follows !== undefined || approval.askedAs !== undefined) return;
  if (deadlineOf(approval) - sinceOf(approval) < MIN_ASKED_MS) return;
  const shown = cards.map(({ channel }) => channel);
  for (const channel of askedChannelsOf(approval).filter((one) => !isShownIn(one, shown))) {
    // The end of a question is drawn again whenever something else about the question is tried again.
    const once = { key: `rate#cards-unseen#${approval.pid}#${channel}`, ratePerSecond: ONCE_IN_A_DAY, burst: 1 };
    if (!(await drawing.rates.take(once)).admitted) continue;
    const told = {
      key: `rate#cards-unseen#${approval.agent}#${channel}`,
      ratePerSecond: 1 / TOLD_EACH_S,
      burst: 1,
    };
    if (!(await drawing.rates.take(told)).admitted) continue;
    try {
      await drawing.poster.announce(channel, textOf(view, drawing));
    } catch (error) {
      await drawing.rates.refund(told);
      await drawing.rates.refund(once);
      if (error instanceof SlackBusyError || isOutage(error)) throw error;
    }
  }
}

function textOf({ approval, proposal }: ApprovalView, { names }: Drawing): string {
  const name = nameOfApproval(approval, storedProposal(proposal), names?.tools);
  return CARD.unseen(approval.agent, shortened(name, MAX_NAME), approval.expiresAt);
}

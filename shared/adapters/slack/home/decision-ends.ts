/** Words in App Home how a person's decision ended. */
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { VoteLine } from '../../../ports/stores/vote-history.ts';
import { escaped, shortened, slackWhen, visible } from '../elements/text.ts';
import { took } from '../words/card.ts';
import { HOME } from '../words/home.ts';

export interface EndWords {
  readonly mark: string;
  /** Markup of our own; whatever else is in it was escaped. */
  readonly text: string;
}

/** Only what the person's own word does not tell already: an approval that was approved tells until when it may run. */
export function endWords({ approval, decision, cards }: ApprovalView, { choice }: VoteLine): EndWords {
  if (!decision) return { mark: '…', text: '' };
  const { outcome, calls, message } = decision;
  const approved = calls.filter((call) => call.outcome === 'approved').length;
  const isBatch = calls.length > 1;
  if (isBatch && approved > 0 && approved < calls.length) return { mark: '✓', text: HOME.some(approved, calls.length) };
  const ran = cards.flatMap((card) => card.ran ?? [])[0];
  if (outcome === 'approved' && ran) {
    return ran.status === 'succeeded'
      ? { mark: '✓', text: HOME.ran(took(ran.durationMs)) }
      : { mark: '⚠', text: HOME.ranBadly[ran.status](escaped(visible(ran.errorCode ?? ''))) };
  }
  if (outcome === 'approved') {
    const until = calls.map(({ permit }) => permit?.expiresAt).find((one) => one !== undefined);
    return { mark: '✓', text: until === undefined ? '' : slackWhen(until, `${HOME.mayRun} `) };
  }
  if (outcome === 'denied') {
    const reason = approval.votes.findLast((vote) => vote.choice === 'reject')?.reason;
    if (approval.status === 'rejected') return { mark: '✗', text: reason ? quoted(reason) : '' };
    const why = choice === 'approve' ? HOME.overruled : HOME.ended.denied;
    return { mark: '✗', text: `${why}: ${quoted(message)}` };
  }
  return { mark: outcome === 'answered' ? '✓' : '⚠', text: HOME.ended[outcome] };
}

const quoted = (text: string): string => `“${escaped(shortened(visible(text.replaceAll('\n', ' ')), 80))}”`;

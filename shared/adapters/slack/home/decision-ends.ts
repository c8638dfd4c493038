/** Words in App Home how a person's decision ended. */
import type { Decision } from '../../../contract/index.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { Ran } from '../../../ports/stores/outbox.ts';
import type { VoteLine } from '../../../ports/stores/vote-history.ts';
import { isPaused, overruledAnswers } from '../cards/card-decided.ts';
import { inMarkup, shortened, slackWhen, visible } from '../elements/text.ts';
import { took } from '../texts/card.ts';
import { HOME } from '../texts/home.ts';

interface EndWords {
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
  const ran = tellingRun(cards, calls);
  if (outcome === 'approved' && ran) {
    return ran.status === 'succeeded'
      ? { mark: '✓', text: HOME.ran(took(ran.durationMs)) }
      : { mark: '⚠', text: HOME.ranBadly[ran.status](inMarkup(visible(ran.errorCode ?? ''))) };
  }
  if (outcome === 'approved') {
    const until = calls.map(({ permit }) => permit?.expiresAt).find((one) => one !== undefined);
    return { mark: '✓', text: until === undefined ? '' : slackWhen(until, `${HOME.mayRun} `) };
  }
  if (outcome === 'denied') {
    const reason = approval.votes.findLast((vote) => vote.choice === 'reject')?.reason;
    if (approval.status === 'rejected') {
      // Others refused what this person had approved.
      const words = [...(choice === 'reject' ? [] : [HOME.ended.denied]), ...(reason ? [quoted(reason)] : [])];
      return { mark: '✗', text: words.join(': ') };
    }
    const answers = overruledAnswers({ approval, decision });
    const why = choice === 'approve' ? overruledBy(answers) : HOME.ended.denied;
    return { mark: '✗', text: `${why}: ${quoted(answers[0]?.message ?? message)}` };
  }
  return { mark: outcome === 'answered' ? '✓' : '⚠', text: endedText(outcome, choice) };
}

const endedText = (outcome: Decision['outcome'], choice: VoteLine['choice']): string =>
  outcome === 'answered' && choice === 'respond' ? '' : HOME.ended[outcome];

const overruledBy = (answers: ReturnType<typeof overruledAnswers>): string =>
  answers.every(isPaused) ? HOME.paused : HOME.overruled;

/** The run that went worst of several calls; undefined while some of them may still run and none went wrong. */
function tellingRun(cards: ApprovalView['cards'], calls: Decision['calls']): Ran | undefined {
  const ran = new Map(cards.flatMap((card) => card.ran ?? []).map((one) => [one.permitId, one]));
  const worst = (['failed', 'unknown'] as const).flatMap((status) =>
    [...ran.values()].filter((one) => one.status === status),
  );
  const permitted = calls.filter(({ permit }) => permit !== undefined).length;
  return worst[0] ?? (ran.size >= permitted ? [...ran.values()].at(-1) : undefined);
}

const quoted = (text: string): string => `“${inMarkup(shortened(visible(text.replaceAll('\n', ' ')), 80))}”`;

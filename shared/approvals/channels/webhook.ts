/**
 * Asks over HTTP about a policy's action.
 *
 * Posts the proposal with its alternatives, and takes the answer from the response.
 */
import * as z from 'zod';
import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import type { ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { asChannel } from '../../policies/asked-channel.ts';
import type { Answer, Question } from '../../ports/asker.ts';
import { type WebhookAskerOptions, WebhookError, type WebhookFormat, webhookAskerIn } from '../askers/webhook.ts';

const who = { by: z.string().max(300).optional() };
const wireAnswer = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('approved'), ...who }),
  z.object({ decision: z.literal('rejected'), reason: z.string().max(1000).optional(), ...who }),
  z.object({ decision: z.literal('substitute'), index: z.int().nonnegative(), ...who }),
  z.object({ decision: z.literal('timeout') }),
]);

const FORMAT: WebhookFormat = {
  bodyOf(question: Question) {
    if (question.kind !== 'choice') throw new WebhookError('webhook_failed', 'this receiver decides on actions only');
    const { proposed, actionSpace, snapshot } = question;
    return { proposed, action_space: actionSpace, snapshot };
  },
  answerOf(stated): Answer {
    const answer = wireAnswer.safeParse(stated).data;
    switch (answer?.decision) {
      case 'approved':
        return { type: 'approved', by: answer.by };
      case 'rejected':
        return { type: 'rejected', by: answer.by, reason: answer.reason };
      case 'substitute':
        return { type: 'chose', index: answer.index, by: answer.by };
      case 'timeout':
        return { type: 'silent' };
      case undefined:
        throw new WebhookError('webhook_answer', 'the webhook gave no clear answer');
      default:
        return answer satisfies never;
    }
  },
};

/**
 * Posts `{ proposed, action_space, snapshot }` and reads `{ decision: approved | rejected | substitute | timeout, index?, reason?, by? }`. Rejects with
 * `WebhookError`, and then nothing is approved.
 *
 * @example
 * const webhook = new WebhookApprovalChannel('https://approvals.example/ask', { timeout: '3m', secret: 'shared with the receiver' });
 * console.log(new HumanInTheLoopPolicy(new FirstAvailablePolicy(), webhook, '3m'));
 */
export class WebhookApprovalChannel implements ApprovalChannel {
  readonly #channel: ApprovalChannel;

  /** @throws InvalidSettingError for an address, a time-out or a secret that is none */
  constructor(url: string, options: WebhookAskerOptions) {
    this.#channel = asChannel(webhookAskerIn(FORMAT, url, options));
  }

  requestApproval(...asked: [Action, ActionSpace, AgentSnapshot, AbortSignal?]): Promise<ApprovalResult> {
    return this.#channel.requestApproval(...asked);
  }
}

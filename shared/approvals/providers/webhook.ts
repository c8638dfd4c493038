/** Asks over HTTP, in the form of the seed's webhook provider. */
import * as z from 'zod';
import { record, unfit } from '../../domain/settings.ts';
import type { Answer, Question } from '../../ports/asker.ts';
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';
import { type WebhookAskerOptions, WebhookError, type WebhookFormat, webhookAskerIn } from '../askers/webhook.ts';
import { asProvider } from './asked-provider.ts';
import { requestFields } from './request-fields.ts';

/** Settings of `WebhookHumanLoopProvider`. */
export type WebhookOptions = Omit<WebhookAskerOptions, 'timeout'>;

const wireAnswer = z.object({
  decision: z.string().nullish(),
  text: z.string().nullish(),
  reason: z.string().nullish(),
});

/** Unknown decisions are errors; none is a time-out. */
function answerOf(stated: unknown, { kind }: Question): Answer {
  const parsed = wireAnswer.safeParse(stated);
  if (!parsed.success) throw new WebhookError('webhook_answer', 'the webhook did not answer with an answer');
  const { decision, text, reason } = parsed.data;
  const isText = kind === 'text' && typeof text === 'string';
  switch (decision) {
    case 'approved':
      return isText ? { type: 'text', text } : { type: 'approved' };
    case 'rejected':
      return { type: 'rejected', reason: reason ?? undefined };
    case 'timeout':
      return { type: 'silent' };
    case undefined:
    case null:
      return isText ? { type: 'text', text } : { type: 'silent' };
    default:
      throw new WebhookError('webhook_decision', 'the decision of the webhook is unknown');
  }
}

const FORMAT: WebhookFormat = { bodyOf: (question) => requestFields(question), answerOf };

/**
 * Posts `{ kind, prompt, tool_name, args }` and reads `{ decision: approved | rejected | timeout, text?, reason? }`. Rejects with `WebhookError`.
 *
 * @example
 * const provider = new WebhookHumanLoopProvider('https://approvals.example/ask', 30, { secret: 'shared with the receiver' });
 * console.log(await provider.request({ kind: 'approval', requestId: 'r-1', prompt: 'May it?', toolName: 'Bash' }));
 */
export class WebhookHumanLoopProvider implements HumanLoopProvider {
  readonly #provider: HumanLoopProvider;

  /**
   * @param timeoutSecs seconds, as the seed has them; after them the answer is a time-out
   * @throws InvalidSettingError for an address, a time-out or a secret that is none
   */
  constructor(url: string, timeoutSecs: number, options: WebhookOptions = {}) {
    if (typeof timeoutSecs !== 'number' || !(timeoutSecs > 0) || !Number.isFinite(timeoutSecs))
      throw unfit(timeoutSecs, 'timeoutSecs', 'a number of seconds');
    record(options, 'options');
    this.#provider = asProvider(webhookAskerIn(FORMAT, url, { ...options, timeout: timeoutSecs * 1000 }));
  }

  request(
    request: HumanLoopRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<HumanLoopResponse> {
    return this.#provider.request(request, options);
  }
}

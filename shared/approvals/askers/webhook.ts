/**
 * Asks over HTTP: posts the question, and takes the answer from the response.
 *
 * The request is signed, so that the receiver can trust it.
 */
import type { Duration } from '../../domain/duration.ts';
import { CountersignError, InvalidSettingError } from '../../domain/errors.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { canSign, signedHeaders } from '../../domain/record/webhook-signature.ts';
import { anyText, type Checks, checkedElsewhere, checkSettings, fn, having, text } from '../../domain/settings.ts';
import type { Answer, Asker, Question } from '../../ports/asker.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import { waitMs } from '../../ports/timers.ts';
import { readWireAnswer } from './wire-answer.ts';

/** Settings of `webhookAsker`. */
export interface WebhookAskerOptions {
  /** How long the receiver has to answer; after it the question counts as unanswered. */
  readonly timeout: Duration;
  /** Signs `v1:<seconds>:<body>` with HMAC-SHA-256, in `x-countersign-signature: v1=<hex>`. */
  readonly secret?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * The webhook gave no clear answer. `code` tells why: `webhook_failed`: not reached; `webhook_status`: no 2xx; `webhook_answer`: no clear answer;
 * `webhook_decision`: a decision that is none.
 */
export class WebhookError extends CountersignError<
  'webhook_failed' | 'webhook_status' | 'webhook_answer' | 'webhook_decision'
> {
  constructor(code: WebhookError['code'], message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'WebhookError';
  }
}

/** The form of a question and of its answer on the wire. */
export interface WebhookFormat {
  bodyOf(question: Question): object;
  /** `answer`: the JSON that the receiver gave. @throws WebhookError for one that it cannot read */
  answerOf(answer: unknown, question: Question): Answer;
}

const WEBHOOK_CHECKS: Checks<WebhookAskerOptions> = {
  timeout: checkedElsewhere,
  secret: anyText,
  fetch: fn,
  clock: having('now'),
};

const MAX_ANSWER = 64 * 1024;
/** The question as it is, and an `Answer`. */
const OWN: WebhookFormat = {
  bodyOf: (question) => question,
  answerOf(stated, { id }) {
    const answer = readWireAnswer(stated);
    // A receiver that repeats the id, and another one, answers another question.
    const { id: about = id } = (stated ?? {}) as { readonly id?: unknown };
    if (answer && about === id) return answer;
    throw new WebhookError('webhook_answer', 'the webhook did not answer with an answer');
  },
};

/**
 * An asker that posts the question as JSON and reads an answer from the response: `{ "type": "approved" | "rejected" | "chose" | "text" | "silent" }`
 * with the fields of `Answer`. An answer may repeat the question's `id`. Rejects with `WebhookError`, and then nothing is approved.
 *
 * @param url an http or https address; redirects are not followed
 * @throws InvalidSettingError for another address, a time-out that is none, and an empty secret
 * @example
 * const ask = webhookAsker('https://approvals.example/ask', { timeout: '3m', secret: 'shared with the receiver' });
 * const service = new PermissionService({ ask });
 */
export const webhookAsker = (url: string, options: WebhookAskerOptions): Asker => webhookAskerIn(OWN, url, options);

/** As `webhookAsker`, for a receiver that knows another form. */
export function webhookAskerIn(format: WebhookFormat, url: string, options: WebhookAskerOptions): Asker {
  text(url, 'url');
  checkSettings(options, WEBHOOK_CHECKS, { required: ['timeout'] });
  const { secret, clock = systemClock } = options;
  const ms = waitMs(options.timeout, 'timeout');
  if (!['https:', 'http:'].includes(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new InvalidSettingError('url', 'must be an http or https address');
  if (secret !== undefined && !canSign(secret))
    throw new InvalidSettingError('secret', 'is empty, or has an empty key');
  return async (question, { signal }) => {
    signal.throwIfAborted();
    const body = JSON.stringify(format.bodyOf(question));
    const headers =
      secret === undefined ? { 'content-type': 'application/json' } : signedHeaders(secret, clock.now(), body);
    const late = AbortSignal.timeout(ms);
    const send = options.fetch ?? globalThis.fetch;
    let response: Response;
    let text: string;
    try {
      const either = AbortSignal.any([late, signal]);
      response = await send(url, { method: 'POST', headers, body, redirect: 'error', signal: either });
      text = await response.text();
    } catch (cause) {
      signal.throwIfAborted();
      if (late.aborted || (cause instanceof Error && cause.name === 'TimeoutError')) return { type: 'silent' };
      throw new WebhookError('webhook_failed', 'the webhook could not be reached', { cause });
    }
    if (!response.ok) throw new WebhookError('webhook_status', `the webhook answered with status ${response.status}`);
    const json = readIJson(text, MAX_ANSWER);
    if (!json.ok) throw new WebhookError('webhook_answer', 'the webhook did not answer with an answer');
    return format.answerOf(json.value, question);
  };
}

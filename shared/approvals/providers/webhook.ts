/** Asks over HTTP. The request is signed, so that the receiver can trust it. */
import * as z from 'zod';
import { CountersignError } from '../../domain/errors.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { signedHeaders } from '../../domain/webhook-signature.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';

/** Settings of `WebhookHumanLoopProvider`. */
export interface WebhookOptions {
  /** Signs `v1:<seconds>:<body>` with HMAC-SHA-256, in `x-countersign-signature: v1=<hex>`. */
  readonly secret?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** `code`: webhook_failed (not reached), webhook_status, webhook_answer, webhook_decision. */
export class WebhookError extends CountersignError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'WebhookError';
  }
}

const MAX_ANSWER = 64 * 1024;
const answer = z.object({
  decision: z.string().nullish(),
  text: z.string().nullish(),
  reason: z.string().nullish(),
});

/**
 * Posts `{ kind, prompt, tool_name, args }`; `timeoutSecs` in seconds, then it is a time-out. Throws `WebhookError`; a RangeError for options.
 *
 * @example
 * const provider = new WebhookHumanLoopProvider('https://approvals.example/ask', 30, { secret: 'shared with the receiver' });
 * console.log(await provider.request({ kind: 'approval', requestId: 'r-1', prompt: 'May it?', toolName: 'Bash' }));
 */
export class WebhookHumanLoopProvider implements HumanLoopProvider {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #options: WebhookOptions;

  constructor(url: string, timeoutSecs: number, options: WebhookOptions = {}) {
    if (!(timeoutSecs > 0) || !Number.isFinite(timeoutSecs))
      throw new RangeError('the time-out is a number of seconds above zero');
    if (options.secret === '') throw new RangeError('the secret is empty');
    const { protocol } = new URL(url);
    if (protocol !== 'https:' && protocol !== 'http:') throw new RangeError('a webhook is an http or https address');
    this.#url = url;
    this.#timeoutMs = timeoutSecs * 1000;
    this.#options = options;
  }

  async request(
    request: HumanLoopRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HumanLoopResponse> {
    const body = JSON.stringify({
      kind: request.kind,
      prompt: request.prompt,
      tool_name: request.toolName,
      args: request.args,
    });
    const { secret, clock = systemClock } = this.#options;
    const headers =
      secret === undefined ? { 'content-type': 'application/json' } : signedHeaders(secret, clock.now(), body);
    const send = this.#options.fetch ?? globalThis.fetch;
    let response: Response;
    let text: string;
    try {
      response = await send(this.#url, {
        method: 'POST',
        headers,
        body,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), ...(signal ? [signal] : [])]),
      });
      text = await response.text();
    } catch (cause) {
      if (signal?.aborted || (cause instanceof Error && cause.name === 'TimeoutError')) return { kind: 'Timeout' };
      throw new WebhookError('webhook_failed', 'the webhook could not be reached', { cause });
    }
    if (!response.ok) throw new WebhookError('webhook_status', `the webhook answered with status ${response.status}`);
    return readWebhookAnswer(text, request.kind);
  }
}

/** Unknown decisions are errors; none is a time-out. */
export function readWebhookAnswer(text: string, kind: HumanLoopRequest['kind']): HumanLoopResponse {
  const json = readIJson(text, MAX_ANSWER);
  const parsed = json.ok ? answer.safeParse(json.value) : undefined;
  if (parsed?.success !== true) throw new WebhookError('webhook_answer', 'the webhook did not answer with an answer');
  const { decision, text: said, reason } = parsed.data;
  if (kind === 'input' && (decision ?? undefined) === undefined && typeof said === 'string')
    return { kind: 'Text', text: said };
  switch (decision) {
    case 'approved':
      return kind === 'input' && typeof said === 'string' ? { kind: 'Text', text: said } : { kind: 'Approved' };
    case 'rejected':
      return { kind: 'Rejected', reason: reason ?? undefined };
    case 'timeout':
    case undefined:
    case null:
      return { kind: 'Timeout' };
    default:
      throw new WebhookError('webhook_decision', 'the decision of the webhook is unknown');
  }
}

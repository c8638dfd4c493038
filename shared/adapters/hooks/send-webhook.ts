/** Sends one event to one webhook: a CloudEvent in its JSON form, signed as Standard Webhooks asks. */
import { canSign, standardHeaders } from '../../domain/record/webhook-signature.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CloudEvent } from '../eventbridge/event-detail.ts';
import { retryAfterOf } from '../targets/output.ts';
import { HookError } from './http.ts';

export interface WebhookTarget {
  readonly url: string;
  /** Signs the message; `whsec_…`, or any text. */
  readonly secret: string;
}

/** `later`: the message has to be sent again. */
export type WebhookResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'later'; readonly reason: string; readonly retryAfterMs?: number | undefined };

/** The receiver has this long to take a message: a good one answers first and works then. */
export const WEBHOOK_TIMEOUT_MS = 10_000;

/** Never throws for what the receiver does. @throws HookError if the secret is empty. */
export async function sendWebhook(
  { url, secret }: WebhookTarget,
  event: CloudEvent,
  { now }: Clock,
  signal: AbortSignal,
  post: typeof fetch = fetch,
): Promise<WebhookResult> {
  if (!canSign(secret))
    throw new HookError('webhook_secret', 'the secret of the webhook is empty, or has an empty key');
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/cloudevents+json',
    ...standardHeaders(secret, { id: event.id, seconds: Math.floor(now() / 1000), body }),
  };
  try {
    // A redirect would take the event to an address that nobody has checked.
    const response = await post(url, { method: 'POST', headers, body, redirect: 'error', signal });
    // The answer is of no use, and may be long.
    await response.body?.cancel().catch(() => undefined);
    if (response.ok) return { kind: 'sent' };
    return {
      kind: 'later',
      reason: `status_${response.status}`,
      retryAfterMs: retryAfterOf(response.headers.get('retry-after'), now()),
    };
  } catch {
    return { kind: 'later', reason: signal.aborted ? 'no_answer' : 'not_reached' };
  }
}

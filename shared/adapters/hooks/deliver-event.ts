/** Delivers one event of the webhooks' queue to its receiver, and says when it has to come again. */
import * as z from 'zod';
import { MAX_VISIBILITY_S, WEBHOOK_PAUSES_S } from '../../config/schema/defaults.ts';
import { type CloudEvent, readCloudEvent } from '../eventbridge/event-detail.ts';
import type { WebhookResult, WebhookTarget } from './send-webhook.ts';

export interface DeliverDependencies {
  /** The webhook as the policy file has it now; `secret` is the name of one. */
  targetOf(webhook: string): WebhookTarget | undefined;
  secretOf(name: string): Promise<string>;
  send(target: WebhookTarget, event: CloudEvent): Promise<WebhookResult>;
}

type DeliveredEvent =
  | { readonly kind: 'sent'; readonly webhook: string }
  /** The policy file no longer names it, or the event is of a release that knew no webhooks: there is nobody to send it to. */
  | { readonly kind: 'dropped'; readonly webhook: string }
  | {
      readonly kind: 'later';
      readonly webhook: string;
      readonly eventId: string;
      /** Undefined where `error` says it. */
      readonly reason?: string;
      readonly error?: unknown;
      /** Until the next try; after the last one SQS sets the message aside at once. */
      readonly seconds: number;
    };

/** As the rule of the webhook sends it. */
const message = z.object({ webhook: z.string(), event: z.record(z.string(), z.unknown()) });

/**
 * @param received how often the queue has handed the message out, from 1
 * @throws for a message of another shape
 */
export async function deliverEvent(raw: string, received: number, deps: DeliverDependencies): Promise<DeliveredEvent> {
  const { webhook, event } = message.parse(JSON.parse(raw));
  const target = deps.targetOf(webhook);
  const cloudEvent = readCloudEvent(event);
  if (!target || !cloudEvent) return { kind: 'dropped', webhook };
  const later = { kind: 'later', webhook, eventId: cloudEvent.id } as const;
  try {
    const secret = await deps.secretOf(target.secret);
    const result = await deps.send({ url: target.url, secret }, cloudEvent);
    if (result.kind === 'sent') return { kind: 'sent', webhook };
    const { reason, retryAfterMs } = result;
    return { ...later, reason, seconds: pauseAfter(received, retryAfterMs) };
  } catch (error) {
    // Nothing but the secret throws. While it is missing, the event waits as for a receiver that is down.
    return { ...later, reason: 'no_secret', error, seconds: pauseAfter(received) };
  }
}

function pauseAfter(received: number, retryAfterMs = 0): number {
  const pause = WEBHOOK_PAUSES_S[received - 1];
  return pause === undefined ? 0 : Math.min(MAX_VISIBILITY_S, Math.max(pause, Math.ceil(retryAfterMs / 1_000)));
}

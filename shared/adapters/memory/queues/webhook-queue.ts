/** Holds the events that were put for webhooks in memory, where nobody sends them. */
import type { GateEvent } from '../../../ports/gate-events.ts';
import type { WebhookQueue } from '../../../ports/webhook-queue.ts';

/** An event, and the webhook that it is for. */
export interface QueuedEvent {
  readonly webhook: string;
  readonly event: GateEvent;
}

export function memoryWebhookQueue(queued: QueuedEvent[] = []): WebhookQueue & { readonly queued: QueuedEvent[] } {
  return {
    queued,
    async put(webhook, events) {
      for (const event of events) queued.push({ webhook, event });
    },
  };
}

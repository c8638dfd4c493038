/** Puts events for a webhook into the queue, in the form that the rule of the event bus gives them. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { WebhookQueue } from '../../ports/webhook-queue.ts';
import { detailOf } from '../eventbridge/event-detail.ts';
import { sendTogether } from './send-together.ts';

export function sqsWebhookQueue(client: SQSClient, queueUrl: string, deployment: string): WebhookQueue {
  const send = sendTogether(client, queueUrl);
  return {
    async put(webhook, events) {
      const bodies = events.map((event) => JSON.stringify({ webhook, event: detailOf(event, { deployment }) }));
      // A group of its own: what is sent again waits behind itself, and not before what happens now.
      await Promise.all(bodies.map((body) => send(body, `replay-${webhook}`, 0)));
    },
  };
}

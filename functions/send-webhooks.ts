/**
 * Sends events to the webhooks of the policy file.
 *
 * Each message of the queue is one event for one of them.
 */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { readCloudEvent } from '../shared/adapters/eventbridge/event-detail.ts';
import { sendWebhook, WEBHOOK_TIMEOUT_MS, type WebhookResult } from '../shared/adapters/hooks/send-webhook.ts';
import { WEBHOOK_PAUSES_S } from '../shared/config/schema/defaults.ts';
import { ownValue } from '../shared/domain/own.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { cachedSecret } from './runtime/clients/secrets.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { policyNames } from './runtime/policy-file.ts';
import { idsOfRecord } from './runtime/queues/record-ids.ts';
import { MAX_VISIBILITY_S } from './runtime/queues/visibility.ts';
import { count, faultName, log, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';

const env = readEnv('sendWebhooks');
const secretOf = cachedSecret(systemClock);

/** As the rule of the webhook sends it. */
const message = z.object({ webhook: z.string(), event: z.record(z.string(), z.unknown()) });

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const done = await Promise.all(
    Records.map(async (record) => {
      // A message that cannot be read sends none of the others a second time.
      const isSent = await isDone(record).catch((error: unknown) => {
        logFault('an event for a webhook could not be worked', error, idsOfRecord(record));
        return false;
      });
      return [record, isSent] as const;
    }),
  );
  return {
    batchItemFailures: done.flatMap(([{ messageId }, isSent]) => (isSent ? [] : [{ itemIdentifier: messageId }])),
  };
});

async function isDone(record: SQSRecord): Promise<boolean> {
  const { webhook, event } = message.parse(JSON.parse(record.body));
  const target = ownValue(policyNames().people.settings.webhooks, webhook);
  const cloudEvent = readCloudEvent(event);
  if (!target || !cloudEvent) {
    // The policy file no longer names it, or the event is of a release that knew no webhooks: there is nobody to send it to.
    log('warn', 'an event for a webhook was dropped', { webhook, ...idsOfRecord(record) });
    return true;
  }
  const result = await tried(record, async () => {
    const secret = await secretOf(target.secret);
    const signal = AbortSignal.timeout(WEBHOOK_TIMEOUT_MS);
    return sendWebhook({ url: target.url, secret }, cloudEvent, systemClock, signal);
  });
  if (result.kind === 'sent') {
    count('WebhooksSent', 1, { webhook });
    return true;
  }
  count('WebhooksFailed', 1, { webhook });
  const facts = { webhook, eventId: cloudEvent.id, reason: result.reason };
  log('warn', 'a webhook did not take an event', { ...facts, ...idsOfRecord(record) });
  await hide(record, result.retryAfterMs);
  return false;
}

/** While a secret is missing, the event waits as for a receiver that is down. */
const tried = (record: SQSRecord, send: () => Promise<WebhookResult>): Promise<WebhookResult> =>
  send().catch((error: unknown) => {
    logFault('a webhook could not be sent', error, idsOfRecord(record), 'warn');
    return { kind: 'later', reason: faultName(error) };
  });

/** Until the next try. If this fails, the message comes again after the queue's own time. */
async function hide(record: SQSRecord, retryAfterMs = 0): Promise<void> {
  const { receiptHandle, attributes } = record;
  const tries = Number(attributes.ApproximateReceiveCount);
  const pause = WEBHOOK_PAUSES_S[tries - 1];
  // After the last try SQS sets the message aside at once.
  const seconds = pause === undefined ? 0 : Math.min(MAX_VISIBILITY_S, Math.max(pause, Math.ceil(retryAfterMs / 1000)));
  await sqs()
    .send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: env.WEBHOOK_QUEUE_URL,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
    .catch((fault: unknown) => logFault('a webhook could not be put back', fault, idsOfRecord(record), 'warn'));
}

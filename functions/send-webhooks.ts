/**
 * Sends events to the webhooks of the policy file.
 *
 * Each message of the queue is one event for one of them.
 */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type DeliverDependencies, deliverEvent } from '../shared/adapters/hooks/deliver-event.ts';
import { sendWebhook, WEBHOOK_TIMEOUT_MS } from '../shared/adapters/hooks/send-webhook.ts';
import { ownValue } from '../shared/domain/own.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { cachedSecret } from './runtime/clients/secrets.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { policyNames } from './runtime/policy-file.ts';
import { idsOfRecord } from './runtime/queues/record-ids.ts';
import { count, faultName, log, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';

const env = readEnv('sendWebhooks');
const deps: DeliverDependencies = {
  targetOf: (webhook) => ownValue(policyNames().people.settings.webhooks, webhook),
  secretOf: cachedSecret(systemClock),
  send: (target, event) => sendWebhook(target, event, systemClock, AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)),
};

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const done = await Promise.all(
    Records.map(async (record) => {
      // A message that cannot be read sends none of the others a second time.
      const isSent = await isDone(record).catch((error: unknown) => {
        logFault('an event for a webhook could not be processed', error, idsOfRecord(record));
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
  const { body, attributes } = record;
  const delivered = await deliverEvent(body, Number(attributes.ApproximateReceiveCount), deps);
  const { webhook } = delivered;
  switch (delivered.kind) {
    case 'sent':
      count('WebhooksSent', 1, { webhook });
      return true;
    case 'dropped':
      log('warn', 'an event for a webhook was dropped', { webhook, ...idsOfRecord(record) });
      return true;
    case 'later': {
      const { eventId, error, reason = faultName(error), seconds } = delivered;
      if (error !== undefined) logFault('a webhook could not be sent', error, idsOfRecord(record), 'warn');
      count('WebhooksFailed', 1, { webhook });
      log('warn', 'a webhook did not take an event', { webhook, eventId, reason, ...idsOfRecord(record) });
      await hide(record, seconds);
      return false;
    }
    default:
      return delivered satisfies never;
  }
}

/** Hides the message until its next try. If this fails, the queue delivers it after its own time. */
async function hide(record: SQSRecord, seconds: number): Promise<void> {
  await sqs()
    .send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: env.WEBHOOK_QUEUE_URL,
        ReceiptHandle: record.receiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
    .catch((fault: unknown) => logFault('a webhook could not be put back', fault, idsOfRecord(record), 'warn'));
}

/** Runs approved calls, one message at a time (A19). */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { execute } from '../shared/pipeline/execute.ts';
import { accountsAllowed } from './runtime/accounts.ts';
import { sqs } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { guardedGate } from './runtime/guarded.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { registeredSenders, type Senders } from './runtime/senders.ts';
import { targets } from './runtime/targets.ts';

const env = readEnv('executeTool');
let senders: Senders | undefined;
/** Time kept back to write down what happened before the function's own time is up. */
const RESERVE_MS = 15_000;
/** A store was down: sooner than the queue's own visibility time-out, which has to outlast a run. */
const RETRY_S = 10;

export const handler = observing<SQSEvent, SQSBatchResponse>(async ({ Records }, context) => {
  const base = await guardedGate(env, targets());
  senders ??= registeredSenders(env.SENDERS_PATH, base.policy.settings, base.clock);
  const agents = { agents: senders.agents, accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED) };
  const gate = { ...base, ...agents };
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    const { messageId, body, attributes } = record;
    const deadlineAt = base.clock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
    try {
      await execute({ messageId, raw: body, principal: attributes.SenderId, deadlineAt }, gate);
      count('ExecutionsWorked');
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: messageId });
      logger.error('an execution could not be worked', { fault: faultName(error) });
      await soon(record);
    }
  }
  return { batchItemFailures };
});

/** If this fails too, the message comes after the queue's own time. */
async function soon({ receiptHandle }: SQSRecord): Promise<void> {
  const change = { QueueUrl: env.EXECUTIONS_QUEUE_URL, ReceiptHandle: receiptHandle, VisibilityTimeout: RETRY_S };
  await sqs()
    .send(new ChangeMessageVisibilityCommand(change))
    .catch(() => undefined);
}

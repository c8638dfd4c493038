/** Records what agents report through their queue of the calls that they ran. Only the queue's mapping invokes this. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { recordOutcome } from '../shared/use-cases/execution/record-outcome.ts';
import { accountsAllowed } from './runtime/accounts.ts';
import { readEnv } from './runtime/env.ts';
import { guardedGate } from './runtime/guarded.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { received } from './runtime/received.ts';
import { registeredSenders, type Senders } from './runtime/senders.ts';

const env = readEnv('collectOutcomes');
let senders: Senders | undefined;

export const handler = observing<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const gate = await guardedGate(env);
  senders ??= registeredSenders(env.SENDERS_PATH, gate.policy.settings, gate.clock);
  const reporting = { ...gate, agents: senders.agents, accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED) };
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await recordOutcome(received(record, env.CARRIERS), reporting);
      count('OutcomesRecorded');
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      logger.error('an outcome could not be recorded', { fault: faultName(error) });
    }
  }
  return { batchItemFailures };
});

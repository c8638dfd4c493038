/** Records outcomes that agents report through their queue, and dead letters of that queue. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { MAX_RECEIPTS_OF_SENDERS } from '../shared/config/schema/defaults.ts';
import { recordDeadLetterOutcome, recordOutcome } from '../shared/use-cases/execution/record-outcome.ts';
import { readEnv } from './runtime/env.ts';
import { answerDeadLetters } from './runtime/queues/dead-letters.ts';
import { receivedMessage } from './runtime/queues/received-message.ts';
import { idsOfRecord } from './runtime/queues/record-ids.ts';
import { count, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { accountsAllowed } from './runtime/wiring/accounts-allowed.ts';
import { guardedDependencies } from './runtime/wiring/guarded-runs.ts';
import { registeredSenders, type Senders } from './runtime/wiring/senders.ts';

const env = readEnv('collectOutcomes');
let senders: Senders | undefined;
const DEAD_LETTERS = {
  queue: 'Outcomes',
  receiptsBefore: MAX_RECEIPTS_OF_SENDERS,
  neighbourUrl: env.OUTCOMES_QUEUE_URL,
};

export const handler = withTelemetry<SQSEvent, SQSBatchResponse>(async ({ Records }) => {
  const deps = await guardedDependencies(env);
  senders ??= registeredSenders(env.SENDERS_PATH, deps.policy.settings, deps.clock);
  const reporting = { ...deps, agents: senders.agents, accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED) };
  if (Records.some(({ eventSourceARN }) => eventSourceARN === env.OUTCOMES_DEAD_ARN)) {
    const batchItemFailures = await answerDeadLetters(Records, DEAD_LETTERS, (record, tries) =>
      recordDeadLetterOutcome(receivedMessage(record), tries, reporting),
    );
    return { batchItemFailures };
  }
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await recordOutcome(receivedMessage(record), reporting);
      count('OutcomesRecorded');
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      logFault('an outcome could not be recorded', error, idsOfRecord(record));
    }
  }
  return { batchItemFailures };
});

/** Records what happened when an approved call ran: reported by agents through their queue, or by tool servers that invoke this (A19). */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { OutcomeReport } from '../shared/contract/outcome.ts';
import { type Recorded, recordOutcome, recordReport } from '../shared/pipeline/record-outcome.ts';
import { accountsAllowed } from './runtime/accounts.ts';
import { readEnv } from './runtime/env.ts';
import { guardedGate } from './runtime/guarded.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { registeredSenders, type Senders } from './runtime/senders.ts';

const env = readEnv('recordOutcome');
let senders: Senders | undefined;

export const handler = observing<SQSEvent | OutcomeReport, SQSBatchResponse | Recorded>(
  async (event, { awsRequestId }) => {
    const gate = await guardedGate(env);
    if (!isBatch(event)) return recordReport({ messageId: awsRequestId, raw: event }, gate);
    senders ??= registeredSenders(env.SENDERS_PATH, gate.policy.settings, gate.clock);
    const reporting = { ...gate, agents: senders.agents, accountsAllowed: accountsAllowed(env.ACCOUNTS_ALLOWED) };
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { messageId, body, attributes } of event.Records) {
      try {
        await recordOutcome({ messageId, raw: body, principal: attributes.SenderId }, reporting);
        count('OutcomesRecorded');
      } catch (error) {
        batchItemFailures.push({ itemIdentifier: messageId });
        logger.error('an outcome could not be recorded', { fault: faultName(error) });
      }
    }
    return { batchItemFailures };
  },
);

/** Whoever invokes this may send anything. */
const isBatch = (event: SQSEvent | OutcomeReport): event is SQSEvent =>
  typeof event === 'object' && event !== null && 'Records' in event && Array.isArray(event.Records);

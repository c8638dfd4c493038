/** Works messages that another queue has set aside, until each is answered. */
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchItemFailure, SQSRecord } from 'aws-lambda';
import { MAX_VISIBILITY_S } from '../../../shared/config/schema/defaults.ts';
import { isPoison } from '../../../shared/use-cases/intake/resend.ts';
import { sqs } from '../clients/sqs.ts';
import { count, log, logFault } from '../telemetry/observe.ts';
import { idsOfRecord } from './record-ids.ts';
import { addressOf } from './visibility.ts';

const FIRST_PAUSE_S = 60;
/** The longest pause while a store is down, because a sender waits for the answer. */
const MAX_STORE_PAUSE_S = 900;

/** The pause before the next try, in seconds; `tries` counts from 1. In its fourteen days a dead letter has some thirty tries. */
export const answerAgainAfter = (error: unknown, tries: number): number =>
  isPoison(error)
    ? Math.min(MAX_VISIBILITY_S, FIRST_PAUSE_S * 4 ** (tries - 1))
    : Math.min(MAX_STORE_PAUSE_S, FIRST_PAUSE_S * 2 ** (tries - 1));

interface DeadLetterQueue {
  /** The name under which answers are counted: of the queue that set the messages aside. */
  readonly queue: string;
  /** How often that queue delivered each: SQS goes on counting. */
  readonly receiptsBefore: number;
  /** See `addressOf`. */
  readonly neighbourUrl: string;
  /** Whether the fault lies with the receiver of the answer, so that it must not raise an alarm of the gate. */
  readonly isTheirs?: (error: unknown) => boolean;
}

export async function answerDeadLetters(
  records: readonly SQSRecord[],
  { queue, receiptsBefore, neighbourUrl, isTheirs = () => false }: DeadLetterQueue,
  answer: (record: SQSRecord, tries: number) => Promise<void>,
): Promise<SQSBatchItemFailure[]> {
  const failures: SQSBatchItemFailure[] = [];
  for (const record of records) {
    const { messageId, receiptHandle, eventSourceARN, attributes } = record;
    const tries = Math.max(1, Number(attributes.ApproximateReceiveCount) - receiptsBefore);
    try {
      await answer(record, tries);
      count('DeadLettersAnswered', 1, { queue });
      log('error', 'a message that was set aside is answered', { queue, ...idsOfRecord(record) });
    } catch (error) {
      failures.push({ itemIdentifier: messageId });
      // SQS counts a message that waits for its next try as in flight, so that only this figure tells of it.
      if (!isTheirs(error)) count('DeadLettersUnanswered', 1, { queue });
      logFault('a message that was set aside could not be answered', error, { queue, ...idsOfRecord(record) });
      const change = new ChangeMessageVisibilityCommand({
        QueueUrl: addressOf(eventSourceARN, neighbourUrl),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: answerAgainAfter(error, tries),
      });
      // If this fails too, the message comes after the queue's own time.
      await sqs()
        .send(change)
        .catch((fault: unknown) =>
          logFault('a message that was set aside comes again later than it should', fault, { messageId }, 'warn'),
        );
    }
  }
  return failures;
}

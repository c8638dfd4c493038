/** Reads the sender of a message: the queue's word, or that of the gate's function that carried it. */
import type { SQSRecord } from 'aws-lambda';
import { type CarriedMessage, unwrap } from '../../../shared/ports/carried-message.ts';

/**
 * @param carrier the id of the one role whose word about the sender is believed; undefined: none
 * @throws if the carrier sent anything but a carried message
 */
export function receivedMessage({ messageId, body, attributes }: SQSRecord, carrier?: string): CarriedMessage {
  const { SenderId: principal, SentTimestamp } = attributes;
  const delivered = { messageId, raw: body, principal, firstSentAt: Number(SentTimestamp) };
  return unwrap(delivered, carrier);
}

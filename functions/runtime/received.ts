/** Reads who sent a message of a queue: the queue's word, or that of a function of the gate that carried it. */
import type { SQSRecord } from 'aws-lambda';
import { type Carried, unwrap } from '../../shared/ports/carried.ts';

/** `carriers`: the environment's list of role ids. @throws if a carrier sent something else than a carried message. */
export function received({ messageId, body, attributes }: SQSRecord, carriers: string): Carried {
  const { SenderId: principal, SentTimestamp } = attributes;
  const delivered = { messageId, raw: body, principal, firstSentAt: Number(SentTimestamp) };
  return unwrap(delivered, carriers.split(','));
}

/**
 * Reads the ids of a queue's message for the log.
 *
 * Only what has the shape of one of the gate's own ids is read from a body.
 */
import type { SQSRecord } from 'aws-lambda';

/** A type and no interface: a line's further facts have an index. */
type RecordIds = { readonly messageId: string; readonly receiveCount: number; readonly pid?: string };

export function idsOfRecord({
  messageId,
  attributes,
  body,
}: Pick<SQSRecord, 'messageId' | 'attributes' | 'body'>): RecordIds {
  const pid = pidIn(body);
  return { messageId, receiveCount: Number(attributes.ApproximateReceiveCount), ...(pid === '' ? {} : { pid }) };
}

/** Empty where the text names none; a body within a body is read too. */
export const pidIn = (text: string): string => /\\?"(?:pid|approval)\\?":\\?"([0-9a-f]{64})\\?"/.exec(text)?.[1] ?? '';

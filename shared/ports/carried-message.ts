/**
 * Declares a message that a function of the gate sends to its own queue for its sender.
 *
 * SQS names the function as the sender then, so that the message says for whom it is carried; only that function is
 * believed, and only there.
 */
import * as z from 'zod';
import { roleOf } from '../domain/aws/sender.ts';

const carried = z.object({
  carried: z.object({
    messageId: z.string(),
    /** SQS's SenderId of whoever sent it first. */
    principal: z.string(),
    /** Milliseconds since 1970. */
    firstSentAt: z.number(),
    raw: z.string(),
  }),
});

export type CarriedMessage = z.infer<typeof carried>['carried'];

export const carriedBody = (message: CarriedMessage): string => JSON.stringify({ carried: message });

/**
 * The message that a delivery holds. `carrier`: IAM's id of the role that is believed; absent: none is.
 * @throws if the carrier sent something else than a carried message.
 */
export const unwrap = (delivered: CarriedMessage, carrier: string | undefined): CarriedMessage =>
  carrier !== undefined && roleOf(delivered.principal) === carrier
    ? carried.parse(JSON.parse(delivered.raw)).carried
    : delivered;

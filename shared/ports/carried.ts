/**
 * A message that one of the gate's own functions sends in its sender's place: brought back from the dead letters, or sent anew. SQS names the
 * function as the sender then, so that the message says for whom it is carried; only such functions are believed.
 */
import * as z from 'zod';
import { roleOf } from '../domain/sender.ts';

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

export type Carried = z.infer<typeof carried>['carried'];

export const carriedBody = (message: Carried): string => JSON.stringify({ carried: message });

/** A carried message may be set aside and brought back: then it is wrapped twice. */
const MAX_WRAPPERS = 20;

/**
 * The message that a delivery holds. `carriers`: IAM's ids of the roles that are believed.
 * @throws if a carrier sent something else than a carried message.
 */
export function unwrap(delivered: Carried, carriers: readonly string[]): Carried {
  let message = delivered;
  for (let wrappers = 0; carriers.includes(roleOf(message.principal)); wrappers++) {
    if (wrappers >= MAX_WRAPPERS) throw new Error('a message is wrapped too often');
    message = carried.parse(JSON.parse(message.raw)).carried;
  }
  return message;
}

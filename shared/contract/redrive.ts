/** Bringing dead letters back: the request of an operator, and the answer to it. */
import * as z from 'zod';

/** The queues of the gate; each has dead letters of its own. */
export const GATE_QUEUES = ['proposals', 'deferred', 'operators', 'cards', 'talk', 'executions', 'outcomes'] as const;
export type GateQueueName = (typeof GATE_QUEUES)[number];

/** One request brings back at most so many. */
export const MAX_REDRIVEN = 500;

export const redriveRequest = z.strictObject({
  queue: z.enum(GATE_QUEUES),
  limit: z.int().min(1).max(MAX_REDRIVEN),
});

export const redriveAnswer = z.object({
  moved: z.int().nonnegative(),
  /** Message ids that cannot be brought back. */
  left: z.array(z.string()),
});
export type RedriveAnswer = z.infer<typeof redriveAnswer>;

/** Declares the request to bring dead letters back, and its answer. */
import * as z from 'zod';

/** The queues whose messages decide nothing: an operator brings their dead letters back as they are. */
export const REDRIVEN_QUEUES = ['cards', 'webhooks'] as const;
export type RedrivenQueue = (typeof REDRIVEN_QUEUES)[number];

/**
 * The gate answers dead letters of these by itself. A message of them is somebody's word, so that nobody may send to them in another's
 * place.
 */
export const ANSWERED_QUEUES = ['proposals', 'deferred', 'operators', 'talk', 'executions', 'outcomes'] as const;

/** One operation brings back at most so many. */
export const MAX_REDRIVEN = 500;

export const redriveRequest = z.strictObject({
  queue: z.enum(REDRIVEN_QUEUES),
  limit: z.int().min(1).max(MAX_REDRIVEN),
  /** No batch is begun later: the function that waits for the answer has less time than the one that moves. */
  withinMs: z.int().min(1).max(45_000),
});

export const redriveAnswer = z.object({
  moved: z.int().nonnegative(),
  /** Message ids that cannot be brought back. */
  left: z.array(z.string()),
});
export type RedriveAnswer = z.infer<typeof redriveAnswer>;

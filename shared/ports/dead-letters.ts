/** Brings dead letters back to the queues that set them aside, as they were. */
import type { RedriveAnswer, RedrivenQueue } from '../contract/redrive.ts';

export interface DeadLetters {
  /** Moves at most `limit` within its own bound of time. Safe to repeat: a message that came back once is no dead letter any more. */
  redrive(queue: RedrivenQueue, limit: number): Promise<RedriveAnswer>;
}

/** Pauses before DynamoDB is asked again for what it refused for want of capacity. */
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 1_000;

/** Waits before try `attempt + 1`. */
export type RetryPause = (attempt: number) => Promise<void>;

/** A client whose pauses pass in virtual time. */
export interface OwnPause {
  readonly retryPause: RetryPause;
}

/** Upper bound of the pause after try `attempt`, in milliseconds: it doubles, up to a second. */
export const pauseBound = (attempt: number): number => Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);

/** Full jitter: callers that were refused together do not come again together. */
const jitteredPause: RetryPause = (attempt) => delay(Math.random() * pauseBound(attempt));

/** The client's own, if it has one: all that waits for the tables gets a client, and time is injected with it. */
export const pauseOf = (client: object): RetryPause => (client as Partial<OwnPause>).retryPause ?? jitteredPause;

/** Ends a test at its limit, from which on none of its waits goes on. */
import { setTimeout as delay } from 'node:timers/promises';

/** The test that runs. */
export interface Limited {
  readonly limitMs: number;
  /** How long it ran. */
  ms: number;
  /** Ends its waits. */
  readonly end: (reason: Error) => void;
}

/** Vitest loads its runner apart from the modules of tests. */
export const limits = globalThis as { countersignLimited?: Limited };

/** A test that has had its time may do so long what it does at its end. */
const GRACE_MS = 3_000;

export async function withinLimit(body: () => unknown, now: Limited): Promise<void> {
  const began = Date.now();
  const over = new AbortController();
  const running = Promise.resolve(body());
  // Nobody waits any more for a test that ends after its time.
  running.catch(() => undefined);
  const ended = running.then(() => 'in time' as const);
  try {
    const first = await Promise.race([ended, delay(now.limitMs, 'late' as const, { signal: over.signal })]);
    if (first === 'in time') return;
    const reason = new Error(`the test did not pass within ${now.limitMs} ms`);
    now.end(reason);
    await Promise.race([running.catch(() => undefined), delay(GRACE_MS)]);
    throw reason;
  } finally {
    over.abort();
    now.ms = Date.now() - began;
  }
}

// Waits for what another process does, by looking again and again.
import { setTimeout as delay } from 'node:timers/promises';

/** The first result that is neither undefined, null nor false; an error that says what it waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 45_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as T;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`);
    await delay(50);
  }
}

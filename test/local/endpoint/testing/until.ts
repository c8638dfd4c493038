// Waits for what another process does, by looking again and again.
import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = { least: 50, most: 250 };

/** A tenth of the time that was waited: looks take from the processor what the awaited needs, on a busy machine most of all. */
const pauseAfter = (waitedMs: number): number => Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waitedMs / 10));

/** The first result that is neither undefined, null nor false; an error that says what it waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 45_000,
): Promise<T> {
  const began = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as T;
    const waited = Date.now() - began;
    if (waited > timeoutMs) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`);
    await delay(pauseAfter(waited));
  }
}

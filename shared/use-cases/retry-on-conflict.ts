/** Tries a change again that somebody else was faster than. */
import { outsideFault } from './port-faults.ts';

/** The result of an attempt whose row was changed meanwhile. */
export const CONFLICT = Symbol('conflict');

const MAX_ATTEMPTS = 5;

/**
 * Each attempt reads, computes and writes anew, on the version that it read; `count` is from 0.
 * @throws a fault that another try may mend, with `message`, if others were faster each time: the caller's message comes again.
 */
export async function retryOnConflict<Value>(
  message: string,
  attempt: (count: number) => Promise<Value | typeof CONFLICT>,
): Promise<Value> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    const result = await attempt(count);
    if (result !== CONFLICT) return result;
  }
  throw outsideFault(message);
}

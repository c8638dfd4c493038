/** Plays Lambda's queue of asynchronous calls of `resume`, which tries twice more after a failure. */
import type { Timers } from '../../../ports/timers.ts';
import { MemoryQueue } from './queue.ts';

/** Lambda waits a minute before the second try, and two before the third. */
const RETRY_MS = 60_000;
const AT_ONCE = 100;

export const memoryResumeQueue = (
  timers: Timers,
  work: (pid: string) => Promise<unknown>,
  onFault: (error: unknown) => void,
): MemoryQueue<string> =>
  new MemoryQueue<string>({
    timers,
    batchSize: 1,
    concurrency: AT_ONCE,
    maxReceives: 3,
    visibilityMs: RETRY_MS,
    async work([pid = '']) {
      try {
        await work(pid);
        return [{ ok: true }];
      } catch (error) {
        onFault(error);
        return [{ ok: false }];
      }
    },
  });

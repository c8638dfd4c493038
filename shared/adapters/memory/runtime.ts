/** Gives guardrails in memory their time, ids and waits, on an injected clock and timers. */
import type { Clock, Ids } from '../../ports/clock.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { Timers } from '../../ports/timers.ts';

export function memoryRuntime(clock: Clock, timers: Timers, ids: Ids, random = Math.random): GuardrailRuntime {
  return {
    now: () => clock.now(),
    random,
    newId: () => ids.next(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const done = () => {
          cancel();
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const cancel = timers.after(ms, done);
        signal?.addEventListener('abort', done, { once: true });
      }),
  };
}

/** Gives guardrails in memory their time, ids and waits, on an injected clock and timers. */
import type { Clock, Ids } from '../../ports/clock.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import { sleepBy, type Timers } from '../../ports/timers.ts';

export function memoryRuntime(clock: Clock, timers: Timers, ids: Ids, random = Math.random): GuardrailRuntime {
  return {
    now: () => clock.now(),
    random,
    newId: () => ids.next(),
    sleep: sleepBy((ms, work) => timers.after(ms, work)),
  };
}

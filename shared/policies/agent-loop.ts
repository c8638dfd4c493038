/** The agent's loop: idles on none, executes on some, and never what left the space meanwhile. */
import { isDeepStrictEqual } from 'node:util';
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { AgentPolicy, Observer } from './agent-policy.ts';

export interface AgentLoop {
  /** Computes what can be executed now. Asked before each choice, and again before each execution. */
  actionSpace(): ActionSpace | Promise<ActionSpace>;
  snapshot(): AgentSnapshot | Promise<AgentSnapshot>;
  /** Executes one action against the contract. What it throws ends the loop. */
  execute(action: Action): Promise<unknown>;
  readonly policy: AgentPolicy;
  /** Ends the loop: nothing is executed after it. */
  readonly signal: AbortSignal;
  /** Waits until the next cycle is worth it. */
  idle(why: 'none' | 'left-space'): Promise<unknown>;
  readonly observer?: Observer | undefined;
}

/** Runs until the signal is aborted. */
export async function runAgentLoop(loop: AgentLoop): Promise<void> {
  const { signal } = loop;
  const aborted = abortion(signal);
  try {
    while (!signal.aborted) {
      const cycle = oneCycle(loop);
      await Promise.race([cycle, aborted.promise]);
    }
  } finally {
    aborted.forget();
  }
}

async function oneCycle({ actionSpace, snapshot, execute, policy, signal, idle, observer }: AgentLoop): Promise<void> {
  const space = await actionSpace();
  const chosen = await policy.choose(space, await snapshot(), observer);
  if (signal.aborted) return;
  if (!chosen) {
    await idle('none');
    return;
  }
  // A person may have taken a week. The action is executed only if the contract still offers exactly this one.
  const now = await actionSpace();
  const still = now.actions.find((action) => isDeepStrictEqual(action, chosen));
  if (signal.aborted) return;
  if (still) await execute(still);
  else await idle('left-space');
}

function abortion(signal: AbortSignal): { readonly promise: Promise<void>; forget(): void } {
  let listener = () => {};
  const promise = new Promise<void>((resolve) => {
    listener = resolve;
  });
  signal.addEventListener('abort', listener, { once: true });
  return { promise, forget: () => signal.removeEventListener('abort', listener) };
}

/** Runs the agent's loop: idles on none, executes on some, never on what left the space meanwhile. */
import { isDeepStrictEqual } from 'node:util';
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { type Checks, checkSettings, fn, having, signal as isSignal } from '../domain/settings.ts';
import type { AgentPolicy, Observer } from './agent-policy.ts';

/** Parts of `runAgentLoop`: the source of actions, the policy that chooses, and the function that executes. */
export interface AgentLoop {
  /** Computes what can be executed now. Asked before each choice, and again before each execution. */
  actionSpace(): ActionSpace | Promise<ActionSpace>;
  snapshot(): AgentSnapshot | Promise<AgentSnapshot>;
  /** Executes one action against the contract. An error ends the loop. */
  execute(action: Action): Promise<unknown>;
  readonly policy: AgentPolicy;
  /** Ends the loop: nothing is executed after it, and whoever is asked is let go. */
  readonly signal: AbortSignal;
  /** Waits until the next cycle is worth it. */
  idle(why: 'none' | 'left-space'): Promise<unknown>;
  /** Is told how each choice came about. */
  readonly observe?: Observer | undefined;
}

/** Runs until the signal is aborted. */
export async function runAgentLoop(loop: AgentLoop): Promise<void> {
  checkSettings(loop, LOOP_CHECKS, { of: 'loop', required: LOOP_NEEDS });
  const { signal } = loop;
  const aborted = abortion(signal);
  try {
    while (!signal.aborted) {
      const cycle = oneCycle(loop).catch((error: unknown) => {
        // A choice that was called off throws the reason why; the loop ends by itself then.
        if (!signal.aborted) throw error;
      });
      await Promise.race([cycle, aborted.promise]);
    }
  } finally {
    aborted.forget();
  }
}

const LOOP_CHECKS: Checks<AgentLoop> = {
  actionSpace: fn,
  snapshot: fn,
  execute: fn,
  policy: having('choose'),
  signal: isSignal,
  idle: fn,
  observe: fn,
};
const LOOP_NEEDS = ['actionSpace', 'snapshot', 'execute', 'policy', 'signal', 'idle'] as const;

async function oneCycle({ actionSpace, snapshot, execute, policy, signal, idle, observe }: AgentLoop): Promise<void> {
  const space = await actionSpace();
  const chosen = await policy.choose(space, await snapshot(), { signal, observe });
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

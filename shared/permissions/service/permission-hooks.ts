/** Asks hooks about a call, and joins their answers. */
import type { HookFact } from '../model/types.ts';

/** A `PermissionRequest` hook: blocks, decides, overrides the mode for this call, or falls through with `undefined`. */
export type PermissionHook = (call: {
  readonly toolName: string;
  readonly input: unknown;
}) => HookAnswer | Promise<HookAnswer>;

/** A hook's answer to a call; `undefined` leaves the call to the other hooks and stages. */
export type HookAnswer =
  | undefined
  | { readonly block: true; readonly reason?: string | undefined }
  | {
      readonly decision: 'allow' | 'deny' | 'ask';
      readonly reason?: string | undefined;
      readonly modeOverride?: string | undefined;
    }
  | { readonly modeOverride: string };

/**
 * A block of any hook wins, then a denial, then an allow; of several modes the last one counts. A hook that throws, or says what nobody can
 * read, makes the call at least ask.
 */
export async function askHooks(
  hooks: readonly PermissionHook[],
  call: Parameters<PermissionHook>[0],
): Promise<{ readonly fact?: HookFact | undefined; readonly mode?: string | undefined }> {
  let fact: HookFact | undefined;
  let mode: string | undefined;
  for (const hook of hooks) {
    const heard = await askHook(hook, call);
    if (heard.fact?.decision === 'block') return { fact: heard.fact };
    mode = heard.mode ?? mode;
    if (heard.fact) fact = strongest(fact, heard.fact);
  }
  return { fact, mode };
}

interface Heard {
  readonly fact?: HookFact;
  readonly mode?: string;
}

const failed = (reason: string): HookFact => ({ decision: 'failed', reason });
const UNREADABLE: Heard = { fact: failed('A hook gave no answer that can be read') };
const DECISIONS: readonly unknown[] = ['allow', 'deny', 'ask'];

/** Never throws. Hooks may be anybody's: an answer of no known kind is a failure, and no falling through. */
async function askHook(hook: PermissionHook, call: Parameters<PermissionHook>[0]): Promise<Heard> {
  try {
    const answer = await hook(call);
    if (answer === undefined) return {};
    if ('block' in answer) return { fact: { decision: 'block', reason: answer.reason } };
    const { modeOverride: mode } = answer;
    if (mode !== undefined && typeof mode !== 'string') return UNREADABLE;
    const named = mode === undefined ? {} : { mode };
    if (!('decision' in answer)) return mode === undefined ? UNREADABLE : named;
    const { decision, reason } = answer;
    return DECISIONS.includes(decision) ? { ...named, fact: { decision, reason } } : { ...UNREADABLE, ...named };
  } catch {
    return { fact: failed('A hook failed') };
  }
}

const STRENGTH = { block: 5, deny: 4, failed: 3, human: 3, ask: 2, allow: 1, pass: 0 } as const;

/** A failure or an ask undoes another hook's allow; the first of equals is told. */
function strongest(a: HookFact | undefined, b: HookFact): HookFact {
  return a === undefined || STRENGTH[b.decision] > STRENGTH[a.decision] ? b : a;
}

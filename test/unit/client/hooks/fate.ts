/** Tells what programs do with a call after its hook ended so. */

/** The end of a hook: a process, or an HTTP exchange. */
export type HookEnd =
  | { readonly code: number | null; readonly out: string; readonly err: string }
  | { readonly status: number; readonly body: string }
  | 'cannot start'
  | 'timed out';

/** `other rules`: the program's own rules decide, as if there were no hook. */
export type Fate = 'runs' | 'blocked' | 'other rules';

interface Output {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: unknown;
    readonly decision?: { readonly behavior?: string; readonly updatedInput?: unknown };
  };
}

/** As seen with Claude Code 2.1.330: without `onFailure: 'block'` a hook that fails lets the call go on. */
export function fateInClaude(end: HookEnd, onFailure?: 'block'): Fate {
  const failed = onFailure === 'block' ? 'blocked' : 'runs';
  if (typeof end === 'string') return failed;
  if ('status' in end) return end.status >= 200 && end.status < 300 ? decidedIn(end.body) : failed;
  if (end.code === 2) return 'blocked';
  return end.code === 0 ? decidedIn(end.out) : failed;
}

function decidedIn(text: string): Fate {
  if (text.trim() === '') return 'other rules';
  const output = parsed(text);
  // Text that is no JSON counts as words for the log.
  if (!output) return 'runs';
  const { permissionDecision, decision } = output.hookSpecificOutput ?? {};
  const chosen = permissionDecision ?? decision?.behavior;
  return chosen === 'deny' ? 'blocked' : chosen === 'allow' ? 'runs' : 'other rules';
}

/** As read in the source of Codex, which has no switch: whatever is neither an exit with 2 and a reason, nor a `deny` with a reason, lets the call go on. */
export function fateInCodex(end: HookEnd): Fate {
  if (typeof end === 'string' || 'status' in end) return 'runs';
  if (end.code === 2) return end.err.trim() === '' ? 'runs' : 'blocked';
  const { permissionDecision, permissionDecisionReason, decision } = parsed(end.out)?.hookSpecificOutput ?? {};
  if (end.code !== 0) return 'runs';
  if (decision) return decision.behavior === 'deny' ? 'blocked' : 'runs';
  return permissionDecision === 'deny' && permissionDecisionReason?.trim() ? 'blocked' : 'runs';
}

/** Whether Codex takes an output for an error: it knows no bare `allow`, and no other input of a permission request. */
export function isErrorInCodex(text: string): boolean {
  const { permissionDecision, updatedInput, decision } = parsed(text)?.hookSpecificOutput ?? {};
  if (decision) return decision.updatedInput !== undefined;
  return permissionDecision === 'ask' || (permissionDecision === 'allow') !== (updatedInput !== undefined);
}

function parsed(text: string): Output | undefined {
  try {
    return Object(JSON.parse(text)) as Output;
  } catch {
    return undefined;
  }
}

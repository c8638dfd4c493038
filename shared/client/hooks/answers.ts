/** Writes decisions in the words of a program's hook. */
import type { CallDecision } from '../calls/calls.ts';
import { otherArguments } from '../running/change.ts';
import type { HookEvent } from './input.ts';
import type { HookProgram } from './programs.ts';

/** The decision within the answer to a PreToolUse hook. */
interface Answer {
  readonly permissionDecision: 'allow' | 'deny' | 'defer';
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: Record<string, unknown>;
  readonly additionalContext?: string;
}

export const preToolUse = (answer: Answer) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse' as const, ...answer },
});

const permissionRequest = (decision: { readonly behavior: 'allow' | 'deny'; readonly message?: string }) => ({
  hookSpecificOutput: { hookEventName: 'PermissionRequest' as const, decision },
});

/** Codex knows no bare `allow`: a hook that does not object lets the call go on. */
const UNOBJECTED = { hookSpecificOutput: { hookEventName: 'PreToolUse' as const } };

/** The JSON that a hook prints. */
export type HookOutput = ReturnType<typeof preToolUse | typeof permissionRequest> | typeof UNOBJECTED;

/** The call may not run; `reason` is for the model. */
export const denied = (event: HookEvent, reason: string): HookOutput =>
  event === 'PreToolUse'
    ? preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason })
    : permissionRequest({ behavior: 'deny', message: reason });

/** Claude Code and the Claude Agent SDK run the call with the input that the hook gives. */
export function claudePreToolUse(decision: CallDecision) {
  if (decision.outcome !== 'approved')
    return preToolUse({ permissionDecision: 'deny', permissionDecisionReason: decision.message });
  const { change, input: updatedInput } = decision;
  const edit = change === undefined ? {} : { updatedInput, additionalContext: change };
  return preToolUse({ permissionDecision: 'allow', ...edit });
}

/** The hook's answer to an event of a program. */
export function outputOf(decision: CallDecision, event: HookEvent, program: HookProgram): HookOutput {
  if (decision.outcome !== 'approved') return denied(event, decision.message);
  if (program === 'claude' && event === 'PreToolUse') return claudePreToolUse(decision);
  // A permission request takes no other input. Codex takes one since a version that its hooks do not tell, and older ones run the call as proposed.
  if (decision.edited) return denied(event, otherArguments(decision.input));
  return event === 'PermissionRequest' ? permissionRequest({ behavior: 'allow' }) : UNOBJECTED;
}

/** Names the programs whose hooks the gate answers, with the facts that settings need. */

/** Programs with hooks: both send the same JSON, and read answers of their own. */
export const HOOK_PROGRAMS = ['claude', 'codex'] as const;
export type HookProgram = (typeof HOOK_PROGRAMS)[number];

/** Seconds that a hook may run: as long as an approval that nobody watches for longer. */
export const HOOK_TIMEOUT_S = 86_400;
/** The wait ends before the program ends the hook, so that a call that nobody answered is withdrawn and refused with a reason. */
export const HOOK_WAIT_MS = (HOOK_TIMEOUT_S - 5 * 60) * 1_000;

/** The oldest Claude Code whose hooks were seen to block a call when they fail (`onFailure`). */
export const CLAUDE_CODE_VERSION = '2.1.330';

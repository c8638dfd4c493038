/** Asks a permission hook about one call (A11). What fails, is late or answers anything else than the words below never allows (G9). */
import * as z from 'zod';
import type { HookSettings } from '../config/hooks.ts';
import { type HookEntry, mode, text } from '../contract/index.ts';
import { readIJson } from '../domain/raw-json.ts';
import type { HookCaller, HookTarget } from '../ports/hook-caller.ts';
import type { KernelPorts } from './judge.ts';
import type { HookNeed } from './need.ts';
import { type After, within } from './within.ts';

/** Only `deliberate` can ask (A18b). */
export interface Hooks {
  readonly caller: HookCaller;
  readonly after: After;
}

type Answered = Pick<HookEntry, 'type' | 'by' | 'answer'>;

/** Undefined: a hook has to be asked, and nobody here can. */
export async function askHook(
  need: HookNeed,
  pid: string,
  { policy, hooks }: KernelPorts & { readonly hooks?: Hooks | undefined },
): Promise<Answered | undefined> {
  if (!hooks) return undefined;
  const settings = policy.settings.hooks[need.hook];
  if (!settings) return failed(need, 'the policy file no longer lists the hook');
  const body = JSON.stringify(requestOf(need, pid));
  try {
    const said = await within(settings.timeout, hooks.after, (signal) =>
      hooks.caller.call(targetOf(settings), body, signal),
    );
    return said === 'late' ? failed(need, 'no answer in time') : readAnswer(need, said);
  } catch (error) {
    return failed(need, error instanceof Error ? error.name.slice(0, 100) : 'an error');
  }
}

const failed = ({ hook }: HookNeed, why: string): Answered => ({
  type: 'hook',
  by: hook,
  answer: { state: 'failed', why },
});

function targetOf({ url, secret, function: name }: HookSettings): HookTarget {
  if (name !== undefined) return { kind: 'function', name };
  if (url === undefined || secret === undefined) throw new Error('the hook has no target');
  return { kind: 'url', url, secret };
}

/** The names that hooks of agents know already (interfaces.md, "Claude Agent SDK"). The agent's own words about its call are left out. */
const requestOf = ({ call, cwd, level, mode: under }: HookNeed, pid: string) => ({
  hook_event_name: 'PermissionRequest',
  request_id: `${pid}.${call.id}`,
  session_id: level.sessionId,
  agent_id: level.agent,
  permission_mode: under,
  cwd,
  tool_name: call.toolName,
  tool_use_id: call.id,
  tool_input: call.input,
});

const MOST_CHARACTERS = 64 * 1024;
const reason = text(1000).optional();
const plainAnswer = z.strictObject({
  decision: z.enum(['block', 'deny', 'allow', 'ask', 'pass']).optional(),
  reason,
  mode: mode.optional(),
});
/** What a hook written for Claude Code answers. */
const agentAnswer = z.strictObject({
  hookSpecificOutput: z.strictObject({
    hookEventName: z.literal('PermissionRequest'),
    decision: z.strictObject({ behavior: z.enum(['allow', 'deny']), message: reason }),
  }),
});

function readAnswer(need: HookNeed, said: string): Answered {
  const json = readIJson(said, MOST_CHARACTERS);
  if (!json.ok) return failed(need, 'the answer is not JSON');
  const native = agentAnswer.safeParse(json.value);
  const parsed = native.success
    ? {
        decision: native.data.hookSpecificOutput.decision.behavior,
        reason: native.data.hookSpecificOutput.decision.message,
      }
    : plainAnswer.safeParse(json.value).data;
  if (!parsed) return failed(need, 'the answer is not one that a hook may give');
  return { type: 'hook', by: need.hook, answer: { state: 'answered', ...parsed, decision: parsed.decision ?? 'pass' } };
}

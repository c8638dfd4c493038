/** Reads the JSON that a program hands to its hook before it runs a tool. */
import * as z from 'zod';
import { jsonObject, LIMITS, text } from '../../contract/primitives.ts';
import { CountersignError } from '../../domain/errors.ts';
import { fieldOf, jsonWords } from '../../domain/issue-messages.ts';
import { readIJson } from '../../domain/raw-json.ts';

/** The events that are asked before a tool runs. Programs send others to hooks that are configured for them. */
const EVENTS = ['PreToolUse', 'PermissionRequest'] as const;
export type HookEvent = (typeof EVENTS)[number];

/** Bytes of one hook's input: a call as large as the gate takes, and the fields around it. */
export const MAX_HOOK_BYTES = 2 * LIMITS.messageBytes;

const name = text(1_000).min(1, 'must not be empty');

const common = { session_id: name, cwd: text(4096).optional(), tool_name: name, tool_input: jsonObject };

/** Programs add fields from version to version: those beside these are ignored. */
export const hookInput = z.discriminatedUnion('hook_event_name', [
  z.object({
    hook_event_name: z.literal('PreToolUse'),
    ...common,
    tool_use_id: name.describe('The same when the hook runs again for this call.'),
  }),
  z.object({ hook_event_name: z.literal('PermissionRequest'), ...common }),
]);

/** One call as a hook was asked about it. */
interface HookCall {
  readonly event: HookEvent;
  readonly session: string;
  /** Undefined where the event names no call; every question about such a call is a new one. */
  readonly callId: string | undefined;
  readonly cwd: string | undefined;
  readonly tool: string;
  readonly input: object;
}

/** The hook was handed something else than a call. */
class HookInputError extends CountersignError {
  override readonly name = 'HookInputError';
}

/** @throws HookInputError that names the field */
export function readHook(raw: string): HookCall {
  const read = readIJson(raw, MAX_HOOK_BYTES);
  if (!read.ok) throw new HookInputError(read.fault.code, `the hook's input: ${read.fault.message}`);
  const { hook_event_name: event } = Object(read.value) as { readonly hook_event_name?: unknown };
  if (typeof event === 'string' && !EVENTS.some((known) => known === event))
    throw new HookInputError(
      'unknown_event',
      `hook_event_name: ${JSON.stringify(event.slice(0, 40))} is no event that asks about a call (${EVENTS.join(', ')})`,
    );
  const parsed = hookInput.safeParse(read.value, { error: jsonWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new HookInputError('invalid_hook', `${fieldOf(issue?.path ?? []) || "the hook's input"}: ${issue?.message}`);
  }
  const { hook_event_name, session_id: session, cwd, tool_name: tool, tool_input: input } = parsed.data;
  const callId = parsed.data.hook_event_name === 'PreToolUse' ? parsed.data.tool_use_id : undefined;
  return { event: hook_event_name, session, callId, cwd, tool, input };
}

/** Brackets, and texts with the colon behind those that are keys. A text without an end reaches to the end of the input. */
const TOKENS = /[[{\]}]|"((?:[^"\\]+|\\.?)*)(?:"|$)(\s*:)?/gs;

/**
 * The event that an input names which is broken, cut or of a call that cannot be decided: a program takes no answer that names another one.
 * The arguments of the call are the model's, and may hold a field of the same name.
 */
export function eventNear(raw: string): HookEvent {
  let depth = 0;
  let isNamed = false;
  for (const [token, text, colon] of raw.matchAll(TOKENS)) {
    if (text === undefined) depth += token === '{' || token === '[' ? 1 : -1;
    else if (isNamed) return text === 'PermissionRequest' ? 'PermissionRequest' : 'PreToolUse';
    isNamed = depth === 1 && colon !== undefined && text === 'hook_event_name';
  }
  return 'PreToolUse';
}

/** Tells which names a tool may have (D15). */

const OBJECT_MEMBERS: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);
const MAX_NAME = 128;

/** The names that a tool may have, in words. */
export const TOOL_NAMES = 'a tool name holds letters, digits, "_", "." and "-" only';

/** At most 128 characters, and no member of `Object.prototype`. */
export function isToolName(name: unknown): name is string {
  return (
    typeof name === 'string' && name.length <= MAX_NAME && !OBJECT_MEMBERS.has(name) && /^[A-Za-z0-9_.-]+$/.test(name)
  );
}

/** Why no call may have such a name, as a clause. */
export function notAName(name: unknown): string {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (name.length > MAX_NAME) return `a tool name has at most ${MAX_NAME} characters`;
  return OBJECT_MEMBERS.has(name) ? 'JavaScript has this name for a member of objects' : TOOL_NAMES;
}

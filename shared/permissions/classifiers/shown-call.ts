/** Prepares a call for a model: the input without comments, and whether it leaves the project. */
import { normalisePath } from '../paths/normalise.ts';

/** The input without the comments of the agent, and which fields those were. */
export function withoutComments(
  input: unknown,
  comments: readonly string[],
): { shown: unknown; leftOut: readonly string[] } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { shown: input, leftOut: [] };
  const leftOut = comments.filter((name) => Object.hasOwn(input, name));
  return { shown: Object.fromEntries(Object.entries(input).filter(([key]) => !leftOut.includes(key))), leftOut };
}

/** Whether a call runs outside of the project; where either is unknown nobody can tell. */
export function isOutside(cwd: string | undefined, projectRoot: string | undefined): boolean {
  if (cwd === undefined || projectRoot === undefined) return false;
  return !normalisePath(cwd, { cwd: projectRoot, projectRoot, home: '/' }).insideRoot;
}

/** Whether accept-edits takes what a command writes for edits of those files (D6, rules.md "Commands"). */
import { judgePath, type PathContext } from '../paths/normalise.ts';
import { type PreparedCall, prepareCall } from '../prepare.ts';
import { firingRules } from '../rules/match.ts';
import { UNKNOWN } from '../shell/fields.ts';
import { isFileWriter } from '../tools.ts';
import { floorOf } from './floor.ts';

/** A file that a command writes: a `PathWord`, or a redirection's target. */
export interface WrittenPath {
  readonly path: string;
  /** Present if the word is a glob. */
  readonly glob?: unknown;
  /** Where a relative path starts. */
  readonly dir: string;
  /** False where that folder is outside of the project or not known. */
  readonly dirAllowed?: boolean | undefined;
}

/**
 * Each path is literal, unprotected and inside the project root, and an `Edit` of it meets no deny or ask rule.
 * @param now epoch milliseconds
 */
export function acceptsAsEdits(prepared: PreparedCall, written: readonly WrittenPath[], now: number): boolean {
  return prepared.call.mode === 'acceptEdits' && written.every((each) => acceptsAsEdit(prepared, each, now));
}

function acceptsAsEdit({ call, context }: PreparedCall, written: WrittenPath, now: number): boolean {
  const { path, glob, dir } = written;
  if (path === '' || glob !== undefined || path.includes(UNKNOWN) || written.dirAllowed === false) return false;
  const at: PathContext = { ...context, cwd: dir };
  const judged = judgePath(path, at);
  if (!judged.insideRoot || call.protected.matchPath(judged, at) !== undefined) return false;
  const lookup = call.tools.lookup('Edit');
  if (lookup.kind === 'refused' || !isFileWriter(lookup.entry)) return false;
  const edit = prepareCall({ ...call, toolName: 'Edit', input: { file_path: path }, cwd: dir }, lookup);
  return (
    floorOf(edit, now) === undefined &&
    firingRules('deny', edit, now).length === 0 &&
    firingRules('ask', edit, now).length === 0
  );
}

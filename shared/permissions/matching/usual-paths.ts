/** Finds variables of a command that usually lead to a protected file. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { mayWrite } from './match.ts';

/** A sentence that says so, for people. */
export function usualPath(prepared: PreparedCall): string | undefined {
  for (const { path, dir, access, variable } of prepared.shell?.usualPaths ?? []) {
    const done = mayWrite(prepared, access) ? 'write' : 'read';
    const hit = prepared.call.protected.matchPath(prepared.normalised(path, dir), prepared.context, done);
    if (hit !== undefined)
      return `The variable ${variable} usually leads to a protected file (${hit}): name the file, or a person decides.`;
  }
  return undefined;
}

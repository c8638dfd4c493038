/**
 * Runs stage 0: protected paths, in every mode, for reads and writes; some for writes only.
 * Nothing lifts it.
 */
import type { CallPath, PreparedCall } from '../call/prepared-call.ts';
import { mayWrite } from '../matching/match.ts';
import type { Access } from '../protected/protected-paths.ts';
import { decide, pass, type Stage, severityOf } from './stage.ts';

export const protectedPathsStage: Stage = {
  name: 'protected_paths',
  looked: 'every path of the call, in every spelling',
  run({ prepared }) {
    for (const each of prepared.paths) {
      const hit = protectedBy(each, prepared, mayWrite(prepared, each.access) ? 'write' : 'read');
      if (hit === undefined) continue;
      return decide({
        verdict: 'deny',
        reason: 'protected_path',
        source: 'protected_paths',
        code: 'protected_path',
        message: messageOf(each, prepared, hit),
        severity: severityOf(prepared),
      });
    }
    return pass(
      prepared.paths.length === 0 ? 'the call names no path' : `none of ${prepared.paths.length} paths is protected`,
    );
  },
};

function protectedBy(
  { glob, path, context, isFolder }: CallPath,
  { call }: PreparedCall,
  access: Access,
): string | undefined {
  const checker = call.protected;
  // A command that may write in a folder that it may only read asks (`minimum-verdict.ts`): a look at its files is no harm.
  const done = isFolder ? 'read' : access;
  if (glob === undefined) return checker.matchPath(path, context, done);
  // A glob that only may name one is no reason to deny: its minimum verdict asks a person.
  const hit = checker.matchGlob(path.stated, glob, context, done);
  return hit?.certain === true ? hit.pattern : undefined;
}

function messageOf(each: CallPath, prepared: PreparedCall, hit: string): string {
  if (protectedBy(each, prepared, 'read') === undefined)
    return `The call may write a protected path (${hit}). It may be read and not written, and no approval changes that.`;
  const does = each.isFolder ? 'runs within' : 'names';
  return `The call ${does} a protected path (${hit}). Protected paths are neither read nor written, and no approval changes that.`;
}

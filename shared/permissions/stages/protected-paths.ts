/** Stage 0 (D3): protected paths, in every mode, for reads and writes. Nothing lifts it. */
import { globFolder } from '../paths/protected.ts';
import { decide, pass, type Stage, severityOf } from './stage.ts';

export const protectedPathsStage: Stage = {
  name: 'protected_paths',
  looked: 'every path of the call, in every spelling',
  run({ prepared }) {
    const checker = prepared.call.protected;
    for (const each of prepared.paths) {
      const hit =
        each.glob === undefined
          ? checker.matchPath(each.path, each.context)
          : checker.matchGlob(each.glob, globFolder(each.path.stated, each.context));
      if (hit === undefined) continue;
      return decide({
        verdict: 'deny',
        reason: 'protected_path',
        source: 'protected_paths',
        code: 'protected_path',
        message: `The call ${each.isFolder ? 'runs within' : 'names'} a protected path (${hit}). Protected paths are neither read nor written, and no approval changes that.`,
        severity: severityOf(prepared),
      });
    }
    return pass(
      prepared.paths.length === 0 ? 'the call names no path' : `none of ${prepared.paths.length} paths is protected`,
    );
  },
};

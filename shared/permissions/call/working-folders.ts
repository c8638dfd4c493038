/** States the folders in which the library reads calls, with defaults for those not stated. */
import type { CallContext } from './call-context.ts';

const DEFAULT_HOME = '/home/user';

type WorkingFolders = Pick<CallContext, 'cwd' | 'projectRoot' | 'home' | 'hasProjectRoot'>;

/**
 * A stated folder is the project, unless another one is stated. Without either, relative paths are read in a folder below the home, so that
 * `rm -rf build` is no top-level folder, and nothing lies inside the project: reading and editing files asks.
 */
export function workingFolders(stated: {
  readonly cwd?: string | undefined;
  readonly projectRoot?: string | undefined;
  readonly home?: string | undefined;
}): WorkingFolders {
  const home = stated.home ?? DEFAULT_HOME;
  const projectRoot = stated.projectRoot ?? stated.cwd;
  if (projectRoot !== undefined) return { cwd: stated.cwd ?? projectRoot, projectRoot, home };
  const assumed = `${home}/project`;
  return { cwd: assumed, projectRoot: assumed, home, hasProjectRoot: false };
}

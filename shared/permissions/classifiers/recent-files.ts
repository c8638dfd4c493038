/** Names recent files inside the project to a model, and counts the others. */
import { normalisePath } from '../paths/normalise.ts';

/** The length of a name, in characters. */
const MAX_NAME = 200;
/** A name of other characters may be a sentence that an agent wrote for the model. */
const PLAIN_NAME = /^[\p{L}\p{N}._@+~/()[\]-]+$/u;

interface RecentFiles {
  readonly inside: readonly string[];
  /** How many are outside, or bear a name that is no plain one. */
  readonly others: number;
}

/** Without a project root no file is known to be inside. */
export function recentFilesOf(files: readonly string[], projectRoot: string | undefined): RecentFiles {
  const named = new Set<string>();
  let others = 0;
  for (const file of files) {
    const name = projectRoot === undefined ? undefined : nameInside(file, projectRoot);
    if (name === undefined) others += 1;
    else named.add(name);
  }
  return { inside: [...named], others };
}

function nameInside(file: string, projectRoot: string): string | undefined {
  const { exact, insideRoot } = normalisePath(file, { cwd: projectRoot, projectRoot, home: '/' });
  const [path] = exact;
  if (!insideRoot || exact.length !== 1 || !path) return undefined;
  const root = normalisePath(projectRoot, { cwd: '/', projectRoot: '/', home: '/' }).exact[0] ?? [];
  const name = path.slice(root.length).join('/');
  return name.length <= MAX_NAME && PLAIN_NAME.test(name) ? name : undefined;
}

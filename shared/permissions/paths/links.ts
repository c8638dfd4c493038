/** Follows symbolic links of a stated file system: the path and its target both count. */
import type { FileSystemView } from '../model/types.ts';
import { foldText } from '../text/characters.ts';

const MAX_LINKS = 40;

interface LinkContext {
  readonly cwd: string;
  readonly fs?: FileSystemView | undefined;
}

function absolute(path: string, base: readonly string[]): string[] {
  const result: string[] = path.startsWith('/') ? [] : [...base];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') result.pop();
    else result.push(part);
  }
  return result;
}

/** Where `path` leads, links in its folders included, and its `..` after them; `undefined` for a loop or a target that is not a text. */
export function followLinks(path: readonly string[], context: LinkContext): string[] | undefined {
  const cwd = absolute(context.cwd, []);
  const keyOf = (parts: readonly string[]) =>
    context.fs?.caseInsensitive ? foldText(parts.join('/')) : parts.join('/');
  const links = new Map<string, unknown>();
  // No link is deeper: a key for each of many folders would take minutes.
  let deepest = 0;
  for (const [from, to] of Object.entries(context.fs?.symlinks ?? {})) {
    const parts = absolute(from, cwd);
    deepest = Math.max(deepest, parts.length);
    links.set(keyOf(parts), to);
  }

  let done: string[] = [];
  let rest = [...path];
  let followed = 0;
  while (rest.length > 0) {
    const next = rest.shift() as string;
    if (next === '..') {
      done.pop();
      continue;
    }
    const key = done.length < deepest ? keyOf([...done, next]) : undefined;
    if (key === undefined || !links.has(key)) {
      done.push(next);
      continue;
    }
    const target = links.get(key);
    followed += 1;
    if (typeof target !== 'string' || target === '' || followed > MAX_LINKS) return undefined;
    if (target.startsWith('/')) done = [];
    rest = [...target.split('/').filter((part) => part !== '' && part !== '.'), ...rest];
  }
  return done;
}

/** Whether links on the way make a folder another one than is written; a link that cannot be resolved does, too. */
export function leadsElsewhere(folder: string, fs: FileSystemView | undefined): boolean {
  const written = absolute(folder, []);
  return followLinks(written, { cwd: folder, fs })?.join('/') !== written.join('/');
}

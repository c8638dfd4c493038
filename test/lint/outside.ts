/** Finds what tracked files read, import or mention outside of the repository. */
import { posix } from 'node:path';

interface Outside {
  readonly file: string;
  readonly line: number;
  /** The path as written. */
  readonly path: string;
}

/** Compares the copied cases with their original, and passes where there is none. */
const MAY_LOOK_OUTSIDE = 'test/conformance/origin.test.ts';

/** Paths are data here, as in a command that reads `..`: what these files read or import is looked at, and not what they mention. */
const PATHS_ARE_DATA = [
  'shared/permissions/',
  'test/conformance/benign',
  'test/conformance/cases/',
  'test/unit/permissions/',
];

/** `from '…'`, `import '…'`, `import('…')`, `require('…')`, `mock('…')`, `new URL('…', import.meta.url)`: from the file's folder. */
const LOADED = /\b(?:from|import|mock|require|URL)\b\s*\(?\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`)/g;
/** `join(import.meta.dirname, '…', '…')` is from the file's folder, `join(ROOT, '…')` and `readFileSync('…')` from the root. */
const JOINED =
  /\b(?:join|resolve|exists\w*|open\w*|read[A-Z]\w*|stat\w*)\(\s*(?:(import\.meta\.dirname|process\.cwd\(\)|\w*ROOT\w*)\s*,\s*)?((?:(?:'[^'\n]*'|"[^"\n]*"|`[^`\n]*`)\s*,?\s*)+)/g;
const QUOTED = /'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`/g;
/** A relative path that climbs, which is no further part of a longer one. */
const MENTIONED = /(?<![\w./$}~-])(?:\.\/)*\.\.(?:\/[\w.@*+-]+)+/g;
const COMMENT = /^\s*(?:\*|\/\/|\/\*|#|<!--)/;
const PROSE = /\.(?:md|html|txt)$/;

/** Whether a path from `folder` ends above the root of the repository. */
const climbs = (folder: string, path: string): boolean => /^\.\.(?:\/|$)/.test(posix.join(folder, path));

interface Found {
  readonly index: number;
  readonly path: string;
}

const firstOf = (groups: readonly (string | undefined)[]): string => groups.find((each) => each !== undefined) ?? '';

function loadedIn(text: string, folder: string): Found[] {
  return [...text.matchAll(LOADED)]
    .map((match) => ({ index: match.index, path: firstOf(match.slice(1)) }))
    .filter(({ path }) => path.startsWith('file:/') || (path.startsWith('.') && climbs(folder, path)));
}

function joinedIn(text: string, folder: string): Found[] {
  return [...text.matchAll(JOINED)]
    .map(({ index, 1: base, 2: parts = '' }) => ({
      index,
      base: base === 'import.meta.dirname' ? folder : '',
      path: [...parts.matchAll(QUOTED)].map((match) => firstOf(match.slice(1))).join('/'),
    }))
    .filter(({ base, path }) => climbs(base, path));
}

/** Code, and a link of a document, writes a path from its own folder. Prose and comments write it from the root, where all that climbs leaves it. */
function mentionedIn(text: string, folder: string, isProse: boolean): Found[] {
  return [...text.matchAll(MENTIONED)]
    .map(({ index, 0: path }) => ({ index, path }))
    .filter(({ index, path }) => {
      const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
      const isFromRoot = !line.endsWith('](') && (isProse || COMMENT.test(line));
      return climbs(isFromRoot ? '' : folder, path);
    });
}

/** Every occurrence of a folder of this machine that is not the end of a longer path. */
function machineIn(text: string, machinePaths: readonly string[]): Found[] {
  return machinePaths.flatMap((path) => {
    const found: Found[] = [];
    for (let index = text.indexOf(`${path}/`); index >= 0; index = text.indexOf(`${path}/`, index + 1)) {
      if (!/[\w.~-]/.test(text.charAt(index - 1))) found.push({ index, path });
    }
    return found;
  });
}

/**
 * Every line of a file that leaves the repository, with the first such path.
 * @param file path from the root, with `/` between its parts
 * @param machinePaths absolute folders that no file may name, without a `/` at their end
 */
export function pathsOutside(file: string, text: string, machinePaths: readonly string[] = []): Outside[] {
  if (file === MAY_LOOK_OUTSIDE) return [];
  const folder = posix.dirname(file);
  const isData = PATHS_ARE_DATA.some((start) => file.startsWith(start));
  const found = [
    ...loadedIn(text, folder),
    ...joinedIn(text, folder),
    ...(isData ? [] : mentionedIn(text, folder, PROSE.test(file))),
    ...machineIn(text, machinePaths),
  ];
  const places = found.map(({ index, path }) => ({ file, line: text.slice(0, index).split('\n').length, path }));
  return places.filter(({ line }, index) => places.findIndex((each) => each.line === line) === index);
}

/** Folders that many machines have, and that rules, cases and documents use as examples. */
const COMMON_FOLDERS = [
  '/',
  '/app',
  '/builds',
  '/code',
  '/data',
  '/etc',
  '/home',
  '/home/agent',
  '/home/u',
  '/home/user',
  '/mnt',
  '/opt',
  '/project',
  '/repo',
  '/root',
  '/src',
  '/srv',
  '/tmp',
  '/Users',
  '/usr',
  '/var',
  '/workspace',
  '/workspace/app',
];

/** The folders that only this machine has: its checkouts, and the folder around each. */
export function machinePathsOf(checkouts: readonly string[]): string[] {
  const all = checkouts.flatMap((root) => [root, posix.dirname(root)]);
  return [...new Set(all)].filter((path) => !COMMON_FOLDERS.includes(path));
}

/** Tells which keys of a tool's input hold paths, globs or patches. */

/**
 * `path`: a path, whatever it looks like. `maybe`: a path if it looks like one. `command`: words of a command.
 * `prose`: text for people or a model, which may speak of any file. `other`: anything else.
 */
export type KeyKind = 'path' | 'maybe' | 'command' | 'prose' | 'other';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const PATHS = set(
  'path paths file files filepath filename filenames directory directories dir dirs folder folders cwd workdir workspace root source src dest dst destination target output from to oldpath newpath notebookpath uri',
);
const MAYBE = set(
  'in out input inputs outputs location locations document documents doc resource resources save saveto saveas attachment attachments artifact link href image config module script entry include base',
);
const COMMANDS = set('command commands cmd args argv arguments commandline script');
const PROSE = set(
  'text note notes message messages body content contents description title summary comment comments prompt query question answer reason subject label caption old_string new_string oldstring newstring newsource cellsource code html markdown sql value',
);
/** Keys of globs, alone or listed at blanks and commas; what is left out is not looked at. */
const GLOBS = set('glob globs include includes');
/** A glob for one program, and a text to search for another: only one word is looked at. */
const PATTERNS = set('pattern patterns');
const LEFT_OUT = set('exclude excludes excluded ignore ignores ignored');
/** With these a key of exclusions names several of them, and no file that lists them (`ignoreFile`, `exclude_from`). */
const SEVERAL = set('pattern patterns glob globs paths files dirs directories folders names');
/** Ends of keys that are written as one word, as `outfile` is. A profile is no file, and under `dockerfile` its lines may stand. */
const ENDING = /(?:paths?|filename|(?<!pro|docker|make)files?|director(?:y|ies)|dirs?|folders?|uri)$/;

/** `targetFile`, `target-file` and `TARGET_FILE` are `target` and `file`. */
export function keyWords(key: string): string[] {
  const words: string[] = [];
  let word = '';
  let lower = false;
  for (const char of key) {
    const isUpper = char !== char.toLowerCase();
    const isLetter = isUpper || char !== char.toUpperCase() || (char >= '0' && char <= '9');
    if (!isLetter || (isUpper && lower)) {
      if (word !== '') words.push(word);
      word = '';
    }
    if (isLetter) word += char.toLowerCase();
    lower = isLetter && !isUpper;
  }
  if (word !== '') words.push(word);
  return words;
}

/** A tool leaves these alone, so that they are no paths that it is told to work on. */
function isExclusion(words: readonly string[]): boolean {
  return words.some((word) => LEFT_OUT.has(word)) && words.every((word) => LEFT_OUT.has(word) || SEVERAL.has(word));
}

function kindOf(words: readonly string[]): KeyKind {
  const plain = words.join('');
  const last = words.at(-1) ?? '';
  if (isExclusion(words)) return 'prose';
  // `new_source` of NotebookEdit holds code, and ends like a path.
  if (PROSE.has(plain)) return 'prose';
  if (PATHS.has(plain) || PATHS.has(last) || ENDING.test(plain)) return 'path';
  if (PROSE.has(last)) return 'prose';
  if (COMMANDS.has(plain)) return 'command';
  return words.some((word) => PATHS.has(word) || MAYBE.has(word)) || MAYBE.has(plain) ? 'maybe' : 'other';
}

type GlobKey = 'list' | 'word' | undefined;

function globsOf(words: readonly string[]): GlobKey {
  if (isExclusion(words)) return undefined;
  if (words.some((word) => GLOBS.has(word))) return 'list';
  return words.some((word) => PATTERNS.has(word)) ? 'word' : undefined;
}

interface KeyFacts {
  readonly kind: KeyKind;
  readonly globs: GlobKey;
}

const cache = new Map<string, KeyFacts>();
const MAX_CACHED = 512;

/** Remembered: the keys of a tool come again with every call. */
function factsOf(key: string): KeyFacts {
  let facts = cache.get(key);
  if (facts === undefined) {
    if (cache.size >= MAX_CACHED) cache.clear();
    const words = keyWords(key);
    facts = { kind: kindOf(words), globs: globsOf(words) };
    cache.set(key, facts);
  }
  return facts;
}

export const keyKind = (key: string): KeyKind => factsOf(key).kind;

/** Whether a key of a tool that the gate does not know holds globs: `fileGlobs`, `include`, `filePattern`. */
export const globKey = (key: string): GlobKey => factsOf(key).globs;

/** One word with a separator, a dot or a home sign in it, or a name that needs none (`id_rsa`). */
export function looksLikePath(text: string): boolean {
  let signs = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) return false;
    // `%`, `.`, `/`, `\`, `_`, `~`, and whatever only looks like one of them.
    signs ||= code > 0x7e || '%./\\_~$'.includes(text[at] as string);
  }
  return signs;
}

/** Words of a key that says where something goes, comes from or is changed, beside those of paths. */
const PLACES = set(
  'host hosts hostname hostnames url urls uris domain domains endpoint endpoints address addresses server servers proxy origin webhook callback registry recipient recipients cc bcc mailbox account accounts bucket buckets object key repo repository remote remotes branch branches ref refs tag image images table tables column database databases db schema collection index namespace cluster context region zone project org organization tenant subscription vault queue topic stream channel channels room device mount volume port ip',
);

/** Whether what stands under the key says where: a path, a glob, or a place of another kind, which people have to see. */
export function namesLocation(key: string): boolean {
  const kind = keyKind(key);
  if (kind === 'path' || kind === 'maybe') return true;
  return kind === 'other' && (globKey(key) !== undefined || keyWords(key).some((word) => PLACES.has(word)));
}

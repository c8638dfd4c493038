/** Reads globs of tools such as Glob and Grep as folded tokens; braces are expanded first. */
import { foldText } from '../text/characters.ts';
import { type GlobToken, literalTokens, matchesTokens } from '../text/glob.ts';
import { segmentTokens } from './pattern.ts';

export interface GlobWord {
  readonly path: string;
  readonly glob: readonly (readonly GlobToken[])[] | undefined;
}

const MAX_ALTERNATIVES = 64;
/** Braces of which the alternatives are the same (`{a,a}`) do not add to those, and yet each costs a look at the whole word. */
const MAX_ROUNDS = 16;

/** The alternatives of the first `{a,b}` that closes; a brace without a comma stands for itself, and the next one counts. */
function splitBrace(text: string): string[] | undefined {
  const open: number[][] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '{') open.push([at]);
    else if (char === ',') open.at(-1)?.push(at);
    else if (char === '}') {
      const [start, ...cuts] = open.pop() ?? [];
      if (start === undefined || cuts.length === 0) continue;
      const edges = [start, ...cuts, at];
      return edges
        .slice(1)
        .map((end, index) => text.slice(0, start) + text.slice((edges[index] as number) + 1, end) + text.slice(at + 1));
    }
  }
  return undefined;
}

/** `{a,b}` expanded; `undefined` when there are too many alternatives. */
export function expandBraces(text: string): string[] | undefined {
  let pending = [text];
  const done: string[] = [];
  for (let round = 0; pending.length > 0; round++) {
    const next = new Set<string>();
    for (const each of pending) {
      const parts = splitBrace(each);
      if (parts === undefined) done.push(each);
      else for (const part of parts) next.add(part);
    }
    if ((next.size > 0 && round >= MAX_ROUNDS) || done.length + next.size > MAX_ALTERNATIVES) return undefined;
    pending = [...next];
  }
  return done;
}

/** The innermost group such as `@(a|b)`, which many programs read in their own globs, and some do not. */
const GROUP = /([?*+@!])\(([^()]*)\)/;
const MAX_GROUPS = 16;

/** Groups as braces: `@(a|b)` is `{a,b}`; one that may stand for nothing, for more, or for anything else, has that alternative as well. */
function withBraces(text: string): string {
  let result = text;
  for (let group = 0; group < MAX_GROUPS; group++) {
    const next = result.replace(GROUP, (_, mark: string, inner: string) => {
      const names = inner.split('|');
      const others =
        mark === '!' ? ['*'] : mark === '@' ? names : mark === '+' ? [...names, `${names[0]}*`] : ['', ...names];
      return others.length > 1 ? `{${others.join(',')}}` : (others[0] ?? '');
    });
    if (next === result) return result;
    result = next;
  }
  return GROUP.test(result) ? ANYWHERE : result.replaceAll(/[()|]/g, '*');
}

interface Bracket {
  readonly end: number;
  /** Holds a class such as `[:alpha:]`. */
  readonly holdsClass: boolean;
}

/** The bracket expression that begins at `open`; `undefined` if nothing closes it. */
function bracketAt(text: string, open: number): Bracket | undefined {
  const first = text[open + 1] === '!' || text[open + 1] === '^' ? open + 2 : open + 1;
  let holdsClass = false;
  for (let at = first; at < text.length; at++) {
    const char = text[at];
    const mark = text[at + 1];
    if (char === ']' && at > first) return { end: at + 1, holdsClass };
    if (char === '\\') at++;
    if (char !== '[' || (mark !== ':' && mark !== '.' && mark !== '=')) continue;
    const end = text.indexOf(`${mark}]`, at + 2);
    if (end < 0) return undefined;
    holdsClass = true;
    at = end + 1;
  }
  return undefined;
}

/**
 * A class such as `[:alpha:]` counts as any one character, the safe side. A bracket that nothing closes, and a backslash at
 * the end, stand for themselves, as shells and most programs read them.
 */
function plainBrackets(segment: string): string {
  if (!segment.includes('[') && !segment.endsWith('\\')) return segment;
  let result = '';
  let closes = true;
  for (let at = 0; at < segment.length; ) {
    const char = segment[at] as string;
    const bracket = char === '[' && closes ? bracketAt(segment, at) : undefined;
    if (bracket !== undefined) {
      result += bracket.holdsClass ? '?' : segment.slice(at, bracket.end);
      at = bracket.end;
    } else if (char === '\\') {
      result += at + 1 < segment.length ? segment.slice(at, at + 2) : '\\\\';
      at += 2;
    } else {
      // A bracket that does not close here closes nowhere after it.
      if (char === '[') closes = false;
      result += char === '[' ? '\\[' : char;
      at += 1;
    }
  }
  return result;
}

/** `**` takes folders, too. */
function tokensOf(segment: string): readonly GlobToken[] {
  return segment === '**' ? DEEP : segmentTokens(plainBrackets(foldText(segment))).map(hidden);
}

const DEEP: readonly GlobToken[] = [
  { kind: 'run', hidden: true },
  { kind: 'run', hidden: true },
];
const hidden = (token: GlobToken): GlobToken => (token.kind === 'char' ? token : { ...token, hidden: true });

/** A text that a program reads as a glob, quoted for the shell or given to a tool: its `*` may begin with a dot. */
export function globSegments(text: string): GlobWord[] {
  const readings = new Set(
    [text, withBraces(text), text.replace(RANGES, '*')].flatMap((each) => [
      each,
      each.replaceAll(ESCAPED_SLASH, '$1/'),
    ]),
  );
  const alternatives = [...readings].flatMap(
    (each) => expandBraces(each) ?? [each.replaceAll('{', '*').replaceAll('}', '*').replaceAll(',', '*'), ANYWHERE],
  );
  return alternatives
    .flatMap((each) => [...new Set([each, climbing(each)])])
    .map((each) => ({
      path: each,
      glob: each === ANYWHERE ? ANY_FILE : hasWildcard(each) ? segmentsIn(each) : undefined,
    }));
}

/** `{a..c}` and `{1..9}`, which some programs read as alternatives, and others as they stand. */
const RANGES = /\{(?:[A-Za-z]\.\.[A-Za-z]|-?\d+\.\.-?\d+)(?:\.\.-?\d+)?\}/g;

/** An escape before a slash is part of no name: `src\/x` is `src/x` to Node. */
const ESCAPED_SLASH = /(?<!\\)((?:\\\\)*)\\\//g;

/** One of more alternatives than are read may lead anywhere. */
const ANYWHERE = '/**';
/** The tokens of a glob of which nobody can tell what it names. */
export const ANY_FILE: readonly (readonly GlobToken[])[] = [DEEP];

/** Reads a glob as high as a program may: `[.].` is `..` to Node, and `\**` any folders. */
const climbing = (text: string): string =>
  highest(text.replaceAll(ESCAPED, ''), (part) => part.includes('[') && !OPEN.test(part) && isParent(part)) ?? text;
const ESCAPED = /\\(?=[*.])/g;
const OPEN = /[*?]/;

const isParent = (segment: string): boolean => matchesTokens(tokensOf(segment), '..');

/** `**` may stand for no folder, and what `..` leads to is higher then. Undefined where nothing is `..`. */
export function highest(text: string, mayBeParent: (part: string, at: number) => boolean): string | undefined {
  const parts = text.split('/').map((part, at) => (mayBeParent(part, at) ? '..' : part));
  return parts.includes('..') ? parts.filter((part) => !ANY_DEPTH.test(part)).join('/') : undefined;
}
const ANY_DEPTH = /^\*{2,}$/;

const hasWildcard = (text: string): boolean => ['*', '?', '[', '\\'].some((char) => text.includes(char));

function segmentsIn(text: string): (readonly GlobToken[])[] {
  return text
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map(tokensOf);
}

/** The same within a folder; `anyDepth` for a program that looks for a bare name in every folder below, too. */
export function globSegmentsIn(folder: string | undefined, text: string, anyDepth = false): GlobWord[] {
  return globSegments(text).map((word) => {
    const isRooted = folder === undefined || word.path.startsWith('/') || word.path.startsWith('~');
    const isDeep = anyDepth && !word.path.includes('/');
    if (isRooted && !isDeep) return word;
    const before = isRooted ? [] : folder.split('/').filter((part) => part !== '' && part !== '.');
    const glob = [
      ...before.map((part) => literalTokens(foldText(part))),
      ...(isDeep ? [DEEP] : []),
      ...(word.glob ?? segmentsIn(word.path)),
    ];
    const isPlain = word.glob === undefined && !isDeep;
    return { path: isRooted ? word.path : `${folder}/${word.path}`, glob: isPlain ? undefined : glob };
  });
}

/** `!x` names what a list leaves out; `!(x)` is a group. */
export const isLeftOut = (word: string): boolean => word.startsWith('!') && word[1] !== '(';

/** Globs that one text lists, at blanks and at commas outside of braces. */
export function listedGlobs(text: string): string[] {
  const found: string[] = [];
  let word = '';
  let depth = 0;
  for (const char of `${text} `) {
    if (char === '{') depth++;
    if (char === '}') depth = Math.max(0, depth - 1);
    if (!' \t\n\r'.includes(char) && (char !== ',' || depth > 0)) {
      word += char;
      continue;
    }
    if (word !== '' && !isLeftOut(word)) found.push(word);
    word = '';
    depth = 0;
  }
  return found;
}

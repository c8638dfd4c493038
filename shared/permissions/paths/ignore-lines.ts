/** Writes path patterns as lines of an ignore file that stands in the project root. */
import { foldText, inspectCharacters } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import type { Segments } from './normalise.ts';
import { matchesName, type PatternSegment } from './pattern.ts';

export const EVERYTHING = '*';

/**
 * The lines for a pattern that is stated from the root of the disk, of which a match takes everything below it. None: it names nothing
 * below the folder.
 */
export function ignoreLines(pattern: readonly PatternSegment[], folder: Segments): readonly string[] {
  return behind(withoutNeedlessDepth(pattern), folder.map(foldText)).flatMap(linesOf);
}

/** The same without the further lines for names that are not ASCII: such a line is to take back no more than it says. */
export function plainIgnoreLines(pattern: readonly PatternSegment[]): readonly string[] {
  return [lineOf(withoutNeedlessDepth(pattern), tokenText)];
}

/** An ignored folder takes what is in it, and any depth twice is any depth. */
function withoutNeedlessDepth(pattern: readonly PatternSegment[]): readonly PatternSegment[] {
  const last = pattern.findLastIndex(({ kind }) => kind !== 'deep');
  return pattern.slice(0, last + 1).filter(({ kind }, at) => kind !== 'deep' || pattern[at + 1]?.kind !== 'deep');
}

/** The rests of the pattern behind the folder's own names: where `**` stands, several lead to the folder. */
function behind(pattern: readonly PatternSegment[], folder: Segments): readonly (readonly PatternSegment[])[] {
  let positions = new Set([0]);
  for (const name of folder) {
    const next = new Set<number>();
    for (const position of positions) {
      if (position === pattern.length) return [[]];
      const at = pattern[position]?.kind === 'deep' ? position + 1 : position;
      const segment = pattern[at];
      if (at !== position) next.add(position);
      if (segment?.kind === 'name' && matchesName(segment.folded, name)) next.add(at + 1);
    }
    positions = next;
  }
  return positions.has(pattern.length) ? [[]] : [...positions].map((position) => pattern.slice(position));
}

/** So many further lines are written for one pattern; with more such tokens each stands for any text. */
const MAX_WIDENED = 8;
/** Any text that holds a byte of a character that is not ASCII, also as a letter with its accents behind it. */
const NOT_ASCII = '*[! -~]*';

type Writer = (token: GlobToken, segment: PatternSegment, at: number) => string;

/**
 * To git `?` and a set are one byte; to the gate they are one character. For each of them that may be a character of several bytes there is
 * a further line, which only holds for names that are not ASCII.
 */
function linesOf(rest: readonly PatternSegment[]): readonly string[] {
  const narrow = rest.flatMap((segment) =>
    segment.kind === 'name'
      ? segment.exact.tokens.flatMap((_, at) => (isNarrow(segment.exact.tokens, at) ? [{ segment, at }] : []))
      : [],
  );
  const widened: Writer = (token, segment, at) =>
    segment.kind === 'name' && isNarrow(segment.exact.tokens, at) ? '?*' : tokenText(token);
  if (narrow.length > MAX_WIDENED) return [lineOf(rest, widened)];
  const further = narrow.map((each) =>
    lineOf(rest, (token, segment, at) =>
      segment === each.segment && at === each.at ? NOT_ASCII : widened(token, segment, at),
    ),
  );
  return [lineOf(rest, tokenText), ...further];
}

/** One byte to git, and maybe a character of more; what stands beside a `*` need not be widened. */
function isNarrow(tokens: readonly GlobToken[], at: number): boolean {
  const token = tokens[at];
  if (tokens[at - 1]?.kind === 'run' || tokens[at + 1]?.kind === 'run') return false;
  return token?.kind === 'one' || (token?.kind === 'set' && mayBeWide(token));
}

const mayBeWide = ({ negated, ranges }: Extract<GlobToken, { kind: 'set' }>): boolean =>
  negated || ranges.some(([, high]) => !isAscii(high));

const isAscii = (char: string): boolean => (char.codePointAt(0) as number) < 0x80;

/** Only a single name holds at any depth by itself: one slash in a line ties it to the folder. */
function lineOf(rest: readonly PatternSegment[], write: Writer): string {
  if (rest.length === 0) return EVERYTHING;
  const text = rest.map((segment) => (segment.kind === 'name' ? textOf(segment, write) : '**')).join('/');
  if (rest[0]?.kind !== 'deep') return `/${text}`;
  if (rest.length > 2) return text;
  const name = text.slice('**/'.length);
  return name.startsWith('!') || name.startsWith('#') ? `\\${name}` : name;
}

function textOf(segment: Extract<PatternSegment, { kind: 'name' }>, write: Writer): string {
  const { tokens } = segment.exact;
  let text = '';
  let endsInRun = false;
  for (const [at, token] of tokens.entries()) {
    // A letter and the accent behind it are one character.
    if (token.kind === 'char' && isMark(tokens[at + 1])) continue;
    const written = write(token, segment, at);
    text += endsInRun && written.startsWith('*') ? written.slice(1) : written;
    endsInRun = written.endsWith('*') && written !== '\\*';
  }
  // Git cuts blanks at the end of a line.
  return text.endsWith(' ') ? `${text.slice(0, -1)}\\ ` : text;
}

const isMark = (token: GlobToken | undefined): boolean => token?.kind === 'char' && /\p{M}/u.test(token.char);

function tokenText(token: GlobToken): string {
  switch (token.kind) {
    case 'one':
      return '?';
    case 'run':
      return '*';
    case 'set':
      return setText(token);
    case 'char':
      // A line holds no line end, and a terminal is not to act on what it shows: such a character may be any.
      if (inspectCharacters(token.char, 'path') !== undefined) return '*';
      // Git folds the case of ASCII only, and knows no two forms of one character.
      if (!isAscii(token.char)) return NOT_ASCII;
      return SPECIAL.has(token.char) ? `\\${token.char}` : token.char;
  }
}

/** Braces are plain to git and alternatives to others. */
const SPECIAL: ReadonlySet<string> = new Set('\\*?[]{}');

/** Ends of ranges that every reader of such files takes alike. */
const isPlainRange = ([low, high]: readonly [string, string]): boolean =>
  [DIGIT, SMALL, LARGE].some((letters) => letters.includes(low) && letters.includes(high));

const DIGIT = '0123456789';
const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const LARGE = SMALL.toUpperCase();

/** As the gate reads it: in both cases, and never a bracket. A set that others may read otherwise is any character. */
function setText({ negated, ranges }: Extract<GlobToken, { kind: 'set' }>): string {
  if (!ranges.every(isPlainRange)) return '?';
  if (!negated) return `[${ranges.flatMap(bothCases).join('')}]`;
  // The gate compares small letters: a set without A is a set without nothing.
  return ranges.some(([low]) => LARGE.includes(low)) ? '?' : `[!]${ranges.map(rangeText).join('')}[]`;
}

const rangeText = ([low, high]: readonly [string, string]): string => (low === high ? low : `${low}-${high}`);

const bothCases = ([low, high]: readonly [string, string]): string[] => [
  ...new Set([rangeText([low, high]), rangeText([low.toLowerCase(), high.toLowerCase()])]),
];

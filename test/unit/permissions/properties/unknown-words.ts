/**
 * Spells words of commands with parts that the text does not determine.
 *
 * One reading is the plain word.
 */
import fc from 'fast-check';

/** How a word is spelt, with the statements that have to run before it. */
interface Spelling {
  readonly before: string;
  readonly word: string;
}

/** A way to spell a word; `piece` is the letters that a part stands for, `a` and `b` are the letters around them. */
type Way = (a: string, piece: string, b: string) => Spelling;

/** The first letter that a part may stand for: a tilde is one only at the start of a word, before a slash. */
const firstOpen = (word: string): number => (word.startsWith('~/') ? 2 : 0);

/** The shell takes letters behind a parameter for more of its name. */
const parameter = (name: string, after: string): string => (/^\w/.test(after) ? `\${${name}}` : `$${name}`);

/** Parts that are nothing in one reading: parameters of the call's shell, an unset variable, substitutions, quotes. */
const NOTHING: readonly ((after: string) => string)[] = [
  ...['$1', '${1}', '"$1"', '$@', '"$@"', '$*', '"$*"', '${E}', '"$E"', '"${E}"', '${E:-}', '${E%y}', '${E#y}'],
  ...['$(true)', '"$(true)"', '`true`', '$(: $E)', '""', "''", "$''"],
].map((part) => () => part);

/** Two of them side by side. */
const TWICE = ['$1$2', '$1$@', '$@$1', '${E}$1', '"$1"$2', '$E"$1"', '$1$(true)', '$1$2$3'].map((parts) => () => parts);

const withNothing: readonly Way[] = [...NOTHING, ...TWICE, (after: string) => parameter('E', after)].map(
  (part) => (a, piece, b) => ({ before: '', word: `${a}${part(piece + b)}${piece}${b}` }),
);

/** The piece comes out of a parameter that the text sets, out of the words of the last command, or out of a substitution. */
const fromValue: readonly Way[] = [
  (a, piece, b) => ({ before: `v=${piece}; `, word: `${a}${parameter('v', b)}${b}` }),
  (a, piece, b) => ({ before: `v=${piece}; `, word: `${a}"$v"${b}` }),
  (a, piece, b) => ({ before: `v=; v+=${piece}; `, word: `${a}\${v}${b}` }),
  (a, piece, b) => ({ before: `v=x${piece}; `, word: `${a}\${v#x}${b}` }),
  (a, piece, b) => ({ before: `true ${piece}; `, word: `${a}\${_}${b}` }),
  (a, piece, b) => ({ before: `read -r v <<< ${piece}; `, word: `${a}\${v}${b}` }),
  (a, piece, b) => ({ before: `printf -v v %s ${piece}; `, word: `${a}\${v}${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}$(echo ${piece})${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}"$(printf %s ${piece})"${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}\`echo ${piece}\`${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}\${E:-${piece}}${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}\${E-${piece}}${b}` }),
];

const fromArguments: readonly Way[] = [
  (a, piece, b) => ({ before: `set -- ${piece}; `, word: `${a}$1${b}` }),
  (a, piece, b) => ({ before: `set -- ${piece}; `, word: `${a}"$@"${b}` }),
  (a, piece, b) => ({ before: `set x ${piece}; shift; `, word: `${a}\${1}${b}` }),
  (a, piece, b) => ({ before: `time set -- ${piece}; `, word: `${a}$*${b}` }),
  (a, piece, b) => ({ before: `eval 'set -- ${piece}'; `, word: `${a}$1${b}` }),
];

/** The piece stands in quotes, behind a backslash, or in braces that give one word. */
const inQuotes: readonly Way[] = [
  (a, piece, b) => ({ before: '', word: `${a}"${piece}"${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}'${piece}'${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}$'${piece}'${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}\\${piece}${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}$'\\x${piece.charCodeAt(0).toString(16)}'${piece.slice(1)}${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}{${piece[0]}..${piece[0]}}${piece.slice(1)}${b}` }),
];

/** Braces that give the word, and another one behind it. */
const inBraces: readonly Way[] = [
  (a, piece, b) => ({ before: '', word: `${a}{${piece},}${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}{${piece},x}${b}` }),
  (a, piece, b) => ({ before: '', word: `${a}${piece}{,x}${b}` }),
];

/** A wildcard for the first letter of the piece. None matches a slash, or a dot at the start of a name. */
const GLOBS = ['?', '*', '[CHAR]', '[!_]', '[CHAR-CHAR]', '[[:graph:]]', '[![:space:]]', '[[=CHAR=]]', '[[.CHAR.]]'];
const asGlob: readonly Way[] = [...GLOBS, '[CHAR[:digit:]]', '[[:alpha:]CHAR]'].map((glob) => (a, piece, b) => {
  const char = piece[0] as string;
  const isOpen = char !== '/' && char !== '-' && !(char === '.' && /(?:^|\/)$/.test(a));
  return {
    before: '',
    word: isOpen ? `${a}${glob.replaceAll('CHAR', char)}${piece.slice(1)}${b}` : `${a}${piece}${b}`,
  };
});

const WAYS = { withNothing, fromValue, fromArguments, inQuotes, inBraces, asGlob };
export type WayName = keyof typeof WAYS;

const spelling = (word: string, ways: readonly WayName[]): fc.Arbitrary<Spelling> =>
  fc
    .record({
      from: fc.integer({ min: firstOpen(word), max: word.length - 1 }),
      length: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom(...ways),
      way: fc.nat(),
    })
    .map(({ from, length, name, way }) => {
      const piece = word.slice(from, from + length);
      const chosen = WAYS[name][way % WAYS[name].length] as Way;
      return chosen(word.slice(0, from), piece, word.slice(from + piece.length));
    });

/** The command with its word at this place spelt in one of these ways. */
export const spelt = (command: string, at: number, ways: readonly WayName[]): fc.Arbitrary<string> => {
  const words = command.split(' ');
  return spelling(words[at] as string, ways).map(({ before, word }) => before + words.with(at, word).join(' '));
};

/** Folders of the stack, which may be any. */
const STACK = ['~-', '~1', '~0', '~+1', '~-0', '{~-,x}'];
const HOMES = ['~', '~agent', '$HOME', '"$HOME"', '${HOME}', '${HOME:-x}', '~/x/..', '~//.', '/home/agent', ...STACK];
const PROJECTS = ['~+', '$PWD', '"${PWD}"', './', './/x/..', '~/../../workspace/app', '/workspace/app', ...STACK];

/** The command with the path at this place written from its folder, in the forms of a tilde and the parameters that name folders. */
export const fromFolder = (command: string, at: number): fc.Arbitrary<string> => {
  const words = command.split(' ');
  const path = words[at] as string;
  const [folders, rest] = path.startsWith('~/') ? [HOMES, path.slice(1)] : [PROJECTS, `/${path}`];
  return fc.constantFrom(...folders).map((folder) => words.with(at, folder + rest).join(' '));
};

/** The ways that give one word, whatever stands around it. */
export const ONE_WORD: readonly WayName[] = ['withNothing', 'fromValue', 'fromArguments', 'inQuotes', 'asGlob'];
export const EACH_WAY: readonly WayName[] = [...ONE_WORD, 'inBraces'];

/** Whole words that may be nothing, an option, a path, or several of them. */
export const UNKNOWN_WORDS = [
  ...['$1', '"$1"', '$@', '"$@"', '$x', '${x}', '"$x"', '$_', '"$_"', '$(cat f)', '"$(cat f)"', '`cat f`'],
  ...['*', '?*', '${x:--o}', '${x:+y}', '"${x#y}"', '$x$y', '-$x', '--$x', '-"$x"', '$(echo -)x'],
] as const;

/** Finds commands within `env`, `xargs`, `find -exec` and plain wrappers, for allow rules. */
import { type Field, fieldOf, literalField } from '../shell/syntax/fields.ts';
import { isHarmlessVariable } from './catalogue/names/variables.ts';
import type { Runner } from './record/record.ts';
import { type Resolved, resolveCommand } from './resolve.ts';

interface Inner {
  /** The command without the ones within; undefined where nothing of it is left to cover. */
  readonly outer: readonly Field[] | undefined;
  readonly commands: readonly (readonly Field[])[];
}

/** Where the names come from that are put into a command: files of the project, files elsewhere, or any text. */
export type Names = 'project' | 'files' | 'any';

/** A file name: it begins with a folder that is named, and is no option. */
export const FOUND_NAME: Field = fieldOf([{ kind: 'opaque', quoted: true, isOneWord: true }]);
/** Some file below the folder. */
const PROJECT_NAME: Field = fieldOf([
  { kind: 'char', char: '.', quoted: true },
  { kind: 'char', char: '/', quoted: true },
  { kind: 'char', char: '*', quoted: false },
]);
/** Further arguments from standard input: any text, and several of them. */
const ANY_WORDS: Field = fieldOf([{ kind: 'opaque', quoted: false }]);

/** Why the own words of a program do not show what it runs: they are not literal, or not known. */
const UNCLEAR = 'has words that are not plain enough to see what it runs';

/**
 * `names` is called where names are put in. A text says of the program why its words are not plain enough; undefined where the command has
 * none within that an allow sees through.
 */
export function innerOf(resolved: Resolved, argv: readonly Field[], names: () => Names): Inner | string | undefined {
  const { program } = resolved;
  if (program.execs !== undefined)
    return runsFound(argv, program.execs) ? withinFind(argv, program.execs, names()) : undefined;
  const { runner } = program;
  if (runner?.allow !== 'inner') return undefined;
  const from = innerStart(argv, runner);
  if (typeof from === 'string') return from;
  if (program.names[0] === 'xargs') return withinXargs(argv, from, names());
  if (from < argv.length) return { outer: undefined, commands: [argv.slice(from)] };
  return runner.assignments === true ? 'prints the environment' : UNCLEAR;
}

/** Where a command within `find` ends: a `+` is a word of it unless it stands behind `{}`. */
export function isEnd(argv: readonly Field[], at: number): boolean {
  const text = argv[at]?.text;
  return text === ';' || text === '\\;' || (text === '+' && argv[at - 1]?.text === '{}');
}

function isNumberLike(text: string): boolean {
  return text.length > 0 && [...text].every((char) => (char >= '0' && char <= '9') || 'smhdLKMG.-+'.includes(char));
}

/** Where the command within begins, or why that cannot be told. */
function innerStart(argv: readonly Field[], runner: Runner): number | string {
  let { operands } = runner;
  for (let at = 1; at < argv.length; at++) {
    const { text } = argv[at] as Field;
    const problem = wordProblem(argv[at] as Field, runner);
    if (problem !== undefined) return problem;
    if (text === '--' || runner.flags.has(text)) continue;
    if (text.startsWith('-') && text.length > 1) {
      const taken = wordsOfOption(argv, at, runner);
      if (taken === undefined) return UNCLEAR;
      at += taken;
    } else if (runner.assignments === true && text.indexOf('=') > 0) {
      if (!isHarmlessAssignment(text)) return `sets the variable ${text.slice(0, text.indexOf('=')).slice(0, 40)}`;
    } else if (operands > 0) {
      if (!isNumberLike(text)) return UNCLEAR;
      operands -= 1;
    } else {
      return at;
    }
  }
  return argv.length;
}

function wordProblem({ text, isKnown, hasGlob }: Field, runner: Runner): string | undefined {
  if (!isKnown || hasGlob) return UNCLEAR;
  return isUnset(text, runner) ? 'takes variables away that programs may read' : undefined;
}

/** `-i`, `-uX`, `--unset=X`, `-iu X`, `-`. */
function isUnset(text: string, { unsets }: Runner): boolean {
  if (unsets === undefined || !text.startsWith('-')) return false;
  if (text.startsWith('--'))
    return text.length > 2 && [...unsets].some((each) => each.startsWith(text.split('=')[0] as string));
  return unsets.has(text) || [...text.slice(1)].some((letter) => unsets.has(`-${letter}`));
}

/** How many further words the option takes; undefined where it runs code, is not known, or its value is not literal. */
function wordsOfOption(argv: readonly Field[], at: number, runner: Runner): 0 | 1 | undefined {
  const { text } = argv[at] as Field;
  const equals = text.indexOf('=');
  const name = text.startsWith('--') && equals > 0 ? text.slice(0, equals) : text;
  if (runner.code?.has(name) === true) return undefined;
  if (runner.values.has(text)) {
    const value = argv[at + 1];
    return value === undefined || !value.isKnown || value.hasGlob ? undefined : 1;
  }
  return runner.values.has(name) || isShortWithValue(text, runner) ? 0 : undefined;
}

function isHarmlessAssignment(text: string): boolean {
  const equals = text.indexOf('=');
  return isHarmlessVariable(text.slice(0, equals), text.slice(equals + 1));
}

function isShortWithValue(text: string, { values, flags }: Runner): boolean {
  if (text.startsWith('--')) return false;
  return (
    (values.has(text.slice(0, 2)) && text.length > 2) ||
    isNumberLike(text.slice(1)) ||
    [...text.slice(1)].every((letter) => flags.has(`-${letter}`))
  );
}

/** The mark that `-I` names is replaced in every word; without one the names come last. */
function withinXargs(argv: readonly Field[], from: number, names: Names): Inner | string {
  const options = argv.slice(1, from);
  const at = options.findIndex(({ text }) => text.startsWith('-I'));
  const option = options[at]?.text ?? '';
  const mark = at < 0 ? undefined : option.length > 2 ? option.slice(2) : options[at + 1]?.text;
  // Where a file gives the names, its own name is a path; with these forms of replacing, the mark is another word.
  if (options.some(({ text }) => /^(?:--replace|-[0rtpxo]*i)/.test(text))) return UNCLEAR;
  const name = names === 'any' ? ANY_WORDS : nameOf(names);
  // A file that gives the names is read, and so is what comes in where no command follows: `echo` prints it.
  const file = fileOf(options);
  const outer = file === undefined ? undefined : [literalField('cat'), literalField(file)];
  const words = from < argv.length ? argv.slice(from) : [literalField('echo')];
  if (mark === undefined) return { outer, commands: [[...words, name]] };
  const replaced = words.map((field, index) => {
    // In place of the whole word stands one name.
    if (index > 0 && field.text === mark && names !== 'any') return nameOf(names);
    return field.text.includes(mark) ? markedWord(field, mark, index === 0) : field;
  });
  return { outer, commands: [replaced] };
}

/** The file of `-a FILE`, `-aFILE`, `--arg-file=FILE`. */
function fileOf(options: readonly Field[]): string | undefined {
  const at = options.findIndex(({ text }) => text.startsWith('-a') || text.startsWith('--arg-file'));
  const text = options[at]?.text;
  if (text === undefined) return undefined;
  if (text === '-a' || text === '--arg-file') return options[at + 1]?.text ?? '';
  return text.startsWith('--') ? text.slice('--arg-file='.length) : text.slice(2);
}

/** A word with the mark in it: what stands before the mark is known. */
function markedWord(field: Field, mark: string, isCommand: boolean): Field {
  const before = field.text.slice(0, field.text.indexOf(mark));
  const atoms = Array.from(before, (char) => ({ kind: 'char', char, quoted: true }) as const);
  return fieldOf([...atoms, { kind: 'opaque', quoted: true, isOneWord: !isCommand && before !== '' }]);
}

const nameOf = (names: Names): Field => (names === 'project' ? PROJECT_NAME : FOUND_NAME);

const runsFound = (argv: readonly Field[], execs: ReadonlySet<string>): boolean =>
  argv.some(({ text }) => execs.has(text));

function withinFind(argv: readonly Field[], execs: ReadonlySet<string>, names: Names): Inner | string {
  const outer: Field[] = [];
  const commands: (readonly Field[])[] = [];
  for (let at = 0; at < argv.length; at++) {
    const field = argv[at] as Field;
    if (!execs.has(field.text)) {
      outer.push(field);
      continue;
    }
    const start = at + 1;
    for (at = start; at < argv.length && !isEnd(argv, at); at++);
    const words = argv.slice(start, at);
    const first = words[0];
    if (first === undefined || first.text.includes('{}')) return UNCLEAR;
    // In the folder of each file, a program by its path is another one.
    if (field.text.endsWith('dir') && first.text.includes('/')) return UNCLEAR;
    const named = words.map((word) => (word.text.includes('{}') ? foundIn(word, names) : word));
    commands.push(named.every((word, index) => word === words[index]) ? [...words, nameOf(names)] : named);
  }
  return { outer, commands };
}

const foundIn = (word: Field, names: Names): Field =>
  word.text === '{}' ? nameOf(names) : markedWord(word, '{}', false);

/** A find without the commands that it runs. */
export function foundBy(argv: readonly Field[]): { readonly outer: readonly Field[] } {
  const resolved = resolveCommand(argv);
  const within = resolved?.program.execs && withinFind(argv, resolved.program.execs, 'files');
  return { outer: (typeof within === 'object' && within.outer) || argv };
}

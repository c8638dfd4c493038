/** Finds the parts of a command that may name a path: words, and values within them. */
import { globSegments } from '../../paths/glob-word.ts';
import { scanCommandText } from '../../paths/scan-command.ts';
import { usualValue } from '../../programs/catalogue/names/variables.ts';
import { accessOf, type Resolved, readingOf, resolveCommand, sourcesOf } from '../../programs/resolve.ts';
import { type Role, roleOf, standsAlone } from '../../programs/roles.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import { MAX_STEPS, type WorkBudget } from '../syntax/budget.ts';
import type { FreeWord, PathWord, ShellCommand, ShellRedirect } from '../syntax/command.ts';
import { type Field, fieldOf, globOf } from '../syntax/fields.ts';

/** Signs that part the names within a word. */
const SEPARATOR = /[=:@,]/;
/** curl parts these as well: `f=@a;type=b`, `f=<a`. A text with blanks is read as commands. */
const SEPARATOR_IN_WORD = /[=:@,;<]/;
/** Steps that judging a path costs besides its characters. */
const WORD = 4;

/** Rests behind more separators are not looked at, so that a long word stays cheap. */
const MAX_RESTS = 32;
/** No path is longer (POSIX `PATH_MAX`). */
const MAX_PATH = 4096;

/** The value of a short option stands behind no more letters, or is not looked at. */
const MAX_CLUSTER = 64;

const NO_FIELDS: readonly Field[] = [];
const NO_STARTS: readonly number[] = [];

/** The indices at which the value of a short option may begin: `-f.env`, and with letters of other options before it `-nf.env`. */
function valueStarts(text: string): readonly number[] {
  if (text.length < 3 || !text.startsWith('-') || text.startsWith('--')) return NO_STARTS;
  const starts: number[] = [];
  for (let at = 2; at < text.length && at < 2 + MAX_CLUSTER; at++) {
    starts.push(at);
    if (!/[A-Za-z0-9]/.test(text[at] as string)) break;
  }
  return starts;
}

/** The whole word and its parts. */
function partsOf(field: Field): readonly Field[] {
  const { text } = field;
  const starts = valueStarts(text);
  const separator = hasBlank(text) ? SEPARATOR : SEPARATOR_IN_WORD;
  const isParted = separator.test(text);
  // The usual word is made of no parts, and its atoms need not be made either.
  if (starts.length === 0 && !isParted) return text === '' ? NO_FIELDS : [field];
  const { atoms } = field;
  const parts: Field[] = [field];
  for (const at of starts) parts.push(fieldOf(atoms.slice(at)));
  if (!isParted) return parts;
  let rests = 0;
  let start = 0;
  atoms.forEach((atom, at) => {
    if (atom.kind !== 'char' || !separator.test(atom.char)) return;
    // `a,.env,b`: the part between two separators, and what follows one.
    if (at > start) parts.push(fieldOf(atoms.slice(start, at)));
    start = at + 1;
    if (rests < MAX_RESTS && atoms.length - start <= MAX_PATH) parts.push(fieldOf(atoms.slice(start)));
    rests += 1;
  });
  if (rests > MAX_RESTS || atoms.length - start > MAX_PATH) parts.push(fieldOf(atoms.slice(start)));
  return parts.filter((part) => part.text !== '');
}

/** A word with unknown parts names something where a known character stands beside them: `i$x` may be `id_rsa`. */
const namesSomething = (field: Field): boolean => [...field.text].some((char) => char !== UNKNOWN && char !== '/');

const LONG_CLUSTER = new RegExp(`^-[A-Za-z0-9]{${String(2 + MAX_CLUSTER)}}`);

function addWord(field: Field, dir: string, access: PathWord['access'], found: PathWord[], budget: WorkBudget): void {
  if (budget.usedUp || (LONG_CLUSTER.test(field.text) && !budget.spend(MAX_STEPS + 1))) return;
  for (const part of partsOf(field)) {
    const steps = part === field ? part.text.length : part.text.length >> 4;
    if (!budget.spend(WORD + steps + (dir.length >> 3))) return;
    if (part.isKnown || namesSomething(part)) found.push({ path: part.text, glob: globOf(part), dir, access });
    if (!part.isKnown) addUsual(part, dir, access, found);
  }
}

/** `$KUBECONFIG`, `$DOCKER_CONFIG/config.json`: the file that the variable in front usually leads to. */
function addUsual({ atoms, text }: Field, dir: string, access: PathWord['access'], found: PathWord[]): void {
  const [first, ...rest] = atoms;
  const usual = first?.kind === 'var' ? usualValue(first.name) : undefined;
  if (first?.kind !== 'var' || usual === undefined || rest.some(({ kind }) => kind !== 'char')) return;
  found.push({ path: usual + text.slice(UNKNOWN.length), dir, access, variable: first.name });
}

function hasBlank(text: string): boolean {
  return (
    text.includes(' ') ||
    text.includes('\n') ||
    text.includes('\t') ||
    text.includes('(') ||
    text.includes("'") ||
    text.includes('"')
  );
}

/** Fields that were looked at in a directory, with a bit for each access and role: a wrapper shares its words with the command that it runs. */
type Seen = Map<string, Map<Field, number>>;

const ACCESSES: Readonly<Record<PathWord['access'], number>> = { read: 0, write: 4, either: 8 };
const ROLES: Readonly<Record<Role, number>> = { path: 0, glob: 1, pathspec: 2, text: 3 };

/** Notes that a field was looked at; false if it was so before. */
function isNew(field: Field, role: Role, access: PathWord['access'], seen: Map<Field, number>): boolean {
  const before = seen.get(field) ?? 0;
  const bit = 1 << (ACCESSES[access] + ROLES[role]);
  if ((before & bit) !== 0) return false;
  seen.set(field, before | bit);
  return true;
}

/** One command while its words are read for paths. */
interface CommandReading {
  readonly command: ShellCommand;
  readonly resolved: Resolved | undefined;
  /** The access of its words, where no option says otherwise. */
  readonly access: PathWord['access'];
  readonly folders: readonly Field[];
  readonly found: PathWord[];
  readonly budget: WorkBudget;
}

/** The use of a command's output: it is only shown, or holds the names of files that another command writes. */
interface OutputUse {
  readonly printed: boolean;
  readonly written: boolean;
}

const TAKEN: OutputUse = { printed: false, written: false };

function commandWords(
  command: ShellCommand,
  { printed, written }: OutputUse,
  seen: Seen,
  found: PathWord[],
  budget: WorkBudget,
): void {
  if (budget.usedUp) return;
  const { argv, dir } = command;
  const resolved = resolveCommand(argv);
  const own = resolved === undefined ? 'either' : accessOf(resolved);
  const access = written && own === 'read' ? 'either' : own;
  const accessAt = accessesIn(argv, resolved, access);
  budget.spend(argv.length >> 4);
  const reading = { command, resolved, access, folders: foldersNamed(argv), found, budget };
  const seenHere = seenIn(seen, dir);
  const [program] = argv;
  if (program !== undefined && (program.text.includes('/') || program.text.startsWith('.')))
    addWord(program, dir, access, found, budget);
  for (let at = 1; at < argv.length; at++) {
    const field = argv[at] as Field;
    const role = shellRoleOf(at, argv, resolved, printed);
    const done = accessAt(at);
    if (role !== 'text' && isNew(field, role, done, seenHere)) argumentWords(at, role, done, reading);
  }
  for (const { value } of command.assignments) if (value !== undefined) addWord(value, dir, 'read', found, budget);
  const texts = resolved?.record.implied === undefined ? [] : resolved.words.map(({ text }) => text);
  for (const path of resolved?.record.implied?.(texts) ?? []) {
    if (!budget.spend(WORD)) break;
    const pattern = path.replaceAll(UNKNOWN, '*');
    const words = holdsGlob(pattern) ? textWords(pattern, dir) : [{ path, dir }];
    found.push(...words.map((word) => ({ ...word, access: 'write' as const })));
  }
}

/** Tells how the command uses the file of each word: `own`, unless the word is for output, or a source that is copied. */
function accessesIn(
  argv: readonly Field[],
  resolved: Resolved | undefined,
  own: PathWord['access'],
): (at: number) => PathWord['access'] {
  // Some option is not known: each that looks like one for output is taken for one.
  if (resolved === undefined || typeof readingOf(resolved) === 'string')
    return (at) => (isOutput(at, argv) ? 'write' : own);
  const sources = new Set(sourcesOf(resolved));
  return (at) => (sources.has(argv[at] as Field) ? 'read' : own);
}

/** The role of the word to its program, and that of a file where the shell looks for one. */
function shellRoleOf(at: number, argv: readonly Field[], resolved: Resolved | undefined, printed: boolean): Role {
  const role = roleOf(at, argv, resolved, printed);
  return role === 'text' && argv[at]?.hasGlob === true && isLookedFor(at, argv, resolved) ? 'path' : role;
}

/**
 * Whether the shell puts names of files in the place of a glob that the program takes for a text: `echo .e*`, `[ ~/.aws/* = x ]`. The value of an
 * option is mostly a pattern that somebody forgot to quote, and `[[` leaves patterns alone.
 */
function isLookedFor(at: number, argv: readonly Field[], resolved: Resolved | undefined): boolean {
  const { text: isText, compared, script } = resolved?.record.paths ?? resolved?.program.paths ?? {};
  if (argv[0]?.text === '[[' || argv[at]?.text.startsWith('-') === true) return false;
  // Only folders stand for such a word, and `sed` and its like read none: `sed s/.*=// a`.
  if (script !== undefined && argv[at]?.text.endsWith('/') === true) return false;
  return isText === true || compared !== undefined || (resolved !== undefined && standsAlone(argv[at - 1], resolved));
}

/** The paths that one word names: by itself, in a folder, as a pattern, and within a text that may hold names. */
function argumentWords(
  at: number,
  role: Exclude<Role, 'text'>,
  access: PathWord['access'],
  { command: { argv, dir }, resolved, folders, found, budget }: CommandReading,
): void {
  const field = role === 'pathspec' ? withoutMagic(argv[at] as Field) : (argv[at] as Field);
  // A script is read like any text that may hold names.
  addWord(field, dir, access, found, budget);
  if (folders.length > 0 && !/^[-/~]/.test(field.text)) wordsInFolders(field, folders, dir, access, found, budget);
  if (role === 'glob' || (role === 'pathspec' && holdsGlob(field.text))) {
    for (const word of patternWords(globText(field), role, dir))
      if (word.glob !== undefined && budget.spend(WORD + word.path.length)) found.push({ ...word, access });
  }
  for (const path of resolved?.record.paths?.scriptFiles?.(field.text, argv[at - 1]?.text ?? '') ?? [])
    if (path !== '' && budget.spend(WORD + path.length))
      found.push(...textWords(path, dir).map((word) => ({ ...word, access: 'either' as const })));
  if (role !== 'pathspec' && hasBlank(field.text) && budget.spend(field.text.length)) {
    for (const { path, glob } of scanCommandText(field.text.replaceAll(UNKNOWN, '*')))
      if (budget.spend(WORD + path.length)) found.push({ path, glob, dir, access });
  }
}

/** Reads a pattern of wildcard folders as a name, too: `find /` looks for them below other folders than its own. */
function patternWords(text: string, role: Role, dir: string): readonly PathWord[] {
  const name = role === 'glob' ? /[*?[].*\/([^/]+)$/s.exec(text)?.[1] : undefined;
  return [...textWords(text, dir), ...(name === undefined ? [] : textWords(name, dir))];
}

/** git's `:(icase)NAME` and `:(top,glob)NAME`: the name behind the words that say how it is compared. An exclusion is left as it is. */
function withoutMagic(field: Field): Field {
  const { text } = field;
  const end = text.startsWith(':(') ? text.indexOf(')') : -1;
  return end < 0 || text.slice(0, end).includes('exclude') ? field : fieldOf(field.atoms.slice(end + 1));
}

/** `tar -C f x`: the word as a name in each folder that another word names. */
function wordsInFolders(
  field: Field,
  folders: readonly Field[],
  dir: string,
  access: PathWord['access'],
  found: PathWord[],
  budget: WorkBudget,
): void {
  for (const folder of folders)
    if (folder !== field) for (const part of partsOf(field)) addWord(within(folder, part), dir, access, found, budget);
}

const FOLDER_OPTION = /^(?:-[A-Za-z]*C|--directory|--chdir|--cwd|--work-tree|--project|--root)$/;
const FOLDER_ATTACHED = /^(?:-[A-Za-z]*C|--(?:directory|chdir|cwd|work-tree|project|root)=)(?=.)/;
/** Further folders are not looked at: no command in earnest has so many. */
const MAX_FOLDERS = 4;

/** `tar -C f x`, `make --directory=f`: where the other words are names in a folder. */
function foldersNamed(argv: readonly Field[]): readonly Field[] {
  const found: Field[] = [];
  for (let at = 1; at < argv.length && found.length < MAX_FOLDERS; at++) {
    const field = argv[at] as Field;
    const { text } = field;
    if (!text.startsWith('-') || !(text.startsWith('--') || text.includes('C'))) continue;
    const attached = FOLDER_ATTACHED.exec(text)?.[0].length ?? 0;
    const next = argv[at + 1];
    if (FOLDER_OPTION.test(text) && next !== undefined) found.push(next);
    else if (attached > 0) found.push(fieldOf(field.atoms.slice(attached)));
  }
  return found;
}

const SLASH: Field['atoms'] = [{ kind: 'char', char: '/', quoted: false }];

/** The word as a name in the folder. */
const within = (folder: Field, { atoms }: Field): Field => fieldOf([...folder.atoms, ...SLASH, ...atoms]);

/** Whether an option names a file to write, for commands whose options are not all known: `-o f`, `-of`, `--output=f`, `find -fprint f`. */
function isOutput(index: number, argv: readonly Field[]): boolean {
  const { text } = argv[index] as Field;
  const before = argv[index - 1]?.text ?? '';
  // Most words are no options.
  return (before.startsWith('-') && OUTPUT_OPTION.test(before)) || (text.startsWith('-') && OUTPUT_ATTACHED.test(text));
}
const OUTPUT_OPTION = /^-(?:[A-Za-z]*o|-?out[a-z-]*|fprint[0f]?|fls)$/;
// `-ok` and `-or` are words of find.
const OUTPUT_ATTACHED = /^-(?:o(?!k|r$).|[a-z]{1,2}o[^a-z]|-?out[a-z-]*=)/;

const holdsGlob = (text: string): boolean => text.includes('*') || text.includes('?') || text.includes('[');

/** The pattern alone: the name of an option before `=` is no part of `--include=PATTERN`. */
function globText({ text }: Field): string {
  const written = text.replaceAll(UNKNOWN, '*');
  return written.startsWith('-') && written.includes('=') ? written.slice(written.indexOf('=') + 1) : written;
}

function seenIn(seen: Seen, dir: string): Map<Field, number> {
  let found = seen.get(dir);
  if (found === undefined) {
    found = new Map();
    seen.set(dir, found);
  }
  return found;
}

/** Each word once: wrappers show the words of one command again and again. */
function distinct(words: readonly PathWord[]): PathWord[] {
  const seen = new Map<string, PathWord>();
  for (const word of words) {
    const key = `${word.access}${word.dir}\0${word.glob === undefined ? '' : '*'}${word.variable ?? ''}\0${word.path}`;
    if (!seen.has(key)) seen.set(key, word);
  }
  return [...seen.values()];
}

/** The cost of comparing a glob with names and rules, in steps. */
const GLOB = 400;
/** Globs that are still read in a text with too many of them. */
const LOOSE_GLOBS = 32;

/** Globs beyond the budget are read as plain names: such a command is in doubt. */
function withinBudget(words: readonly PathWord[], budget: WorkBudget, left = 0): PathWord[] {
  let more = left;
  return words.map((word) =>
    word.glob === undefined || budget.spend(GLOB) || more-- > 0 ? word : { ...word, glob: undefined },
  );
}

/** The path words of a text that is read word by word. Each word is looked at once, although it is in many commands. */
export function fallbackPathWords(text: string, dir: string, budget: WorkBudget): PathWord[] {
  const words = scanCommandText(text).map(({ path, glob }): PathWord => ({ path, glob, dir, access: 'write' }));
  return withinBudget(distinct(words), budget, LOOSE_GLOBS);
}

interface Looked {
  readonly commands: readonly ShellCommand[];
  readonly unwrapped: readonly ShellCommand[];
  readonly redirects: readonly ShellRedirect[];
  readonly words: readonly FreeWord[];
  /** Commands whose output becomes words or input of others: such output may name a path. */
  readonly captured: ReadonlySet<ShellCommand>;
  /** Commands that name files which another command writes. */
  readonly written: ReadonlySet<ShellCommand>;
  readonly budget: WorkBudget;
}

/** Copies of a command, word or redirection, one for each directory in which it may run. */
function inEach<Each extends { readonly dir: string; readonly otherDirs: readonly string[] }>(
  one: Each,
): readonly Each[] {
  return one.otherDirs.length === 0 ? [one] : [one, ...one.otherDirs.map((dir) => ({ ...one, dir }))];
}

/** All words that may name a path, those of wrappers, code strings and loops included. */
export function pathWords({ commands, unwrapped, redirects, words, captured, written, budget }: Looked): PathWord[] {
  const paths: PathWord[] = [];
  const seen: Seen = new Map();
  for (const command of commands)
    for (const each of inEach(command))
      commandWords(each, { printed: !captured.has(command), written: written.has(command) }, seen, paths, budget);
  for (const command of unwrapped) for (const each of inEach(command)) commandWords(each, TAKEN, seen, paths, budget);
  for (const word of words) for (const { field, dir } of inEach(word)) addWord(field, dir, 'read', paths, budget);
  for (const redirect of redirects) {
    for (const { target, dir, access } of inEach(redirect)) {
      if (!budget.spend(target.text.length)) continue;
      paths.push({ path: target.text, glob: globOf(target), dir, access });
      addUsual(target, dir, access, paths);
    }
  }
  return withinBudget(distinct(paths), budget);
}

/** A literal text as a path word, its braces and globs read. */
function textWords(text: string, dir: string): PathWord[] {
  return globSegments(text).map(({ path, glob }) => ({ path, glob, dir, access: 'read' }));
}

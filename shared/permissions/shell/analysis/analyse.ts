/** Analyses a shell command: every command it runs, in wrappers and code strings too, and every doubt. */
import { MAX_DEPTH, TOO_MUCH_WORK, WorkBudget } from '../syntax/budget.ts';
import {
  FALLBACK,
  type FreeWord,
  type HumanClass,
  type PathWord,
  programOf,
  type ShellAnalysis,
  type ShellCommand,
  type ShellRedirect,
} from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { joinLines } from '../syntax/joined-lines.ts';
import type { ShellParser } from '../syntax/shell-parser.ts';
import { fallbackCommands } from '../walk/fallback-tokenizer.ts';
import { ShellWalk } from '../walk/walk.ts';
import { JOINED, joinsLines, NOT_PARSED, type WalkOptions } from '../walk/walk-helpers.ts';
import { asOriginals, copiesIn } from './copied-programs.ts';
import { criticalDelete } from './critical.ts';
import { doubtCommands, doubtText, isReadWhole, UNCERTAIN_CODE } from './doubts.ts';
import { withMadeText } from './made-text.ts';
import { isNamedText } from './named-texts.ts';
import { leadsToOutputPath, OUTPUT_PATH } from './output-paths.ts';
import { fallbackPathWords, pathWords } from './path-words.ts';
import { givenByInput, noteCaptured, notePatched, stdinCode, takesWords } from './piped-input.ts';
import { emptiedOf } from './readings.ts';
import { codeInWord, unwrap } from './unwrap.ts';
import { endOfRunner, ownsRest } from './unwrap-programs.ts';
import { NOTHING, type Unwrapped } from './unwrapped.ts';
import { codeInVariables } from './variable-code.ts';

/** Steps that a parse costs besides its characters, and a command besides its words. */
const PARSE = 20;
const UNWRAP_STEPS = 8;
const TOO_DEEP = 'commands within commands, too deep';

const PARAMETERS = 'code that is given parameters';
interface State {
  readonly parser: ShellParser;
  readonly options: WalkOptions;
  readonly budget: WorkBudget;
  readonly unwrapped: ShellCommand[];
  /** Commands that would run if the unknown parts were empty; paths are collected from these and from `unwrapped` alike. */
  readonly emptied: ShellCommand[];
  /** Commands within others, by their first word. */
  readonly inside: Map<Field, ShellCommand[]>;
  readonly redirects: ShellRedirect[];
  readonly words: FreeWord[];
  readonly captured: Set<ShellCommand>;
  readonly written: Set<ShellCommand>;
  /** Words that were tried as a command where the program's own words are too many to know. */
  readonly candidates: Set<ShellCommand>;
  /** Commands in words that are hardly code. */
  readonly guesses: Set<ShellCommand>;
  /** Texts that xargs takes words from. */
  readonly texts: { readonly text: string; readonly dir: string }[];
  /** Files that patches within the text name. */
  readonly patched: PathWord[];
  readonly doubts: Set<string>;
  readonly human: Map<string, HumanClass>;
  /** Words that were judged as the target of a delete: wrappers show the same words again and again. */
  readonly looked: Set<Field>;
  /** By the last word of a command, how many of its words were tried as the first of a command, or as code: a suffix of these has no others. */
  readonly tried: { readonly commands: Map<Field, number>; readonly code: Map<Field, number> };
}

const OUTPUT_AS_CODE: HumanClass = {
  code: 'decode-and-run',
  message: 'A shell or interpreter would run code from its input or from another command, which no rule reads.',
};

export function analyseCommand(
  command: string,
  parser: ShellParser,
  context: Omit<WalkOptions, 'budget'>,
): ShellAnalysis {
  const budget = new WorkBudget();
  const options: WalkOptions = { ...context, budget };
  const state = newState(parser, options);
  const text = joinLines(command);
  doubtText(command, text, state.doubts);
  const walk = walkText(text, state, options);
  const commands = walk?.commands ?? [];
  if (walk === undefined) state.doubts.add('the command could not be parsed');
  for (const each of commands) {
    look(each, state, 0);
    lookEmptied(each, state, 0);
    noteCaptured(each, state);
  }
  lookCopied([...commands, ...state.unwrapped], [...(walk?.redirects ?? []), ...state.redirects], state);
  for (const each of [...commands, ...state.unwrapped]) notePatched(each, state);
  for (const each of state.unwrapped) noteCaptured(each, state);
  doubtCommands(commands, { ...state, unwrapped: state.unwrapped.filter((each) => !state.guesses.has(each)) });
  const redirects = [...(walk?.redirects ?? []), ...state.redirects];
  if (redirects.some(leadsToOutputPath)) state.doubts.add(OUTPUT_PATH);
  const words = [...(walk?.words ?? []), ...state.words];
  const unwrapped = [...state.unwrapped, ...state.emptied];
  const paths = pathWords({ ...state, commands, unwrapped, redirects, words });
  paths.push(...state.patched);
  for (const { text: given, dir } of state.texts)
    if (budget.spend(given.length)) paths.push(...fallbackPathWords(given, dir, budget));
  if (budget.usedUp) state.doubts.add(TOO_MUCH_WORK);
  if (walk === undefined || !isReadWhole(state.doubts)) {
    readByWords(text, state);
    paths.push(...fallbackPathWords(text, options.cwd, budget));
  }
  return {
    text: command,
    cwd: options.cwd,
    commands,
    unwrapped: [...state.unwrapped, ...state.emptied],
    redirects: walk?.redirects ?? [],
    paths: paths.filter(({ variable }) => variable === undefined),
    usualPaths: paths.filter(({ variable }) => variable !== undefined),
    steps: budget.spent,
    doubts: [...state.doubts],
    human: [...state.human.values()],
  };
}

/** Looks at each copy of a program under the name of that program. */
function lookCopied(commands: readonly ShellCommand[], redirects: readonly ShellRedirect[], state: State): void {
  const copies = copiesIn(commands, redirects);
  for (const each of copies.size === 0 ? [] : commands) {
    const originals = asOriginals(each, copies);
    if (originals === undefined) state.doubts.add('a file that may be a copy of too many programs');
    for (const original of originals ?? []) lookInside(original, each, state, 0);
  }
}

function newState(parser: ShellParser, options: WalkOptions): State {
  return {
    parser,
    options,
    budget: options.budget,
    unwrapped: [],
    emptied: [],
    inside: new Map(),
    redirects: [],
    words: [],
    captured: new Set(),
    written: new Set(),
    candidates: new Set(),
    guesses: new Set(),
    texts: [],
    patched: [],
    doubts: new Set(),
    human: new Map(),
    looked: new Set(),
    tried: { commands: new Map(), code: new Map() },
  };
}

/** A text that is not understood is also read word by word, so that deny rules still see its commands. */
function readByWords(text: string, state: State): void {
  const found = fallbackCommands(text).map((argv) => unwrappedCommand(argv, state.options.cwd, FALLBACK));
  for (const each of found) findCritical(each, state);
  state.unwrapped.push(...found);
}

function walkText(text: string, state: State, options: WalkOptions, depth = 0): ShellWalk | undefined {
  const tree = state.budget.spend(PARSE + text.length) ? state.parser.parse(joinLines(text)) : undefined;
  if (tree === undefined) return undefined;
  // A plain text has blanks only between its words.
  if (!tree.plain && joinsLines(tree.root, tree.text)) state.doubts.add(JOINED);
  const walk = new ShellWalk(tree, options);
  for (const doubt of walk.doubts) state.doubts.add(doubt);
  for (const command of walk.captured) state.captured.add(command);
  const isRead = isReadWhole(walk.doubts);
  const disagreement = isRead ? state.parser.secondReading(tree, walk) : undefined;
  if (disagreement !== undefined) state.doubts.add(disagreement);
  for (const { code, dir } of walk.codes) {
    if (depth >= MAX_DEPTH) {
      state.doubts.add(TOO_DEEP);
      break;
    }
    takeCode(walkText(code, state, { ...options, cwd: dir }, depth + 1), state, 'substitution', depth + 1);
  }
  return walk;
}

type Location = Pick<ShellCommand, 'stdin' | 'dirAllowed' | 'otherDirs'>;
const ANYWHERE: Location = { stdin: { kind: 'inherited' }, dirAllowed: true, otherDirs: [] };

function unwrappedCommand(argv: readonly Field[], dir: string, foundIn: string, location = ANYWHERE): ShellCommand {
  return {
    argv,
    assignments: [],
    stdin: location.stdin,
    dir,
    otherDirs: location.otherDirs,
    dirAllowed: location.dirAllowed,
    foundIn,
  };
}

function findCritical(command: ShellCommand, state: State): void {
  if (state.human.has('critical-delete')) return;
  const message = criticalDelete(command, state.options, state.looked);
  if (message !== undefined) state.human.set('critical-delete', { code: 'critical-delete', message });
}

/** Looks into one command: its wrappers, code strings and standard input. */
function look(command: ShellCommand, state: State, depth: number): void {
  findCritical(command, state);
  for (const code of codeInVariables(command)) lookIntoCode(code, command, state, depth);
  const unwrapped = unwrap(command.argv, state.budget);
  if (unwrapped.runsOutputAsCode) state.human.set(OUTPUT_AS_CODE.code, OUTPUT_AS_CODE);
  if (unwrapped.givesParameters === true) state.doubts.add(PARAMETERS);
  if (unwrapped.readsStdin && command.stdin.kind !== 'inherited' && command.stdin.kind !== 'file') {
    state.human.set(OUTPUT_AS_CODE.code, OUTPUT_AS_CODE);
    for (const code of stdinCode(command)) lookIntoCode(code, command, state, depth);
  }
  if (unwrapped === NOTHING && !takesWords(command)) return;
  if (unwrapped.code.includes(undefined)) state.doubts.add(UNCERTAIN_CODE);
  if (depth >= MAX_DEPTH) {
    if (unwrapped.argvs.length > 0 || unwrapped.from !== undefined || unwrapped.code.length > 0)
      state.doubts.add(TOO_DEEP);
    return;
  }
  state.budget.spend(command.argv.length >> 2);
  for (const argv of givenByInput(command, unwrapped)) lookInside(argv, command, state, depth);
  for (const argv of withMadeText(command, unwrapped)) lookInside(argv, command, state, depth);
  for (const argv of unwrapped.argvs) lookInside(argv, command, state, depth);
  if (unwrapped.from !== undefined || unwrapped.codeWords === true) tryWords(command, unwrapped, state, depth);
  for (const code of unwrapped.code) lookIntoCode(code, command, state, depth);
}

/** Tries each later word as the first of a command, or as code, where the program's own words are too many to know. */
function tryWords(command: ShellCommand, found: Unwrapped, state: State, depth: number): void {
  const { argv } = command;
  const last = argv.at(-1) as Field;
  const { tried } = state;
  const from = found.from ?? 1;
  /** Words that were not tried yet; a command within this one may have tried the last ones. */
  const untried = (seen: Map<Field, number>): readonly number[] => {
    const before = seen.get(last) ?? 0;
    seen.set(last, Math.max(before, argv.length - from));
    return Array.from({ length: Math.max(0, argv.length - from - before) }, (_, index) => from + index);
  };
  const end = endOfRunner(argv, from);
  // Words around the program that is named are hardly one: `db` and `app` of `docker exec db psql app -c CODE`.
  const isNamed = end < argv.length;
  const texts = new Set(argv.filter((_, at) => isNamedText(at, argv)));
  const behind = (at: number): readonly Field[] =>
    texts.size === 0 ? argv.slice(at) : argv.slice(at).filter((field) => !texts.has(field));
  // The words around a program that owns the rest are no programs.
  const words = isNamed && ownsRest(argv, from, end) ? [end - 1] : undefined;
  for (const at of found.from === undefined ? [] : (words ?? untried(tried.commands)))
    if (!state.budget.usedUp)
      (isNamed && at !== end - 1 ? guessInside : lookInside)(behind(at), command, state, depth, true);
  for (const at of found.codeWords === true ? untried(tried.code) : [])
    if (!state.budget.usedUp)
      (at < end ? lookIntoCode : guessCode)(
        codeInWord(argv[at] as Field),
        command,
        // Deny rules hear the name of a test, which deletes nothing.
        isNamedText(at, argv) ? { ...state, human: new Map() } : state,
        depth,
      );
}

/** Whether the same inner command was unwrapped before: two spellings such as `python3 -m x` and `python -m x` lead to the same words. */
function wasUnwrapped(command: ShellCommand, candidate: boolean, { inside, candidates }: State): boolean {
  const [first] = command.argv;
  if (first === undefined) return false;
  const known = inside.get(first);
  if (known === undefined) inside.set(first, [command]);
  else if (known.some((each) => isSameCommand(each, command) && candidates.has(each) === candidate)) return true;
  else known.push(command);
  return false;
}

const isSameCommand = (one: ShellCommand, other: ShellCommand): boolean =>
  one.argv.length === other.argv.length &&
  one.dir === other.dir &&
  one.otherDirs === other.otherDirs &&
  one.dirAllowed === other.dirAllowed &&
  one.stdin === other.stdin &&
  one.argv.every((field, at) => field === other.argv[at]);

/** The words of one command as another that it would run. */
function lookInside(
  argv: readonly Field[],
  command: ShellCommand,
  state: State,
  depth: number,
  candidate = state.candidates.has(command),
): void {
  if (!state.budget.spend(UNWRAP_STEPS + (argv.length >> 2))) return;
  const inner = unwrappedCommand(argv, command.dir, programOf(command.argv[0]) ?? '', command);
  if (wasUnwrapped(inner, candidate, state)) return;
  state.unwrapped.push(inner);
  if (candidate) state.candidates.add(inner);
  look(inner, state, depth + 1);
}

/** Looks at the command that runs if the unknown parts are empty: `$x rm y`, `r${x}m y`, `find / $1-delete`. */
function lookEmptied(command: ShellCommand, state: State, depth: number): void {
  const emptied = emptiedOf(command);
  if (emptied === undefined || !state.budget.spend(UNWRAP_STEPS + emptied.argv.length)) return;
  state.emptied.push(emptied);
  look(emptied, state, depth);
}

/** The same of words that are hardly a command: nothing in them is a doubt. */
function guessInside(argv: readonly Field[], command: ShellCommand, state: State, depth: number): void {
  const from = state.unwrapped.length;
  lookInside(argv, command, { ...state, doubts: new Set() }, depth, true);
  for (const each of state.unwrapped.slice(from)) state.guesses.add(each);
}

/** Looks into a text that is hardly code: deny rules hear its commands, and nothing in it is a doubt. */
function guessCode(code: string | undefined, command: ShellCommand, state: State, depth: number): void {
  const doubts = new Set<string>();
  const from = state.unwrapped.length;
  lookIntoCode(code, command, { ...state, doubts }, depth);
  if (doubts.has(NOT_PARSED)) readByWords(code ?? '', state);
  for (const each of state.unwrapped.slice(from)) state.guesses.add(each);
}

function lookIntoCode(code: string | undefined, command: ShellCommand, state: State, depth: number): void {
  if (code === undefined || state.budget.usedUp) return;
  if (depth >= MAX_DEPTH) {
    state.doubts.add(TOO_DEEP);
    return;
  }
  const { dir: cwd, otherDirs, dirAllowed } = command;
  const options = { ...state.options, cwd, otherDirs, dirAllowed, isWithin: true };
  // Code of an argument has the command's own input.
  const stdin = stdinCode(command).includes(code) ? undefined : command.stdin;
  takeCode(walkText(code, state, options, depth + 1), state, programOf(command.argv[0]) ?? '', depth + 1, stdin);
}

function takeCode(
  walk: ShellWalk | undefined,
  state: State,
  foundIn: string,
  depth: number,
  stdin?: ShellCommand['stdin'],
): void {
  if (walk === undefined) {
    state.doubts.add('code within the command could not be parsed');
    return;
  }
  state.redirects.push(...walk.redirects);
  state.words.push(...walk.words);
  for (const inner of walk.commands) {
    const each = { ...inner, foundIn, stdin: inner.stdin.kind === 'inherited' ? (stdin ?? inner.stdin) : inner.stdin };
    state.unwrapped.push(each);
    look(each, state, depth);
    lookEmptied(each, state, depth);
  }
}

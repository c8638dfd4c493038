/** The whole analysis of a shell command: what it runs, through wrappers and code strings too, and what is in doubt. */
import { codePointName, inspectCharacters } from '../text/characters.ts';
import {
  type HumanClass,
  joinFields,
  LOOSE,
  type LooseWord,
  type ShellAnalysis,
  type ShellCommand,
  type ShellRedirect,
} from './command.ts';
import { criticalDelete } from './critical.ts';
import { derive, programOf } from './derive.ts';
import { type Field, literalField } from './fields.ts';
import { looseCommands } from './loose.ts';
import type { ShellParser } from './parser.ts';
import { ShellWalk, type WalkOptions } from './walk.ts';

/** D17: beyond it a command is at least ask. */
export const LONG_COMMAND = 10_000;
const MAX_DEPTH = 8;
const MAX_DERIVED = 2000;
const TOO_DEEP = 'commands within commands, too many or too deep';

/** Doubts about a text whose commands were nevertheless all seen. */
const READ_WHOLE: ReadonlySet<string> = new Set([
  'a word continued on the next line',
  'arithmetic',
  'an expansion with an operator',
  'a function definition',
  'a subscript',
  'an array',
  'more than one here-document',
  'a redirection to more than one word',
]);

interface State {
  readonly parser: ShellParser;
  readonly options: WalkOptions;
  readonly derived: ShellCommand[];
  readonly redirects: ShellRedirect[];
  readonly words: LooseWord[];
  readonly doubts: Set<string>;
  readonly human: Map<string, HumanClass>;
}

const MADE_CODE: HumanClass = {
  code: 'decode-and-run',
  message: 'A shell or interpreter would run code that another command makes.',
};

/** A copy with `\\`-newline removed, as a shell reads it before it splits words; an escaped backslash continues nothing. */
function joinLines(command: string): string {
  if (!command.includes('\\\n')) return command;
  let result = '';
  for (let at = 0; at < command.length; at++) {
    if (command[at] !== '\\') {
      result += command[at];
    } else if (command[at + 1] === '\n') {
      at += 1;
    } else {
      result += command.slice(at, at + 2);
      at += 1;
    }
  }
  return result;
}

/** A continuation with no blank on either side: what looks like two tokens is one. */
function splitsWord(command: string): boolean {
  for (let at = command.indexOf('\\\n'); at >= 0; at = command.indexOf('\\\n', at + 2)) {
    const before = command[at - 1] ?? ' ';
    const after = command[at + 2] ?? ' ';
    if (!' \t\n'.includes(before) && !' \t\n'.includes(after)) return true;
  }
  return false;
}

export function analyseCommand(command: string, parser: ShellParser, options: WalkOptions): ShellAnalysis {
  const state: State = {
    parser,
    options,
    derived: [],
    redirects: [],
    words: [],
    doubts: new Set(),
    human: new Map(),
  };
  const odd = inspectCharacters(command, 'command');
  if (odd?.kind === 'odd') state.doubts.add(`the command holds ${odd.what} (${codePointName(odd.codePoint)})`);
  if (command.length > LONG_COMMAND) state.doubts.add(`the command is longer than ${LONG_COMMAND} characters`);
  const text = joinLines(command);
  // Where a joined line may stand within quotes or a here-document, what it means is not certain.
  if (text !== command && (command.includes("'") || command.includes('<<') || command.includes('#'))) {
    state.doubts.add('a continued line among quotes or comments');
  }
  if (splitsWord(command)) state.doubts.add('a word continued on the next line');
  const walk = walkText(text, state, options);
  const commands = walk?.commands ?? [];
  if (walk === undefined) state.doubts.add('the command could not be parsed');
  for (const each of commands) look(each, state, 0);
  if (commands.some((each) => programOf(each.argv[0]) === 'coproc')) state.doubts.add('a coprocess');
  if (
    walk === undefined ||
    [...state.doubts].some((doubt) => !READ_WHOLE.has(doubt) && !doubt.startsWith('the command holds'))
  ) {
    // What is not understood is also read word by word, so that deny rules still see it (D17).
    for (const argv of looseCommands(text)) state.derived.push(derivedCommand(argv, options.cwd, LOOSE));
    for (const each of state.derived.slice()) findCritical(each, state);
  }
  return {
    text: command,
    cwd: options.cwd,
    commands,
    derived: state.derived,
    redirects: walk?.redirects ?? [],
    derivedRedirects: state.redirects,
    words: [...(walk?.words ?? []), ...state.words],
    doubts: [...state.doubts],
    human: [...state.human.values()],
  };
}

function walkText(text: string, state: State, options: WalkOptions, depth = 0): ShellWalk | undefined {
  const tree = state.parser.parse(joinLines(text));
  if (tree === undefined) return undefined;
  const walk = new ShellWalk(tree, options);
  for (const doubt of walk.doubts) state.doubts.add(doubt);
  for (const { code, dir } of walk.codes) {
    if (depth >= MAX_DEPTH || state.derived.length >= MAX_DERIVED) {
      state.doubts.add(TOO_DEEP);
      break;
    }
    takeCode(walkText(code, state, { ...options, cwd: dir }, depth + 1), state, 'substitution', depth + 1);
  }
  return walk;
}

function derivedCommand(argv: readonly Field[], dir: string, through: string): ShellCommand {
  let joined: string | undefined;
  return {
    argv,
    assignments: [],
    stdin: { kind: 'inherited' },
    dir,
    dirAllowed: true,
    // Of thousands of candidates few are compared.
    get joined() {
      joined ??= joinFields(argv);
      return joined;
    },
    through,
  };
}

function findCritical(command: ShellCommand, state: State): void {
  const message = criticalDelete(command, state.options);
  if (message !== undefined) state.human.set('critical-delete', { code: 'critical-delete', message });
}

/** Looks into one command: its wrappers, code strings and standard input. */
function look(command: ShellCommand, state: State, depth: number): void {
  findCritical(command, state);
  const found = derive(command.argv);
  if (found.runsMadeCode) state.human.set(MADE_CODE.code, MADE_CODE);
  if (found.readsStdin && command.stdin.kind !== 'inherited' && command.stdin.kind !== 'file') {
    state.human.set(MADE_CODE.code, MADE_CODE);
    for (const code of stdinCode(command)) lookIntoCode(code, command, state, depth);
  }
  if (depth >= MAX_DEPTH || state.derived.length >= MAX_DERIVED) {
    if (found.argvs.length > 0 || found.code.length > 0) state.doubts.add(TOO_DEEP);
    return;
  }
  for (const argv of found.argvs) {
    const inner: ShellCommand = {
      ...command,
      argv,
      assignments: [],
      joined: joinFields(argv),
      through: programOf(command.argv[0]) ?? '',
    };
    state.derived.push(inner);
    look(inner, state, depth + 1);
  }
  for (const code of found.code) if (code !== undefined) lookIntoCode(code, command, state, depth);
}

/** Code that a here-document holds, or that `echo` and `printf` write into the pipe. */
function stdinCode(command: ShellCommand): string[] {
  if (command.stdin.kind === 'text') return command.stdin.text === undefined ? [] : [command.stdin.text];
  if (command.stdin.kind !== 'pipe') return [];
  return command.stdin.from.flatMap((source) => {
    const name = programOf(source.argv[0]);
    if (name !== 'echo' && name !== 'printf') return [];
    const words = source.argv.slice(1).filter((field) => field.known);
    const texts = words.filter((field) => !field.text.startsWith('-')).map((field) => field.text);
    // `printf '%s' CODE`: each word may be the code, too.
    return name === 'printf' ? [texts.join(' '), ...texts] : [texts.join(' ')];
  });
}

function lookIntoCode(code: string, command: ShellCommand, state: State, depth: number): void {
  if (depth >= MAX_DEPTH || state.derived.length >= MAX_DERIVED) {
    state.doubts.add(TOO_DEEP);
    return;
  }
  const options = { ...state.options, cwd: command.dir, dirAllowed: command.dirAllowed };
  takeCode(walkText(code, state, options, depth + 1), state, programOf(command.argv[0]) ?? '', depth + 1);
}

function takeCode(walk: ShellWalk | undefined, state: State, through: string, depth: number): void {
  if (walk === undefined) {
    state.doubts.add('code within the command could not be parsed');
    return;
  }
  state.redirects.push(...walk.redirects);
  state.words.push(...walk.words);
  for (const inner of walk.commands) {
    const each = { ...inner, through };
    state.derived.push(each);
    look(each, state, depth);
  }
}

/** A command of plain words, for callers that have them already. */
export function plainCommand(words: readonly string[], dir: string): ShellCommand {
  return derivedCommand(words.map(literalField), dir, '');
}

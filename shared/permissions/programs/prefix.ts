/** Says what a prefix allow covers of one command, by the program's record. */
import { MAX_DEPTH } from '../shell/syntax/budget.ts';
import type { ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import { recordOf } from './catalogue/index.ts';
import { addressProblem } from './command-address.ts';
import { interpreterCover, scriptAt } from './interpreters.ts';
import { BY_CUSTOM, readOptions } from './record/options.ts';
import type { Interpreter, Runner } from './record/record.ts';
import { type Resolved, readingOf, resolveCommand } from './resolve.ts';

export type PrefixVerdict =
  /** `writes`: files that it writes, judged like redirections. `described`: the catalogue has a record of the program. */
  | { readonly kind: 'covered'; readonly writes: readonly Field[]; readonly described: boolean }
  /** `why` is a clause; `write` the words of a rule that would cover it, where one is known. */
  | { readonly kind: 'no'; readonly why: string; readonly write?: readonly string[] | undefined };

/** All that coverage needs to know of the folders that the command may run in. */
export interface CommandLocation {
  /** Whether a literal path lies within the project root. */
  inside(path: string): boolean;
}

const no = (why: string, write?: readonly string[]): PrefixVerdict => ({ kind: 'no', why, write });
const covered = (described: boolean, writes: readonly Field[] = []): PrefixVerdict => ({
  kind: 'covered',
  writes,
  described,
});

const ASKS_VERSION: ReadonlySet<string> = new Set([
  '--version',
  '--help',
  '-h',
  '-V',
  '-v',
  '-version',
  'version',
  'help',
]);

/** `ruleWords`: the words of the rule whose prefix it is. `depth`: how many runners the command is within. */
export function prefixCovers(
  command: Pick<ShellCommand, 'argv' | 'stdin'>,
  ruleWords: readonly string[],
  location: CommandLocation,
  depth = 0,
): PrefixVerdict {
  if (depth > MAX_DEPTH) return no('commands within commands, too deep');
  const resolved = resolveCommand(command.argv);
  const name = baseName(command.argv[0]?.text ?? '');
  const address = addressProblem(command.argv, resolved, ruleWords);
  if (address !== undefined) return no(address);
  if (resolved === undefined) return coverUndescribed(name, command);
  const { program, record } = resolved;
  if (asksVersion(command.argv, resolved)) return covered(true);
  const runner = program.runner ?? record.runner;
  if (runner?.allow === 'named') return coverNamed(resolved, runner, command, ruleWords, location, depth + 1);
  const ungranted = grantProblem(resolved, ruleWords, location);
  if (ungranted !== undefined) return ungranted;
  if (readsCode(resolved) && command.stdin.kind !== 'inherited') return no(`${name} runs code from its input`);
  const foreign = foreignProgram(resolved);
  if (foreign !== undefined) return no(`${name} ${foreign.text} may run the program of that name`);
  const interpreter = record.interpreter ?? program.interpreter;
  if (interpreter !== undefined) {
    const found = interpreterCover(name, interpreter, command.argv.slice(1));
    if (found.kind === 'module') return coverModule(name, found, command, ruleWords, location, depth + 1);
    if (found.kind === 'no') return no(found.why);
    const script = scriptWords(command.argv, interpreter);
    if (script !== undefined)
      return prefixCovers({ argv: script, stdin: command.stdin }, ruleWords, location, depth + 1);
    // A sub-command may have options of its own: `deno task --eval CODE`.
    if (record === program || record.options === undefined) return covered(true);
  }
  return coverOptions(resolved, ruleWords);
}

/** `python manage.py shell`: the script's own words, where it has a record. */
function scriptWords(argv: readonly Field[], interpreter: Interpreter): readonly Field[] | undefined {
  const at = scriptAt(argv, interpreter);
  return at > 0 && recordOf(baseName(argv[at]?.text ?? ''))?.isScript === true ? argv.slice(at) : undefined;
}

/** Behind a sub-command the input is its data, unless the program always takes commands from it. */
const readsCode = ({ program: { stdin, subcommands }, path }: Resolved): boolean =>
  stdin === true || (stdin !== undefined && (subcommands === undefined || path.length === 0));

/** Sub-commands that run a command or open a shell, whatever program has them. */
const RUNNING: ReadonlySet<string> = new Set(
  'exec eval shell ssh console repl foreach devenv sh bash xargs system'.split(' '),
);
/** Groups of sub-commands may stand before such a word. */
const MAX_GROUPS = 3;

/** A program that nobody has described: its options and its first words alone decide. */
function coverUndescribed(name: string, { argv, stdin }: Pick<ShellCommand, 'argv' | 'stdin'>): PrefixVerdict {
  const read = readOptions(argv.slice(1), BY_CUSTOM);
  if (typeof read === 'string') return no(`${name} with ${read} may run, load, read or write more`);
  const running = read.operands.slice(0, MAX_GROUPS).find(({ text }) => RUNNING.has(text.split(/[-_:]/)[0] as string));
  if (running !== undefined) return no(`${name} ${running.text.slice(0, 40)} may run a command`);
  const reader =
    stdin.kind === 'inherited' ? undefined : argv.find(({ text }) => recordOf(baseName(text))?.stdin === true);
  return reader === undefined ? covered(false) : no(`${name} may run ${reader.text.slice(0, 40)}, and that its input`);
}

/** `npm --version`: but not of a program that runs another, or code. */
const asksVersion = (argv: readonly Field[], { program }: Resolved): boolean =>
  argv.length === 2 &&
  ASKS_VERSION.has(argv[1]?.text ?? '') &&
  program.runner === undefined &&
  program.grant !== 'never' &&
  program.interpreter === undefined;

/** The options and operands as the record describes them. */
function coverOptions(resolved: Resolved, ruleWords: readonly string[]): PrefixVerdict {
  const { record, path, words } = resolved;
  const read = readingOf(resolved);
  if (typeof read === 'string') return no(`${commandName(resolved)} with ${read} may run, load, read or write more`);
  const why = record.options?.operands?.(read.operands, read.options, ruleWords);
  if (why !== undefined) return no(`a prefix does not cover ${why}`);
  if (record.subcommands !== undefined && record.subcommands.optional !== true && words.length + path.length > 0)
    return no(`${commandName(resolved)} without a sub-command is not known`);
  return covered(true, record.writes?.(read.operands, read.options) ?? []);
}

/** `git log`, `docker compose up`. */
const commandName = ({ program, path }: Resolved): string => [program.names[0], ...path].join(' ').slice(0, 60);

/** Names the words that a rule lacks, or why none can cover the command. */
function grantProblem(
  resolved: Resolved,
  ruleWords: readonly string[],
  location: CommandLocation,
): PrefixVerdict | undefined {
  const { program, record, uncertain } = resolved;
  const name = commandName(resolved);
  if (program.grant === 'never' || (program.runner !== undefined && program.runner.allow === 'never'))
    return no(`${name} may run or change anything`);
  if (uncertain !== undefined) return no(`a prefix does not cover ${uncertain} of ${program.names[0]}`);
  const outside = globalOutside(resolved, location);
  if (outside !== undefined) return no(`${outside.text.slice(0, 40)} is outside of the project`);
  const granted = record.grant ?? 'program';
  // `go run` names what runs by a path of the project: its own check decides.
  const runs = record.runner?.allow === 'never' && record.grant !== 'subcommand';
  if (granted === 'never' || runs) return no(`${name} may run or change anything`);
  const named = namedWords(resolved);
  if (!named.every((word) => ruleWords.includes(word))) {
    const words = [program.names[0] as string, ...named];
    return no(`a rule has to name ${words.join(' ').slice(0, 60)}`, words);
  }
  return undefined;
}

/** The words that a rule has to name. */
function namedWords({ record, path, words }: Resolved): readonly string[] {
  const secret = record.reveals?.(words);
  if (secret !== undefined) return [...path, ...secret];
  if (record.grant === 'subcommand') return path;
  return record.grant === 'group' ? path.slice(0, -1) : [];
}

/** The value of `git -C`, `docker compose -f` and their like. */
function globalOutside({ program, globals }: Resolved, location: CommandLocation): Field | undefined {
  if (globals.length === 0) return undefined;
  const inside = insideOptions(program.subcommands);
  return globals.find((field, at) => {
    const before = globals[at - 1]?.text ?? '';
    const equals = field.text.indexOf('=');
    if (inside.has(before)) return !field.isKnown || !location.inside(field.text);
    const attached = equals > 0 && inside.has(field.text.slice(0, equals));
    return attached && !location.inside(field.text.slice(equals + 1));
  });
}

const NO_OPTIONS: ReadonlySet<string> = new Set();
const insideKnown = new WeakMap<object, ReadonlySet<string>>();

function insideOptions(subcommands: Resolved['program']['subcommands']): ReadonlySet<string> {
  if (subcommands === undefined) return NO_OPTIONS;
  let inside = insideKnown.get(subcommands);
  if (inside === undefined) {
    const within = [...subcommands.of.values()].flatMap((each) => [...(each.subcommands?.inside ?? [])]);
    inside = new Set([...subcommands.inside, ...within]);
    insideKnown.set(subcommands, inside);
  }
  return inside;
}

/** `pnpm curl`, `yarn run node`: where no script has the name, these run the program of that name. */
function foreignProgram({ program, path, words }: Resolved): Field | undefined {
  const { subcommands } = program;
  const [name] = path;
  const { runsPrograms } = subcommands ?? {};
  if (subcommands === undefined || runsPrograms === undefined || name === undefined) return undefined;
  const isScript = (word: string): boolean => runsPrograms.scripts.has(word);
  const isRun = name === 'run' && !runsPrograms.runIsScript;
  const candidate = isRun ? words.find(({ text }) => !text.startsWith('-')) : undefined;
  // A path names no script.
  if (program.interpreter === undefined) {
    if (name.includes('/')) return { text: name } as Field;
    if (candidate?.text.includes('/')) return candidate;
  }
  if (candidate !== undefined && recordOf(baseName(candidate.text)) !== undefined && !isScript(candidate.text))
    return candidate;
  const own = subcommands.of.has(name) || isRun || isScript(name);
  return own || recordOf(baseName(name)) === undefined ? undefined : ({ text: name } as Field);
}

/** `npx jest`, `uv run pytest`: covered where the rule names the program, and that program's own words are covered. */
function coverNamed(
  resolved: Resolved,
  runner: Runner,
  command: Pick<ShellCommand, 'argv' | 'stdin'>,
  ruleWords: readonly string[],
  location: CommandLocation,
  depth: number,
): PrefixVerdict {
  const name = commandName(resolved);
  if (resolved.uncertain !== undefined) return no(`a prefix does not cover ${resolved.uncertain} of ${name}`);
  const outside = globalOutside(resolved, location);
  if (outside !== undefined) return no(`${outside.text.slice(0, 40)} is outside of the project`);
  const { words } = resolved;
  let at = 0;
  for (; at < words.length; at++) {
    const { text, isKnown } = words[at] as Field;
    if (!text.startsWith('-') || !isKnown) break;
    if (!runner.flags.has(text)) return no(`the option ${text.slice(0, 40)} may change what ${name} runs`);
  }
  const inner = words.slice(at + runner.operands);
  const [first] = inner;
  const named = words.slice(at, at + runner.operands + 1);
  // The image of `docker run ubuntu` says what runs.
  if (first === undefined && runner.operands > 0) return no(`${name} may run or change anything`);
  if (first === undefined || named.some((word, index) => !isPlainName(word, index)))
    return no(`${name} runs a program that is not literal`);
  const start = [...resolvedWords(resolved), ...named.map(({ text }) => text)];
  // `docker exec db ls` names the container, too, and `kubectl -n dev exec …` the namespace.
  const elsewhere = runner.operands > 0 && resolved.globals.some(({ text }) => !ruleWords.includes(text));
  const from = wordsFrom(ruleWords, named);
  if (from === undefined || elsewhere) return no(`${name} runs another program`, elsewhere ? undefined : start);
  return behind(start.slice(0, -1), prefixCovers({ argv: inner, stdin: command.stdin }, from, location, depth));
}

/** Only `--` may begin with a dash, and stands behind the name of a container. */
const isPlainName = ({ text, isKnown, hasGlob }: Field, at: number): boolean =>
  isKnown && !hasGlob && (!text.startsWith('-') || (text === '--' && at > 0));

/** The words of the rule from the last of these on, where it has all of them in their order. */
function wordsFrom(ruleWords: readonly string[], named: readonly Field[]): readonly string[] | undefined {
  let at = -1;
  for (const { text } of named) {
    at = ruleWords.indexOf(text, at + 1);
    if (at < 0) return undefined;
  }
  return ruleWords.slice(at);
}

/** Puts the words of the runner before those that a rule has to name. */
const behind = (words: readonly string[], verdict: PrefixVerdict): PrefixVerdict =>
  verdict.kind === 'no' && verdict.write !== undefined ? { ...verdict, write: [...words, ...verdict.write] } : verdict;

const resolvedWords = ({ program, path }: Resolved): readonly string[] => [program.names[0] as string, ...path];

/** `python -m pytest`: covered where the rule names the module. */
function coverModule(
  name: string,
  { name: module, rest }: { readonly name: Field; readonly rest: readonly Field[] },
  command: Pick<ShellCommand, 'stdin'>,
  ruleWords: readonly string[],
  location: CommandLocation,
  depth: number,
): PrefixVerdict {
  const named = ruleWords.includes('-m') && ruleWords.includes(module.text);
  if (!named) return no(`${name} runs a module`, module.isKnown ? [name, '-m', module.text] : undefined);
  const from = ruleWords.slice(ruleWords.indexOf(module.text));
  return behind([name, '-m'], prefixCovers({ argv: rest, stdin: command.stdin }, from, location, depth));
}

/** Sees through wrappers and code strings: the commands that a command would run besides itself, for deny and ask. */
import { recordOf, withoutVersion } from '../programs/catalogue/index.ts';
import type { Interpreter, ProgramRecord, Runner } from '../programs/catalogue/record.ts';
import { resolveCommand, runWordsOf } from '../programs/resolve.ts';
import type { WorkBudget } from './budget.ts';
import { programOf } from './command.ts';
import type { Field } from './fields.ts';
import { fieldOf, literalField } from './fields.ts';
import { isStandardInput } from './standard-input.ts';
import type { Atom } from './word.ts';

export interface Derived {
  /** Inner commands as words. */
  readonly argvs: readonly (readonly Field[])[];
  /** From this word on, each may be the first of an inner command; where `codeWords`, or code by itself. */
  readonly from?: number | undefined;
  readonly codeWords?: boolean | undefined;
  /** Code for a shell; `undefined` where it is not known. */
  readonly code: readonly (string | undefined)[];
  /** An interpreter or shell reads code that another command makes (rules.md: `decode-and-run`). */
  readonly runsMadeCode: boolean;
  /** It reads code from standard input. */
  readonly readsStdin: boolean;
  /** The code has words behind it, which it finds in its parameters. */
  readonly givesParameters?: boolean | undefined;
}

export const NOTHING: Derived = { argvs: [], code: [], runsMadeCode: false, readsStdin: false };

function isAssignment(text: string): boolean {
  const at = text.indexOf('=');
  if (at <= 0) return false;
  return [...text.slice(0, at)].every(
    (char, index) => char === '_' || isLetter(char) || (index > 0 && char >= '0' && char <= '9'),
  );
}

function isLetter(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');
}

function codeOf(fields: readonly Field[]): string | undefined {
  return fields.every((field) => field.known) ? fields.map((field) => field.text).join(' ') : undefined;
}

function hasOpaque(fields: readonly Field[]): boolean {
  return fields.some((field) => field.atoms.some((atom) => atom.kind === 'opaque'));
}

function throughWrapper(argv: readonly Field[], wrapper: Runner, budget: WorkBudget): Derived {
  const argvs: (readonly Field[])[] = [];
  const code: (string | undefined)[] = [];
  let made = false;
  let unsure = false;
  let operands = wrapper.operands;
  let at = 1;
  for (; at < argv.length && budget.spend(1); at++) {
    const text = (argv[at] as Field).text;
    const equals = text.indexOf('=');
    const name = text.startsWith('--') && equals > 0 ? text.slice(0, equals) : text;
    if (text === '--' || wrapper.flags.has(text) === true) continue;
    const codeOption = [...(wrapper.code ?? [])].find((each) => name === each || holdsCodeLetter(text, each, wrapper));
    if (codeOption !== undefined) {
      const attached =
        name !== text
          ? text.slice(equals + 1)
          : codeOption.startsWith('--')
            ? ''
            : text.slice(text.indexOf(codeOption[1] as string) + 1);
      const value = attached === '' ? argv[++at] : literalField(attached);
      if (value !== undefined) {
        const rest = argv.slice(at + 1);
        made ||= hasOpaque([value]);
        code.push(codeOf([value, ...rest]));
      }
    } else if (text.startsWith('-') && text.length > 1) {
      if (wrapper.values.has(text)) at += 1;
      else if (!(wrapper.values.has(name) || wrapper.flags.has(text) === true || isAttachedValue(text, wrapper)))
        unsure = true;
    } else if (wrapper.assignments === true && isAssignment(text)) {
      // Skipped.
    } else if (operands > 0) {
      operands -= 1;
      // `su root -c …`, `flock file -c …`: options may follow.
    } else {
      break;
    }
  }
  const rest = argv.slice(at);
  if (rest.length > 0) argvs.push(rest);
  if (wrapper.joins === true && rest.length > 0) {
    made ||= hasOpaque(rest);
    code.push(codeOf(rest));
  }
  // An option that the table does not know may take a value or not: every later word may be the command.
  return { argvs, from: unsure || operands > 0 ? 1 : undefined, code, runsMadeCode: made, readsStdin: false };
}

/** What xargs or find puts into a command. */
const ARGUMENT: Atom = { kind: 'var', name: '', quoted: false };

/** The same words with any text in place of each mark. */
function withMark(argv: readonly Field[], mark: string): readonly Field[] {
  return argv.map((field) => {
    if (!field.known || !field.text.includes(mark)) return field;
    const parts = field.text.split(mark).map((part) => literalField(part).atoms);
    return fieldOf(parts.flatMap((atoms, at) => (at === 0 ? atoms : [ARGUMENT, ...atoms])));
  });
}

/** `xargs -I{} CMD {}`, `xargs CMD`: the command with any words in place of the mark, or behind its own. */
function withArguments(argv: readonly Field[], derived: Derived): Derived {
  const [inner] = derived.argvs;
  if (inner === undefined) return derived;
  const options = argv.slice(1, argv.length - inner.length).map(({ text }) => text);
  const at = options.findIndex((text) => /^-[Ii]|^--replace/.test(text));
  const option = options[at] ?? '';
  const attached = option.startsWith('--') ? option.slice('--replace='.length) : option.slice(2);
  const mark = attached !== '' ? attached : ((option === '-I' ? options[at + 1] : undefined) ?? '{}');
  const given = at < 0 ? [...inner, fieldOf([ARGUMENT])] : withMark(inner, mark);
  return { ...derived, argvs: [...derived.argvs, given] };
}

/** `-S`, `-Scode`, and clusters of flags before it: `-iS`, `-vScode`. */
function holdsCodeLetter(text: string, option: string, wrapper: Runner): boolean {
  if (option.length !== 2 || !text.startsWith('-') || text.startsWith('--')) return false;
  const at = text.indexOf(option[1] as string);
  return at > 0 && [...text.slice(1, at)].every((char) => wrapper.flags.has(`-${char}`) === true);
}

/** `-n10`, `-oL`, `-u5`: the value of a short option, attached. */
function isAttachedValue(text: string, wrapper: Runner): boolean {
  const short = text.slice(0, 2);
  const digits = [...text.slice(1)].every((char) => char >= '0' && char <= '9');
  return (
    text.length > 2 &&
    !text.startsWith('--') &&
    (wrapper.values.has(short) || digits || [...text.slice(1)].every((char) => wrapper.flags.has(`-${char}`)))
  );
}

/** `sh -xec 'code'`, `bash <(…)`, `sh` at the end of a pipe. */
function throughShell(argv: readonly Field[]): Derived {
  const code: (string | undefined)[] = [];
  let made = false;
  let script = false;
  let wantsCode = false;
  let last: Field | undefined;
  let stdin = false;
  for (let at = 1; at < argv.length; at++) {
    const field = argv[at] as Field;
    const text = field.text;
    if (!script && (text.startsWith('-') || text.startsWith('+')) && text.length > 1 && text !== '--') {
      const letters = text.startsWith('--') ? '' : text.slice(1);
      if (letters.includes('c')) wantsCode = true;
      if (letters.includes('s')) stdin = true;
      // `-euo pipefail -c code`: each of these letters takes a word.
      at += [...letters].filter((letter) => letter === 'o' || letter === 'O').length;
      if (text === '--rcfile' || text === '--init-file') at += 1;
    } else if (text === '--') {
    } else if (wantsCode) {
      code.push(codeOf([field]));
      last = field;
      made ||= hasOpaque([field]);
      wantsCode = false;
      script = true;
    } else if (!script) {
      script = true;
      made ||= hasOpaque([field]);
      if (isStandardInput(text)) stdin = true;
    }
  }
  const givesParameters = code.length > 0 && argv.at(-1) !== last && code.some((text) => text?.includes('$'));
  return { argvs: [], code, runsMadeCode: made, readsStdin: stdin || !script, givesParameters };
}

function throughInterpreter(argv: readonly Field[], { code: options, modules }: Interpreter): Derived {
  const argvs: (readonly Field[])[] = [];
  let made = false;
  let operand = false;
  let stdin = false;
  for (let at = 1; at < argv.length && !operand; at++) {
    const field = argv[at] as Field;
    const text = field.text;
    const option = [...options].find(
      (each) => text === each || (each.length === 2 && text.startsWith(each)) || text.startsWith(`${each}=`),
    );
    if (option !== undefined) {
      operand = true;
      made ||=
        hasOpaque([field]) || (text === option && argv[at + 1] !== undefined && hasOpaque([argv[at + 1] as Field]));
    } else if (isStandardInput(text)) {
      stdin = true;
      operand = true;
    } else if (text === '-m') {
      operand = true;
      if (modules === true && at + 1 < argv.length) argvs.push(argv.slice(at + 1));
    } else if (!text.startsWith('-')) {
      operand = true;
      made ||= hasOpaque([field]);
    }
  }
  return { argvs, code: [], runsMadeCode: made, readsStdin: stdin || !operand };
}

/** `find … -exec CMD … ;`, `fd … -x CMD …`. */
function throughFind(argv: readonly Field[], markers: ReadonlySet<string>, budget: WorkBudget): Derived {
  const argvs: (readonly Field[])[] = [];
  argv.forEach((field, at) => {
    if (markers.has(field.text) && budget.spend(argv.length >> 3)) {
      let end = at + 1;
      while (end < argv.length && !isEnd(argv, end)) end++;
      const inner = argv.slice(at + 1, end);
      if (inner.length > 0) argvs.push(inner);
      if (inner.some(({ text }) => text.includes('{}'))) argvs.push(withMark(inner, '{}'));
    }
    // fd: `-xCMD`, and letters before it: `-Hx CMD`.
    const attached = markers.has('-x') && !markers.has(field.text) ? attachedCommand(field.text) : undefined;
    if (attached !== undefined)
      argvs.push([...(attached === '' ? [] : [literalField(attached)]), ...argv.slice(at + 1)].slice(0, MAX_ATTACHED));
    const equals = field.text.indexOf('=');
    if (equals > 0 && markers.has(field.text.slice(0, equals)))
      argvs.push([literalField(field.text.slice(equals + 1))]);
  });
  return { ...NOTHING, argvs };
}

/** So many words of a command that stands behind a cluster of letters are looked at. */
const MAX_ATTACHED = 64;

function attachedCommand(text: string): string | undefined {
  if (!text.startsWith('-') || text.startsWith('--')) return undefined;
  const at = [...text].findIndex((char) => char === 'x' || char === 'X');
  return at < 1 ? undefined : text.slice(at + 1);
}

/** Where a command within `find` ends: a `+` is a word of it unless it stands behind `{}`. */
export function isEnd(argv: readonly Field[], at: number): boolean {
  const text = argv[at]?.text;
  return text === ';' || text === '\\;' || (text === '+' && argv[at - 1]?.text === '{}');
}

/** Behind a word that runs a command, or all words of a program that always does: each later word may be the command. */
function throughRunner(argv: readonly Field[], program: ProgramRecord): Derived {
  const always = program.runner?.anywhere === true;
  const words = runWordsOf(program);
  const from = always ? 1 : argv.findIndex((field, index) => index > 0 && words.has(field.text)) + 1;
  if (from === 0) return NOTHING;
  // ssh joins what it is given to one text for the other machine's shell.
  return {
    ...NOTHING,
    from,
    codeWords: true,
    code: [...(program.runner?.joins === true ? [codeOf(argv.slice(from))] : []), ...valuesIn(argv, from)],
  };
}

/** `--entrypoint=rm`, `test:rm x`: what stands behind the name of an option or of an environment. */
function valuesIn(argv: readonly Field[], from: number): (string | undefined)[] {
  return argv.slice(from).flatMap(({ text, known }, index) => {
    const end = text.startsWith('-') ? text.indexOf('=') : text.indexOf(':');
    if (!known || end <= 0 || '/\\'.includes(text[end + 1] ?? '/')) return [];
    const value = literalField(text.slice(end + 1));
    return [codeOf([value]), codeOf([value, ...argv.slice(from + index + 1)])];
  });
}

/** `tar --to-command=CODE`, `git -c alias.x=!CODE`, `rsync -e CODE`, `make SHELL=CODE`, `socat EXEC:CODE`, `vim +CODE`: each value. */
function throughCodeOptions(argv: readonly Field[], options: ReadonlySet<string>, byName: boolean): string[] {
  return argv.flatMap(({ text }, at) => {
    if (at === 0) return [];
    if (options.has(text) || (byName && executes(text))) return commandsIn(argv[at + 1]);
    const end = nameEnd(text);
    if (end > 0 && (options.has(text.slice(0, end)) || (byName && executes(text.slice(0, end)))))
      return commandsIn(literalField(text.slice(end + 1)));
    if (text.startsWith('+') && options.has('+')) return commandsIn(literalField(text.slice(1)));
    if (!text.startsWith('-') || text.startsWith('--')) return [];
    // `-eCODE`, and clusters of letters before it: `-ave CODE`.
    let letter = 1;
    while (letter < text.length && !options.has(`-${text[letter]}`)) letter++;
    if (letter === text.length) return [];
    return commandsIn(letter === text.length - 1 ? argv[at + 1] : literalField(text.slice(letter + 1)));
  });
}

/** Where the name of `--name=value`, `NAME=value` or `NAME:value` ends. */
function nameEnd(text: string): number {
  const equals = text.indexOf('=');
  return text.startsWith('-') || equals > 0 ? equals : text.indexOf(':');
}

/** Words of an option's name that say that its value is run, whatever the program. */
const EXECUTING: ReadonlySet<string> = new Set(
  'exec cmd command commands hook program runner execute shell launcher wrapper app script entrypoint'.split(' '),
);

/** `--exec`, `--post-hook`, `--sh-exec`; a short option has no name that says so. */
const executes = (text: string): boolean =>
  text.startsWith('--') &&
  text
    .slice(2)
    .split(/[-_.]/)
    .some((part) => EXECUTING.has(part));

/** The words of editors and debuggers that hand the rest to a shell. */
const TO_SHELL: ReadonlySet<string> = new Set(['shell', 'platform', 'system', 'silent', 'pipe', 'make']);

/** A value as code, without `NAME=`, and what `!` or a word such as `shell` within it hands to a shell. */
function commandsIn(value: Field | undefined): string[] {
  const code = value && codeOf([value]);
  if (code === undefined) return [];
  const equals = code.indexOf('=');
  const command = equals > 0 && !code.slice(0, equals).includes(' ') ? code.slice(equals + 1) : code;
  const bang = command.indexOf('!');
  const words = command.split(' ');
  const first = words.findIndex((word) => !TO_SHELL.has(word));
  const listed = '["'.includes(command[0] ?? ' ') ? [withoutBrackets(command)] : [];
  return [
    bang === 0 ? command.slice(1) : command,
    ...(bang > 0 ? [command.slice(bang + 1)] : []),
    ...(first > 0 ? [words.slice(first).join(' ')] : []),
    ...listed,
  ];
}

/** `["rm x"]`, a list of commands in JSON. */
const withoutBrackets = (text: string): string => text.replaceAll(/[[\]"]/g, ' ').trim();

/** A word that is a whole command line itself, such as the one that `npx` or `tmux` is given. */
export function codeInWord(field: Field): string | undefined {
  return field.text.includes(' ') ? codeOf([field]) : undefined;
}

/** `ssh host` runs what it reads; with a command of its own, it hands that its standard input. */
function readsCommands(argv: readonly Field[], { stdin, runner }: ProgramRecord): boolean {
  if (stdin !== true) return false;
  if (runner?.joins !== true) return true;
  let operands = 0;
  for (let at = 1; at < argv.length && operands <= runner.operands; at++) {
    const { text } = argv[at] as Field;
    if (runner.values.has(text)) at += 1;
    else if (!text.startsWith('-')) operands += 1;
  }
  return operands <= runner.operands;
}

/** What one command would run besides itself. */
export function derive(argv: readonly Field[], budget: WorkBudget): Derived {
  const name = programOf(argv[0]);
  if (name === undefined)
    return { ...NOTHING, runsMadeCode: argv[0]?.atoms[0]?.kind === 'opaque' && argv[0].atoms.length === 1 };
  const program = recordOf(name);
  // A program that nobody has described takes code as shells do.
  if (program === undefined) return withCode(NOTHING, throughCodeOptions(argv, UNDESCRIBED, true));
  const from = deriveFrom(argv, name, program, budget);
  const found = readsCommands(argv, program) ? { ...from, readsStdin: true } : from;
  const withOptions = withCode(found, throughCodeOptions(argv, commandOptionsOf(argv, program), isByName(program)));
  const spelled = otherSpellings(argv, name, program, budget);
  const withSpellings =
    spelled.length === 0 ? withOptions : { ...withOptions, argvs: [...withOptions.argvs, ...spelled] };
  return name === 'git' ? withCode(withSpellings, gitAliases(argv)) : withSpellings;
}

const NO_OPTIONS: ReadonlySet<string> = new Set();

/** The same command in other words: `pip3 x` is `pip x`, `docker image push` is `docker push`, `make a b` is `make b`. */
function otherSpellings(
  argv: readonly Field[],
  name: string,
  program: ProgramRecord,
  budget: WorkBudget,
): readonly (readonly Field[])[] {
  const found: (readonly Field[])[] = [];
  const usual = withoutVersion(name);
  if (usual !== name && recordOf(usual) === program) found.push([literalField(usual), ...argv.slice(1)]);
  if (program.also !== undefined && program.also !== name)
    found.push([...program.also.split(' ').map(literalField), ...argv.slice(1)]);
  if (program.subcommands?.toolchain === true && argv[1]?.text.startsWith('+') === true)
    found.push([argv[0] as Field, ...argv.slice(2)]);
  const resolved = program.subcommands === undefined ? undefined : resolveCommand(argv);
  const [group = ''] = resolved?.path ?? [];
  const also = program.subcommands?.of.get(group)?.also;
  if (also !== undefined) {
    const at = argv.findIndex(({ text }) => text === group);
    found.push([...also.split(' ').map(literalField), ...argv.slice(at + 1)]);
  }
  if (program.goals === true && argv.length > 2)
    for (const goal of argv.slice(1))
      if (!goal.text.startsWith('-') && budget.spend(1)) found.push([argv[0] as Field, goal]);
  return found;
}

/** Where the record says which options run a command, none is found by its name. */
const isByName = ({ execs, runner }: ProgramRecord): boolean => execs === undefined && runner?.code === undefined;

/** Those of the program and of the sub-command that the words name. */
function commandOptionsOf(argv: readonly Field[], program: ProgramRecord): ReadonlySet<string> {
  const record = program.subcommands === undefined ? program : resolveCommand(argv)?.record;
  const { commandOptions = NO_OPTIONS } = program;
  if (record === undefined || record === program || record.commandOptions === undefined) return commandOptions;
  return new Set([...commandOptions, ...record.commandOptions]);
}

const UNDESCRIBED: ReadonlySet<string> = new Set(['-c', '--command', '--exec', '--eval']);

const withCode = (derived: Derived, code: readonly (string | undefined)[]): Derived =>
  code.length === 0 ? derived : { ...derived, code: [...derived.code, ...code] };

/** `git -c alias.p=push p origin`: the alias and what follows it is a command of git. */
function gitAliases(argv: readonly Field[]): (string | undefined)[] {
  return argv.flatMap(({ text }, at) => {
    const equals = text.indexOf('=');
    const isAlias = argv[at - 1]?.text === '-c' && text.toLowerCase().startsWith('alias.') && equals > 0;
    const value = text.slice(equals + 1);
    return isAlias && !value.startsWith('!') ? [`git ${value} ${codeOf(argv.slice(at + 2)) ?? ''}`] : [];
  });
}

function deriveFrom(argv: readonly Field[], name: string, program: ProgramRecord, budget: WorkBudget): Derived {
  if (program.evaluates === true) return throughEvaluation(argv, name);
  // `command -v rm` says where it is, and runs nothing.
  if (program.runner !== undefined && program.free?.(argv.slice(1)) === true) return NOTHING;
  if (program.runner !== undefined && program.runner.anywhere !== true)
    return program.names[0] === 'xargs'
      ? withArguments(argv, throughWrapper(argv, program.runner, budget))
      : throughWrapper(argv, program.runner, budget);
  if (program.execs !== undefined) return throughFind(argv, program.execs, budget);
  if (program.interpreter?.shell === true) return throughShell(argv);
  const own =
    program.runner !== undefined || program.subcommands !== undefined ? throughRunner(argv, program) : NOTHING;
  const foreign = ownProgram(argv, program);
  const code = program.interpreter === undefined ? NOTHING : throughInterpreter(argv, program.interpreter);
  return {
    argvs: [...code.argvs, ...foreign],
    from: own.from,
    codeWords: own.codeWords,
    code: [...code.code, ...own.code],
    runsMadeCode: code.runsMadeCode,
    readsStdin: code.readsStdin && own === NOTHING,
  };
}

/** `yarn node x`, `pnpm curl x`, `bun run rm`: where no script has the name, the program of that name runs. */
function ownProgram(argv: readonly Field[], program: ProgramRecord): readonly (readonly Field[])[] {
  if (program.subcommands?.runsPrograms === undefined) return [];
  const found = resolveCommand(argv);
  const [name] = found?.path ?? [];
  if (found === undefined || name === undefined) return [];
  if (name === 'run' || name === 'run-script') {
    const at = found.words.findIndex(({ text }) => !text.startsWith('-'));
    return at < 0 ? [] : [found.words.slice(at)];
  }
  return program.subcommands.of.has(name) ? [] : [argv.slice(argv.length - found.words.length - 1)];
}

function throughEvaluation(argv: readonly Field[], name: string): Derived {
  if (name === 'eval') return { ...NOTHING, code: [codeOf(argv.slice(1))], runsMadeCode: hasOpaque(argv.slice(1)) };
  if (name === 'source' || name === '.') {
    const stdin = argv[1] !== undefined && isStandardInput(argv[1].text);
    return { ...NOTHING, runsMadeCode: hasOpaque(argv.slice(1, 2)), readsStdin: stdin };
  }
  if (name === 'trap') {
    const action = argv.slice(1).find((field) => !field.text.startsWith('-'));
    return action === undefined ? NOTHING : { ...NOTHING, code: [codeOf([action])], runsMadeCode: hasOpaque([action]) };
  }
  const values = argv
    .slice(1)
    .map((field) => (field.text.includes('=') ? literalField(field.text.slice(field.text.indexOf('=') + 1)) : field));
  return { ...NOTHING, code: values.map((field) => codeOf([field])) };
}

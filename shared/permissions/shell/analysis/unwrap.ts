/** Unwraps a command: finds the commands and code that it would run besides itself. */
import { recordOf } from '../../programs/catalogue/index.ts';
import type { ProgramRecord } from '../../programs/record/record.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import type { WorkBudget } from '../syntax/budget.ts';
import { programOf } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { otherSpellings } from './other-spellings.ts';
import { commandOptionsOf, isByName, UNDESCRIBED, unwrapCodeOptions } from './unwrap-options.ts';
import { unwrapPowerShell } from './unwrap-powershell.ts';
import {
  unwrapEvaluation,
  unwrapFind,
  unwrapInterpreter,
  unwrapRunner,
  unwrapShell,
  unwrapWrapper,
  withArguments,
} from './unwrap-programs.ts';
import { codeOf, NOTHING, type Unwrapped } from './unwrapped.ts';

/** A word that is a whole command line itself, such as the one that `npx` or `tmux` is given. */
export function codeInWord(field: Field): string | undefined {
  return field.text.includes(' ') ? codeOf([field]) : undefined;
}

/** Whether the program runs commands from its standard input. `ssh host` and `sudo -s` do; `ssh host CMD` hands its standard input to CMD. */
function readsCommands(argv: readonly Field[], { stdin, runner, subcommands }: ProgramRecord): boolean {
  if (stdin === undefined || typeof stdin === 'boolean') return stdin === true;
  if (subcommands !== undefined) {
    const { path, record } = resolveCommand(argv) ?? { path: [] };
    // `redis-cli -x script load` takes the script from there.
    return path.length === 0 || record?.grant === 'never';
  }
  let operands = 0;
  let isAsked = stdin.size === 0;
  for (let at = 1; at < argv.length && operands <= (runner?.operands ?? 0); at++) {
    const { text } = argv[at] as Field;
    const name = text.split('=')[0] as string;
    if (runner?.code?.has(name) === true) return false;
    isAsked ||= [...stdin].some((option) => option === name || isLetterOf(text, option));
    if (runner?.values.has(text) || (isLetters(text) && runner?.values.has(`-${text.at(-1)}`))) at += 1;
    else if (text === ':::' || text === '::::') return false;
    else if (!text.startsWith('-') && !(runner?.assignments === true && name !== text)) operands += 1;
  }
  return isAsked && operands <= (runner?.operands ?? 0);
}

/** `-Hs` holds `-s`, and the value of `-Hu` is the next word. */
const isLetters = (text: string): boolean => /^-[A-Za-z]+$/.test(text);
const isLetterOf = (text: string, option: string): boolean =>
  option.length === 2 && isLetters(text) && text.includes(option[1] as string);

/** Finds the commands and the code that one command would run besides itself. */
export function unwrap(argv: readonly Field[], budget: WorkBudget): Unwrapped {
  const name = programOf(argv[0]);
  if (name === undefined)
    return { ...NOTHING, runsOutputAsCode: argv[0]?.atoms[0]?.kind === 'opaque' && argv[0].atoms.length === 1 };
  const program = recordOf(name);
  const spelled = otherSpellings(argv, name, program, budget);
  // A program that nobody has described takes code as shells do.
  if (program === undefined)
    return withCode(withSpellings(NOTHING, spelled), unwrapCodeOptions(argv, UNDESCRIBED, true));
  const from = unwrapByRecord(argv, name, program, budget);
  const found = readsCommands(argv, program) ? { ...from, readsStdin: true } : from;
  const withOptions = withCode(found, unwrapCodeOptions(argv, commandOptionsOf(argv, program), isByName(program)));
  const all = withSpellings(withOptions, spelled);
  return name === 'git' ? withCode(all, gitWithin(argv)) : all;
}

const withSpellings = (unwrapped: Unwrapped, spelled: readonly (readonly Field[])[]): Unwrapped =>
  spelled.length === 0 ? unwrapped : { ...unwrapped, argvs: [...unwrapped.argvs, ...spelled] };

const withCode = (unwrapped: Unwrapped, code: readonly (string | undefined)[]): Unwrapped =>
  code.length === 0 ? unwrapped : { ...unwrapped, code: [...unwrapped.code, ...code] };

/** `git -c alias.p=push p origin`, `git for-each-repo --config=k push`: the words are a command of git. */
function gitWithin(argv: readonly Field[]): (string | undefined)[] {
  return argv.flatMap(({ text }, at) => {
    if (text === 'for-each-repo') return [`git ${codeOf(argv.slice(at + 1)) ?? ''}`];
    // A remote that git runs, with `% ` for a blank; also `--remote=ext::CODE` and `-c url.ext::CODE.insteadOf=x`.
    const remote = /(?:^|[.=])ext::(.*?)(?:\.(?:push)?insteadof(?:=.*)?)?$/is.exec(text)?.[1];
    if (remote !== undefined) return [remote.replaceAll('% ', ' ')];
    // A variable has the words of the alias.
    if (/^(?:--config-env=)?alias\./i.test(text) && /config-env/.test(text + (argv[at - 1]?.text ?? '')))
      return [undefined];
    const equals = text.indexOf('=');
    const isAlias = argv[at - 1]?.text === '-c' && text.toLowerCase().startsWith('alias.') && equals > 0;
    const value = text.slice(equals + 1);
    return isAlias && !value.startsWith('!') ? [`git ${value} ${codeOf(argv.slice(at + 2)) ?? ''}`] : [];
  });
}

function unwrapByRecord(argv: readonly Field[], name: string, program: ProgramRecord, budget: WorkBudget): Unwrapped {
  if (program.evaluates === true) return unwrapEvaluation(argv, name);
  // `command -v rm` says where it is, and runs nothing.
  if (program.runner !== undefined && program.free?.(argv.slice(1)) === true) return NOTHING;
  if (program.runner !== undefined && program.runner.anywhere !== true)
    return program.names[0] === 'xargs'
      ? withArguments(argv, unwrapWrapper(argv, program.runner, budget))
      : unwrapWrapper(argv, program.runner, budget);
  if (program.execs !== undefined) return unwrapFind(argv, program.execs, budget);
  if (program.interpreter?.shell === true)
    return program.interpreter.ofWindows === true ? unwrapPowerShell(argv) : unwrapShell(argv);
  const own =
    program.runner !== undefined || program.subcommands !== undefined ? unwrapRunner(argv, program, budget) : NOTHING;
  const foreign = ownProgram(argv, program);
  const code = program.interpreter === undefined ? NOTHING : unwrapInterpreter(argv, program.interpreter);
  if (own === NOTHING && code === NOTHING && foreign.length === 0) return NOTHING;
  return {
    argvs: [...code.argvs, ...foreign],
    from: own.from,
    codeWords: own.codeWords,
    code: [...code.code, ...own.code],
    runsOutputAsCode: code.runsOutputAsCode,
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
  // `yarn node` is node itself.
  const isOwn = program.subcommands.of.has(name) && recordOf(name)?.interpreter === undefined;
  return isOwn ? [] : [argv.slice(argv.length - found.words.length - 1)];
}

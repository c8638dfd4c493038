/** Collects texts of a call that its programs may take for code and run. */
import { isHarmlessVariable, isOwnVariable } from '../programs/catalogue/names/variables.ts';
import { prefixCovers } from '../programs/prefix.ts';
import type { Interpreter } from '../programs/record/record.ts';
import { isMessageOption } from '../programs/record/telling-options.ts';
import { type Resolved, resolveCommand } from '../programs/resolve.ts';
import { roleOf } from '../programs/roles.ts';
import { isNamedText } from '../shell/analysis/named-texts.ts';
import { unwrapShell } from '../shell/analysis/unwrap-programs.ts';
import { hasOpaque } from '../shell/analysis/unwrapped.ts';
import type { ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import type { CallTexts } from './call-texts.ts';

/** `!rm` and `|rm` hand what follows to a shell. */
const CODE_SIGNS = /[\s("'`]|(?:^|[^\w])[!|]\w/;

/** A word that is more than the name of something. */
export const isPhrase = (text: string): boolean => CODE_SIGNS.test(text);

/** Whether a word is more than a name, and no value of an option such as `--title`. */
function isPhraseAt(at: number, argv: readonly Field[]): boolean {
  const text = argv[at]?.text ?? '';
  if (at === 0 || !isPhrase(text)) return false;
  if (isNamedText(at, argv)) return false;
  const before = argv[at - 1]?.text ?? '';
  return !isMessageOption(text.startsWith('-') ? text : before.includes('=') ? '' : before);
}

/** Words of a program that nobody described which it may run. */
export const phrasesOf = (argv: readonly Field[]): readonly string[] =>
  argv.flatMap(({ text }, at) => (isPhraseAt(at, argv) ? [text] : []));

/** Texts that one command may run. */
interface CodeTexts {
  /** Values of variables, code for interpreters, and all that a command takes which no prefix covers. */
  readonly texts: readonly string[];
  /** Whether the command may also run what the call's commands print. */
  readonly takesPrinted: boolean;
  /** Whether the command may run a file that the call itself writes. */
  readonly runsWritten: boolean;
}

export function codeTexts(command: ShellCommand, call: CallTexts): CodeTexts {
  const { argv } = command;
  const resolved = resolveCommand(argv);
  const refused = isRefused(command, resolved);
  const takesOutput = (refused || (resolved === undefined && argv.length > 0)) && takesOther(command);
  return {
    texts: [
      ...valuesFor(command, resolved),
      ...codeOf(argv, resolved),
      ...(refused ? takenBy(command, resolved) : []),
      ...(resolved === undefined ? [...phrasesOf(argv), ...inputOf(command)] : []),
    ],
    takesPrinted: takesOutput,
    runsWritten: call.runsWritten(command, refused),
  };
}

/** Whether the command is given what another one prints. */
const takesOther = ({ argv, stdin }: ShellCommand): boolean =>
  stdin.kind === 'pipe' || stdin.kind === 'process' || hasOpaque(argv);

/** Variables that programs read may say what they run; those of the text itself are followed to where they stand. */
function valuesFor({ argv, assignments }: ShellCommand, resolved: Resolved | undefined): readonly string[] {
  const isHarmless = argv.length > 0 ? isHarmlessVariable : isOwnVariable;
  const stated = assignments.flatMap(({ name, value }) =>
    isHarmless(name, value?.text ?? '') ? [] : [value?.text ?? ''],
  );
  if (resolved?.record.declares !== 'sets' && resolved?.program.runner?.assignments !== true) return stated;
  // `export NAME=value`, `env NAME=value CMD`.
  const words = argv.slice(1).flatMap(({ text }) => {
    const end = text.indexOf('=');
    return end > 0 && !isOwnVariable(text.slice(0, end)) ? [text.slice(end + 1)] : [];
  });
  return [...stated, ...words];
}

const HERE = { inside: (): boolean => true };

/** Whether no prefix would cover the command, whatever it named. A wrapper does nothing itself: the command within is looked at. */
function isRefused(command: ShellCommand, resolved: Resolved | undefined): boolean {
  const runner = resolved?.record.runner ?? resolved?.program.runner;
  if (runner !== undefined && runner.anywhere !== true) return false;
  if (command.argv.length === 0 || resolved?.program.execs !== undefined || resolved?.record.declares !== undefined)
    return false;
  const words = command.argv.map(({ text }) => text);
  return prefixCovers(command, words, HERE).kind === 'no';
}

/**
 * Phrases that are no message or pattern, and the input. Of an interpreter's words `codeOf` finds those that are code; the commands in the code
 * of a shell are looked at themselves.
 */
function takenBy(command: ShellCommand, resolved: Resolved | undefined): readonly string[] {
  const { argv } = command;
  const interpreter = resolved?.record.interpreter;
  const read = interpreter?.isRead === true ? unwrapShell(argv).code : [];
  const words = (interpreter !== undefined && interpreter.shell !== true ? [] : argv).filter(
    ({ text }, at) => isPhraseAt(at, argv) && !read.includes(text) && roleOf(at, argv, resolved, false) !== 'text',
  );
  return [...words.map(({ text }) => text), ...inputOf(command)];
}

const inputOf = ({ stdin }: Pick<ShellCommand, 'stdin'>): readonly string[] =>
  stdin.kind === 'text' ? [stdin.text ?? ''] : [];

/** Words that are code of another language: `python -c CODE`, and all of sed and awk where one script is not harmless. */
function codeOf(argv: readonly Field[], resolved: Resolved | undefined): readonly string[] {
  if (resolved === undefined) return [];
  const { record, program } = resolved;
  const interpreter = record.interpreter ?? program.interpreter;
  if (interpreter !== undefined && interpreter.shell !== true)
    return beforeScript(argv, interpreter).flatMap(({ text }, at) =>
      isPhrase(text) && !isNamedText(at + 1, argv) ? [text] : [],
    );
  const isHarmless = (record.paths ?? program.paths)?.script;
  const phrases = argv.slice(1).flatMap(({ text }) => (isPhrase(text) ? [text] : []));
  if (isHarmless === undefined || phrases.every(isHarmless)) return [];
  return phrases.flatMap((text) => [text, text.replace(EXECUTES, '$1 '), text.replaceAll('/', ' ')]);
}

/** The command `e` of sed takes the rest of the line, with no blank between: `1erm x`. A slash may part the command, as in `s/x/rm x/e`. */
const EXECUTES = /(^|[\d,$!{};\s/])e(?=\w)/g;

/** Behind the name of a script or module stand its arguments, which are no code; those of code in a word may be, where it reads them. */
function beforeScript(argv: readonly Field[], interpreter: Interpreter): readonly Field[] {
  const { code, flags, modules, operands, readsOn, words } = interpreter;
  if (readsOn === true || operands !== undefined) return argv.slice(1);
  const end = argv.findIndex(({ text }, at) => {
    if (at === 0 || text.startsWith('-')) return modules === true && text === '-m';
    const before = argv[at - 1]?.text ?? '';
    const isValue = code.has(before) || (before.startsWith('-') && !flags.has(before));
    return !isValue && !code.has(text) && !words.has(text);
  });
  const before = argv.slice(1, end < 0 ? undefined : end);
  return before.some(({ text }) => readsArguments(text, interpreter)) ? argv.slice(1) : before;
}

/** Code that names its arguments (`sys.argv`, `@ARGV`, `shift`), and `-n` or `-p` of perl, which opens them: `rm x |` is a pipe. */
const readsArguments = (text: string, { code }: Interpreter): boolean =>
  READS_ARGUMENTS.test(text) || (code.has('-n') && /^-\w*[np]/.test(text));

const READS_ARGUMENTS = /arg|shift|<>|gets/i;

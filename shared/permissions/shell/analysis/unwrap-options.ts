/** Reads code in a command's options: `tar --to-command=CODE`, `--exec CODE`. */
import type { ProgramRecord } from '../../programs/record/record.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { type Field, literalField } from '../syntax/fields.ts';
import { codeOf } from './unwrapped.ts';

/** `tar --to-command=CODE`, `git -c alias.x=!CODE`, `rsync -e CODE`, `make SHELL=CODE`, `socat EXEC:CODE`, `vim +CODE`: each value. */
export function unwrapCodeOptions(
  argv: readonly Field[],
  options: ReadonlySet<string>,
  byName: boolean,
): readonly string[] {
  let found: string[] | undefined;
  for (let at = 1; at < argv.length; at++) {
    const code = codeValue(argv, at, options, byName);
    if (code === undefined) continue;
    found ??= [];
    found.push(...commandsIn(code));
  }
  const old = oldStyle(argv, options);
  return old.length === 0 ? (found ?? NO_CODE) : [...(found ?? NO_CODE), ...old.flatMap(commandsIn)];
}

const TAR_VALUES: ReadonlySet<string> = new Set('bfgCFHIKLNTVX');

/** `tar cIf CODE x`: values of letters without a dash stand behind them, in their order. */
function oldStyle([, letters, ...words]: readonly Field[], options: ReadonlySet<string>): readonly Field[] {
  if (letters === undefined || letters.text.startsWith('-') || !options.has('-I')) return [];
  const valued = [...letters.text].filter((letter) => TAR_VALUES.has(letter));
  return words.slice(0, valued.length).filter((_, at) => options.has(`-${valued[at]}`));
}

const NO_CODE: readonly string[] = [];

/** The value of the option at that place, if it is one that runs its value. */
function codeValue(
  argv: readonly Field[],
  at: number,
  options: ReadonlySet<string>,
  byName: boolean,
): Field | undefined {
  const { text } = argv[at] as Field;
  // An attached value is read below.
  if (isOneOf(options, text) || (byName && !text.includes('=') && executes(text))) return argv[at + 1];
  // `socat Exec:CODE`, in any case and with any signs in CODE.
  const colon = text.indexOf(':');
  if (colon > 0 && options.has(text.slice(0, colon).toUpperCase())) return literalField(text.slice(colon + 1));
  const end = nameEnd(text);
  if (end > 0 && (isOneOf(options, text.slice(0, end)) || (byName && executes(text.slice(0, end)))))
    return literalField(text.slice(end + 1));
  if (text.startsWith('+') && options.has('+')) return literalField(text.slice(1));
  // `cmd /cCODE`
  if (text.startsWith('/') && options.has(text.slice(0, 2))) return literalField(text.slice(2));
  if (options.size === 0 || !text.startsWith('-') || text.startsWith('--')) return undefined;
  // `-TTCODE`
  for (const option of options)
    if (option.length === 3 && text.startsWith(option)) return literalField(text.slice(option.length));
  // `-eCODE`, and clusters of letters before it: `-ave CODE`.
  let letter = 1;
  while (letter < text.length && !options.has(`-${text[letter]}`)) letter++;
  if (letter === text.length) return undefined;
  return letter === text.length - 1 ? argv[at + 1] : literalField(text.slice(letter + 1));
}

/** `--compress-prog` is `--compress-program`: a beginning of some letters that is no name of its own. */
const isOneOf = (options: ReadonlySet<string>, name: string): boolean =>
  options.has(name) ||
  (name.startsWith('--') && name.length > MIN_ABBREVIATION && [...options].some((option) => option.startsWith(name)));

const MIN_ABBREVIATION = '--x'.length;

/** The index at which the name of `--name=value`, `NAME=value` or `NAME:value` ends. */
function nameEnd(text: string): number {
  const equals = text.indexOf('=');
  return text.startsWith('-') || equals > 0 ? equals : text.indexOf(':');
}

/** Words in the name of an option by which any program runs the option's value. */
const EXECUTING: ReadonlySet<string> = new Set(
  (
    'exec cmd command commands hook program runner execute shell launcher wrapper app script entrypoint pager editor browser viewer ' +
    'askpass speller linker rsh'
  ).split(' '),
);

/** `--exec`, `--post-hook`, `--sh-exec`; a short option has no name that says so. */
const executes = (text: string): boolean =>
  text.startsWith('--') &&
  // `--no-pager` starts none.
  !text.startsWith('--no-') &&
  (BINARY.test(text) ||
    text
      .slice(2)
      .split(/[-_.]/)
      .some((part) => EXECUTING.has(part)));

/** `--helm-binary` names a program; `--binary` is a flag, and `--data-binary` and `--only-binary` have other values. */
const BINARY = /^--(?!(?:data|only|prefer)-)[a-z\d-]+-binary$/;

/** The words of editors and debuggers that hand the rest to a shell. */
const TO_SHELL: ReadonlySet<string> = new Set(['shell', 'platform', 'system', 'silent', 'pipe', 'make']);

/** `%x%`, `%x:~0,3%` or `%x:a=b%`, and `!x!` where cmd expands late. */
export const WINDOWS_VARIABLES = /%\w+(?::[^%]*)?%|!\w+(?::[^!]*)?!/g;

/** A value as code, without `NAME=`, and what `!` or a word such as `shell` within it hands to a shell. */
function commandsIn(value: Field): string[] {
  const code = codeOf([value]);
  if (code === undefined) return [];
  const equals = code.indexOf('=');
  const command = equals > 0 && !code.slice(0, equals).includes(' ') ? code.slice(equals + 1) : code;
  const bang = command.indexOf('!');
  const words = command.split(' ');
  const first = words.findIndex((word) => !TO_SHELL.has(word));
  const listed = '["'.includes(command[0] ?? ' ') ? [withoutBrackets(command)] : [];
  // `cmd /c r^m`
  if (command.includes('^')) listed.push(command.replaceAll('^', ''));
  // `cmd /c "%x:~0,3% y"`
  const expanded = command.replace(WINDOWS_VARIABLES, '$x');
  if (expanded !== command) listed.push(expanded);
  // `gcc -wrapper rm,-f`
  if (command.includes(',') && !command.includes(' ')) listed.push(command.replaceAll(',', ' '));
  return [
    bang === 0 ? command.slice(1) : command,
    ...(bang > 0 ? [command.slice(bang + 1)] : []),
    ...(first > 0 ? [words.slice(first).join(' ')] : []),
    ...listed,
  ];
}

/** `["rm x"]`, a list of commands in JSON. */
const withoutBrackets = (text: string): string => text.replaceAll(/[[\]"]/g, ' ').trim();

const NO_OPTIONS: ReadonlySet<string> = new Set();

/** Whether options that run a command are found by their names: the record does not list them. */
export const isByName = ({ execs, runner }: ProgramRecord): boolean =>
  execs === undefined && runner?.code === undefined;

/** The options whose value is a command line, of the program and of the sub-command that the words name. */
export function commandOptionsOf(argv: readonly Field[], program: ProgramRecord): ReadonlySet<string> {
  const record = program.subcommands === undefined ? program : resolveCommand(argv)?.record;
  const { commandOptions = NO_OPTIONS } = program;
  if (record === undefined || record === program || record.commandOptions === undefined) return commandOptions;
  if (commandOptions.size === 0) return record.commandOptions;
  return new Set([...commandOptions, ...record.commandOptions]);
}

export const UNDESCRIBED: ReadonlySet<string> = new Set(['-c', '--command', '--exec', '--eval']);

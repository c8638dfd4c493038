/** Finds the reasons why a command, or any that it would run, is not fully understood. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { namesStage } from '../../programs/catalogue/names/variables.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { codePointName, inspectCharacters } from '../../text/characters.ts';
import type { WorkBudget } from '../syntax/budget.ts';
import { type Assignment, programOf, type ShellCommand } from '../syntax/command.ts';
import { continuesPlainly, splitsWord } from '../syntax/joined-lines.ts';
import { builtinWords } from '../walk/builtin-words.ts';
import { EVALUATED } from '../walk/walk-helpers.ts';
import { evaluatesName, namesSet } from './evaluated-names.ts';
import { OUTPUT_PATH, takesOutputPath } from './output-paths.ts';
import { unwrapWrapper } from './unwrap-programs.ts';

/** A command with more characters is at least ask. */
export const LONG_COMMAND = 10_000;

const UNCERTAIN_COMMAND = 'a command word that is not literal';
export const UNCERTAIN_CODE = 'code that is not literal';
const CHANGED_SHELL = 'a setting that changes what the shell reads or runs';
const UNCERTAIN_SUBCOMMAND = 'a sub-command that is not literal';

const OTHER_FOLDER = 'a command that another one runs in another folder';

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
  OUTPUT_PATH,
  OTHER_FOLDER,
  UNCERTAIN_CODE,
]);

/** Variables whose value a shell runs, or that lead `cd` and `~+` elsewhere. */
const RUN_VALUES: ReadonlySet<string> = new Set(
  'PS0 PS1 PS2 PS4 PROMPT_COMMAND BASH_ENV ENV CDPATH PWD OLDPWD GLOBIGNORE'.split(' '),
);

const isStage = ({ name, value }: Assignment): boolean => value?.isKnown === true && namesStage(name, value.text);

const setsStage = ({ assignments }: ShellCommand): boolean => assignments.some(isStage);

const isShell = ({ argv }: ShellCommand): boolean => recordOf(programOf(argv[0]) ?? '')?.interpreter?.shell === true;

function changesReading({ argv: words, assignments }: ShellCommand): boolean {
  if (assignments.some((each) => RUN_VALUES.has(each.name) && !isStage(each))) return true;
  const { argv } = builtinWords(words);
  const name = programOf(argv[0]);
  if (name === undefined) return false;
  if (name === 'set' && argv.some(({ text }) => text === 'keyword' || /^-\w*k/.test(text))) return true;
  const record = recordOf(name);
  if (record?.changesReading === true || namesSet(argv).some(({ text }) => RUN_VALUES.has(text.replace(/^-[vp]/, ''))))
    return true;
  return record?.declares === 'sets' && argv.slice(1).some(({ text }) => changesDeclared(text, name));
}

/** `declare -n r=v` gives a variable another name, `-i` and `-l` another value; `-p`, `-r` and `-x` leave it as it is. */
function changesDeclared(text: string, name: string): boolean {
  if (RUN_VALUES.has(text.split('=')[0] as string)) return text.includes('=');
  if (text.length < 2 || !'+-'.includes(text[0] as string)) return false;
  return [...text.slice(1)].some((letter) => !'fFgprtx'.includes(letter) && !(letter === 'n' && name === 'export'));
}

/** `env -C folder cat x`: the options before the command within. */
function changesFolder({ argv }: ShellCommand, budget: WorkBudget): boolean {
  const runner = recordOf(programOf(argv[0]) ?? '')?.runner;
  if (runner?.folders === undefined) return false;
  const inner = unwrapWrapper(argv, runner, budget).argvs[0] ?? [];
  return argv.slice(1, argv.length - inner.length).some(({ text }) => isFolderOption(text, runner.folders ?? NO_WORDS));
}

const NO_WORDS: ReadonlySet<string> = new Set();

/** Also attached, abbreviated, and behind other letters: `-C/x`, `--chd=x`, `-iC x`. */
const isFolderOption = (text: string, folders: ReadonlySet<string>): boolean =>
  [...folders].some((each) =>
    each.startsWith('--')
      ? text.length > 3 && each.startsWith(text.split('=')[0] as string)
      : text.startsWith('-') && !text.startsWith('--') && text.includes(each[1] as string),
  );

/** Doubts about the text as it is written. */
export function doubtText(command: string, joined: string, doubts: Set<string>): void {
  const odd = inspectCharacters(command, 'command');
  if (odd?.kind === 'odd') doubts.add(`the command holds ${odd.what} (${codePointName(odd.codePoint)})`);
  if (command.length > LONG_COMMAND) doubts.add(`the command is longer than ${LONG_COMMAND} characters`);
  // The meaning of a joined line is not certain if it may be within quotes or a here-document.
  if (joined !== command && /['#]|<</.test(command) && !continuesPlainly(command))
    doubts.add('a continued line among quotes or comments');
  if (splitsWord(command)) doubts.add('a word continued on the next line');
}

/** The commands within the text's own, as far as doubts ask for them. */
interface Examined {
  readonly unwrapped: readonly ShellCommand[];
  readonly candidates: ReadonlySet<ShellCommand>;
  readonly doubts: Set<string>;
  readonly budget: WorkBudget;
}

/** Doubts about all commands that the text would run. */
export function doubtCommands(
  commands: readonly ShellCommand[],
  { unwrapped, candidates, doubts, budget }: Examined,
): void {
  for (const each of [...commands, ...unwrapped]) {
    if (candidates.has(each)) continue;
    const [first] = each.argv;
    if (first !== undefined && (!first.isKnown || first.hasGlob)) doubts.add(UNCERTAIN_COMMAND);
    else if (resolveCommand(each.argv)?.isLiteral === false) doubts.add(UNCERTAIN_SUBCOMMAND);
  }
  if (commands.some((each) => programOf(each.argv[0]) === 'coproc')) doubts.add('a coprocess');
  if (
    anyOf(commands, unwrapped, changesReading) ||
    (anyOf(commands, unwrapped, setsStage) && anyOf(commands, unwrapped, isShell))
  )
    doubts.add(CHANGED_SHELL);
  if (anyOf(commands, unwrapped, evaluatesName)) doubts.add(EVALUATED);
  if (anyOf(commands, unwrapped, takesOutputPath)) doubts.add(OUTPUT_PATH);
  if (anyOf(commands, unwrapped, (each) => changesFolder(each, budget))) doubts.add(OTHER_FOLDER);
}

/** Whether all commands of the text were seen, for all its doubts. */
export function isReadWhole(doubts: ReadonlySet<string>): boolean {
  for (const doubt of doubts) if (!READ_WHOLE.has(doubt) && !doubt.startsWith('the command holds')) return false;
  return true;
}

const anyOf = (
  commands: readonly ShellCommand[],
  unwrapped: readonly ShellCommand[],
  test: (command: ShellCommand) => boolean,
): boolean => commands.some(test) || unwrapped.some(test);

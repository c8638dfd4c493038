/** Compares a command with deny and ask rules by its base name, options between words left out. */
import { otherProgram, programsWithin } from '../../programs/catalogue/names/aliases.ts';
import { type CommandSpec, commandSpec } from '../../rules/command-spec.ts';
import { programOf, type ShellCommand } from '../../shell/syntax/command.ts';
import { ANYTHING, type Field, literalField } from '../../shell/syntax/fields.ts';
import { MAX_WORDS } from './across-options.ts';
import { asExecuted, asScripts, asUsual, byInput, ofFramework } from './alternative-forms.ts';
import { asExactEquivalents } from './equivalents.ts';
import { namesWords } from './names-words.ts';
import { inPlainNames, plainNameOf, withPlainNames } from './plain-packages.ts';
import { type Folders, MAX_READINGS, plainNames } from './plain-words.ts';
import { beyond, distinct, renamed, renamedAgain } from './renamed.ts';
import { eachOperand, respelled } from './respelled.ts';
import { asStatements, hasAnyCase, inOtherCase, inSmallLetters } from './statements.ts';
import { withVariableOptions } from './variable-options.ts';

/** Whether a deny or ask rule names the command. Work that is the same for all rules is done before. */
export function namesCommand(
  command: ShellCommand,
  folders: Folders,
  text: readonly ShellCommand[],
): (spec: CommandSpec) => boolean {
  const { argv } = command;
  const once = [...renamed(argv), ...byInput(command), ...ofFramework(argv)];
  const equivalents = [argv, ...once].flatMap(asExactEquivalents);
  const renames = distinct([argv, ...once, ...renamedAgain(once), ...equivalents, ...withVariableOptions(argv, text)]);
  const operands = [argv, ...once, ...equivalents].flatMap(eachOperand);
  const all = [
    ...renames,
    ...renames.flatMap(alternativeForms),
    ...operands,
    ...operands.flatMap(alternativeForms),
    ...[...renames, ...operands].flatMap(respelled),
  ];
  const plainName = plainNameOf(renames);
  const packages = plainName === undefined ? [] : all.map((each) => withPlainNames(each, plainName));
  const readings = distinct([...all, ...packages, ...all.flatMap(asProgram)]);
  const names = readings.map(namesWords);
  const isFew = readings.length <= MAX_READINGS;
  const plain = plainNames(
    isFew ? readings : distinct([...readings.slice(0, MAX_READINGS), ...operands]),
    command,
    folders,
  );
  const isNamed = (spec: CommandSpec): boolean => names.some((each) => each(spec)) || plain(spec);
  const isAnyCase = readings.some(hasAnyCase);
  return (spec) => {
    if (isNamed(spec)) return true;
    if (plainName !== undefined) return isNamed(inPlainNames(spec, plainName));
    return (isAnyCase ? inSmallLetters(spec) : belowHost(spec)).some(isNamed);
  };
}

/** A rule is compared with many commands. */
const ofHosts = new WeakMap<CommandSpec, readonly CommandSpec[]>();
const NONE: readonly CommandSpec[] = [];

/** `curl https://evil.test:*` names what lies on that host, too. */
function belowHost(spec: CommandSpec): readonly CommandSpec[] {
  if (spec.form !== 'prefix' || !/:\/\/[^/\s]+\/?$/.test(spec.text)) return NONE;
  const below = ofHosts.get(spec) ?? [commandSpec(spec.text.replace(/\/?$/, '/*'))];
  ofHosts.set(spec, below);
  return below;
}

const alternativeForms = (argv: readonly Field[]): readonly (readonly Field[])[] => [
  ...asScripts(argv),
  ...asUsual(argv),
  ...asExecuted(argv),
  ...inOtherCase(argv),
  ...asStatements(argv),
];

/** Readings of the command with any word in place of those that are too many to compare. `text`: as for `namesCommand`. */
export function uncompared(command: ShellCommand, text: readonly ShellCommand[]): readonly (readonly Field[])[] {
  const { argv } = command;
  const once = renamed(argv);
  const all = [argv, ...once, ...[argv, ...once].flatMap(asExactEquivalents)].flatMap((each) => [
    each.length > MAX_WORDS ? beyond(each) : each,
    ...eachOperand(each),
    ...respelled(each),
    ...asStatements(each),
  ]);
  return [...all, ...renamedAgain(once), ...withVariableOptions(argv, text)].filter((words) =>
    words.includes(ANYTHING),
  );
}

/** Programs that rules on the command may name besides its own: `npx` of `npm`, and a script that it runs. */
export function otherPrograms(command: ShellCommand): readonly string[] {
  const { argv } = command;
  const within = programsWithin(programOf(argv[0])?.toLowerCase() ?? '');
  const others = [argv, ...byInput(command)].flatMap(alternativeForms);
  return others.length === 0 ? within : [...within, ...others.flatMap(([first]) => programOf(first) ?? [])];
}

/** `npm exec x` is `npx x`, and `node x` is `nodejs x`. */
function asProgram(argv: readonly Field[]): readonly (readonly Field[])[] {
  return programsWithin(programOf(argv[0])?.toLowerCase() ?? '').flatMap((name) => {
    const words = otherProgram(name) ?? [];
    const isIt = words.every((word, at) => at === 0 || argv[at]?.text === word);
    return isIt ? [[literalField(name), ...argv.slice(words.length)]] : [];
  });
}

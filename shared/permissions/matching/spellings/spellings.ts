/** Compares a command with deny and ask rules by its base name, options between words left out. */

import { withoutVersion } from '../../programs/catalogue/index.ts';
import {
  hasSubcommandAliases,
  kindsIn,
  otherProgram,
  programsWithin,
  subcommandAliases,
} from '../../programs/catalogue/names/aliases.ts';
import { type CommandSpec, commandSpec } from '../../rules/command-spec.ts';
import { programOf, type ShellCommand } from '../../shell/syntax/command.ts';
import { ANYTHING, type Field, literalField } from '../../shell/syntax/fields.ts';
import { asExecuted, asScripts, asUsual, byInput, inSmallName } from './alternative-forms.ts';
import { asExactEquivalents } from './equivalents.ts';
import { namesWords } from './names-words.ts';
import { inPlainNames, plainNameOf, withPlainNames } from './plain-packages.ts';
import { type Folders, plainNames } from './plain-words.ts';
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
  const once = [...renamed(argv), ...byInput(command), ...inSmallName(argv)];
  const equivalents = [argv, ...once].flatMap(asExactEquivalents);
  // `npm run-script test` is `npm run test`, and that is `npm test`.
  const renames = distinct([
    argv,
    ...once,
    ...once.flatMap(renamed).slice(0, MAX_RENAMED),
    ...equivalents,
    ...withVariableOptions(argv, text),
  ]);
  const each = [argv, ...once, ...equivalents].flatMap(eachOperand);
  const all = [
    ...renames,
    ...renames.flatMap(alternativeForms),
    ...each,
    ...each.flatMap(alternativeForms),
    ...[...renames, ...each].flatMap(respelled),
  ];
  const plainName = plainNameOf(renames);
  const packages = plainName === undefined ? [] : all.map((each) => withPlainNames(each, plainName));
  const readings = distinct([...all, ...packages, ...all.flatMap(asProgram)]);
  const names = readings.map(namesWords);
  const plain = plainNames(readings, command, folders);
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

/** Readings of the command with any word in place of those that are too many to compare. */
export const uncompared = (argv: readonly Field[]): readonly (readonly Field[])[] =>
  [...eachOperand(argv), ...respelled(argv), ...asStatements(argv)].filter((words) => words.includes(ANYTHING));

/** Programs that rules on the command may name besides its own: `npx` of `npm`, and a script that it runs. */
export function otherPrograms(command: ShellCommand): readonly string[] {
  const { argv } = command;
  const within = programsWithin(programOf(argv[0])?.toLowerCase() ?? '');
  const others = [argv, ...byInput(command)].flatMap(alternativeForms);
  return others.length === 0 ? within : [...within, ...others.flatMap(([first]) => programOf(first) ?? [])];
}

/** Names of a name lead back to the first: each reading is compared once. Renaming leaves words that are not known in their order. */
const distinct = (readings: readonly (readonly Field[])[]): readonly (readonly Field[])[] => [
  ...new Map(readings.map((argv) => [JSON.stringify(argv.map(({ text }) => text)), argv])).values(),
];

/** Other names of another name: no program has more that matter. */
const MAX_RENAMED = 256;

/** `npm exec x` is `npx x`, and `node x` is `nodejs x`. */
function asProgram(argv: readonly Field[]): readonly (readonly Field[])[] {
  return programsWithin(programOf(argv[0])?.toLowerCase() ?? '').flatMap((name) => {
    const words = otherProgram(name) ?? [];
    const isIt = words.every((word, at) => at === 0 || argv[at]?.text === word);
    return isIt ? [[literalField(name), ...argv.slice(words.length)]] : [];
  });
}

/** Names of sub-commands in one command: its other words are operands, and values of options. */
const MAX_SUBCOMMANDS = 3;
/** Words that are looked at for one: each look reads all words behind it. */
const MAX_LOOKED = 24;

/** The command with its sub-command under each of its other names: `npm i x` is `npm install x`. */
export function renamed(argv: readonly Field[]): readonly (readonly Field[])[] {
  const program = withoutVersion(programOf(argv[0])?.toLowerCase() ?? '');
  if (!hasSubcommandAliases(program)) return [];
  const texts = argv.map(({ text }) => text);
  const rename = (from: number, to: number, word?: string): readonly (readonly Field[])[] =>
    subcommandAliases(program, word, texts.slice(to)).map((words) => [
      ...argv.slice(0, from),
      ...words.map(literalField),
      ...argv.slice(to),
    ]);
  const places = argv.flatMap(({ text }, at) => (at > 0 && !/^(?:-|\d+$)/.test(text) ? [at] : []));
  // `yarn --force`
  if (places.length === 0) return rename(1, 1);
  const found: (readonly Field[])[] = [];
  let names = 0;
  for (const at of places.slice(0, MAX_LOOKED)) {
    const text = argv[at]?.text ?? '';
    const others = [
      ...rename(at, at + 1, text),
      // `npm run test` is `npm test`, and nothing stands behind it.
      ...(at + 1 < argv.length ? rename(at, at + 2, `${text}+${texts[at + 1]}`) : []),
      ...kindsIn(program, text, texts[at - 1] ?? '').map((words) => {
        // Each `kind/name` is a target of its own.
        const start = words.length > 1 ? places.find((place) => argv[place]?.text.includes('/') === true) : undefined;
        return [...argv.slice(0, start ?? at), ...words.map(literalField), ...argv.slice(at + 1)];
      }),
    ];
    found.push(...others);
    if (others.length > 0) names += 1;
    if (names === MAX_SUBCOMMANDS) break;
  }
  return found;
}

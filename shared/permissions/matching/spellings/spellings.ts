/** Compares a command with deny and ask rules by its base name, options between words left out. */

import { recordOf, withoutVersion } from '../../programs/catalogue/index.ts';
import {
  hasOtherNames,
  kindsIn,
  otherNames,
  otherProgram,
  programsWithin,
} from '../../programs/catalogue/names/aliases.ts';
import { type CommandSpec, matchesCommand } from '../../rules/command-spec.ts';
import { joinFields, programOf, type ShellCommand } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { baseName } from '../../text/base-name.ts';
import { matchesWildcard } from '../../text/glob.ts';
import { isSkippable, matchesAcross, matchesBeside, startsOf } from './across-options.ts';
import { type Given, givenOptions } from './given-options.ts';
import { optionRules } from './option-rules.ts';
import { hasOptions, hasOthersAsRule } from './option-spellings.ts';
import { respelled } from './respelled.ts';

const hasUpperCase = (text: string): boolean => text !== text.toLowerCase();

/** Whether a deny or ask rule names the command. Work that is the same for all rules is done before. */
export function namesCommand({ argv }: ShellCommand): (spec: CommandSpec) => boolean {
  const once = renamed(argv);
  // `npm run-script test` is `npm run test`, and that is `npm test`.
  const renames = distinct([argv, ...once, ...once.flatMap(renamed).slice(0, MAX_RENAMED)]);
  const all = [...renames, ...renames.flatMap(respelled)];
  const names = distinct([...all, ...all.flatMap(asProgram)]).map(namesWords);
  return (spec) => names.some((each) => each(spec));
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
function renamed(argv: readonly Field[]): readonly (readonly Field[])[] {
  const program = withoutVersion(programOf(argv[0])?.toLowerCase() ?? '');
  if (!hasOtherNames(program)) return [];
  const texts = argv.map(({ text }) => text);
  const rename = (from: number, to: number, word?: string): readonly (readonly Field[])[] =>
    otherNames(program, word, texts.slice(to)).map((words) => [
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

function namesWords(argv: readonly Field[]): (spec: CommandSpec) => boolean {
  const program = programOf(argv[0]);
  const joined = joinFields(argv);
  if (program === undefined) return (spec) => matchesCommand(spec, joined);
  const rest = argv.slice(1).map((field) => field.text);
  const texts = new Set([joined, [program, ...rest].join(' ')]);
  if (hasUpperCase(program)) texts.add([program.toLowerCase(), ...rest].join(' '));
  const record = recordOf(program);
  let later: readonly string[] | undefined;
  let given: Given | undefined;
  const words = new Set(rest);
  const isPlain = !argv.some(isSkippable);
  const hasOptionsOf = (spec: CommandSpec): boolean =>
    optionRules(spec, argv).some((rule) => {
      // The text of a command without options says the same.
      if (isPlain && rule.wanted.length === 0) return false;
      if (!namesProgram(rule.path.words[0], program) || !rule.literals.every((word) => words.has(word))) return false;
      given ??= givenOptions(argv);
      if ((given.options.size === 0 && rule.wanted.length > 0) || !hasOptions(rule, given, false)) return false;
      return hasOthersAsRule(rule, spec, given, argv) && matchesBeside(rule.path, argv, record);
    });
  return (spec) => {
    for (const text of texts) if (matchesCommand(spec, text)) return true;
    if (spec.words.length < 2 && spec.form !== 'wildcard') return false;
    if (hasOptionsOf(spec)) return true;
    if (isPlain) return false;
    if (spec.form === 'wildcard') {
      // The words of such a rule cannot be told apart: the command is compared from each place where a sub-command may begin.
      later ??= startsOf(argv, record).map((at) => [program, ...rest.slice(at - 1)].join(' '));
      return later.some((text) => matchesCommand(spec, text));
    }
    return namesProgram(spec.firstWord, program) && matchesAcross(spec, argv, record);
  };
}

function namesProgram(word: string | undefined, program: string): boolean {
  const named = baseName(word ?? '');
  return matchesWildcard(named, program) || matchesWildcard(named, program.toLowerCase());
}

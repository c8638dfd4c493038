/** Compares a command with deny and ask rules by its base name, options between words left out. */
import { hasOtherNames, otherNames, otherProgram, programsWithin } from '../programs/catalogue/aliases.ts';
import { recordOf, withoutVersion } from '../programs/catalogue/index.ts';
import { isGlobOption } from '../programs/record/options.ts';
import type { CommandRecord } from '../programs/record/record.ts';
import { type CommandSpec, matchesCommand } from '../rules/command-spec.ts';
import { joinFields, programOf, type ShellCommand } from '../shell/syntax/command.ts';
import { type Field, literalField } from '../shell/syntax/fields.ts';

const hasUpperCase = (text: string): boolean => text !== text.toLowerCase();

/** Whether a deny or ask rule names the command. Work that is the same for all rules is done before. */
export function namesCommand({ argv }: ShellCommand): (spec: CommandSpec) => boolean {
  const once = renamed(argv);
  // `npm run-script test` is `npm run test`, and that is `npm test`.
  const all = [argv, ...once, ...once.flatMap(renamed).slice(0, MAX_RENAMED)];
  const names = [...all, ...all.flatMap(asProgram)].map(namesWords);
  return (spec) => names.some((each) => each(spec));
}

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
    const others = rename(at, at + 1, argv[at]?.text);
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
  return (spec) => {
    for (const text of texts) if (matchesCommand(spec, text)) return true;
    if (spec.words.length < 2 || !argv.some(isSkippable)) return false;
    if (spec.form === 'wildcard') {
      // The words of such a rule cannot be told apart: the command is compared from each place where a sub-command may begin.
      later ??= startsOf(argv, record).map((at) => [program, ...rest.slice(at - 1)].join(' '));
      return later.some((text) => matchesCommand(spec, text));
    }
    return namesProgram(spec, program) && matchesAcross(spec, argv, record);
  };
}

const namesProgram = ({ firstWord }: CommandSpec, program: string): boolean => {
  const named = firstWord?.slice(firstWord.lastIndexOf('/') + 1);
  return named === program || named === program.toLowerCase();
};

/** An option, or a word that may become one or nothing. */
function isSkippable(field: Field): boolean {
  if (field.known) return field.text.startsWith('-') || field.text === '';
  return field.text.startsWith('-') || field.atoms[0]?.kind !== 'char';
}

/** Further words are too many to look at, and no rule names one so far behind. */
const MAX_WORDS = 64;

/** The places behind a word that may be an option: one further, and two where the option may take the next word. */
export function behind(argv: readonly Field[], at: number, record: CommandRecord | undefined): readonly number[] {
  const field = argv[at] as Field;
  const { text } = field;
  if (!isSkippable(field)) return [];
  // In `-[[=C=]]` the sign is part of a glob.
  if (text.includes('=') && !isGlobOption(field)) return [at + 1];
  const values = record?.subcommands?.values ?? record?.runner?.values;
  if (values?.has(text)) return [at + 2];
  const isKnown = record?.subcommands?.harmless.has(text) === true || record?.runner?.flags.has(text) === true;
  return isKnown ? [at + 1] : [at + 1, at + 2];
}

/** Where the first word that is no option may stand. */
function startsOf(argv: readonly Field[], record: CommandRecord | undefined): readonly number[] {
  const seen = new Set([1]);
  const starts: number[] = [];
  for (const at of seen) {
    if (at >= argv.length || at > MAX_WORDS) continue;
    if (!(argv[at] as Field).text.startsWith('-')) starts.push(at);
    for (const next of behind(argv, at, record)) seen.add(next);
  }
  return starts;
}

/** The rule's words in their order, options between them left out; an exact rule leaves nothing over. */
function matchesAcross(
  { words, form }: CommandSpec,
  argv: readonly Field[],
  record: CommandRecord | undefined,
): boolean {
  let positions = new Set([1]);
  let inner = record;
  for (const word of words.slice(1)) {
    const next = new Set<number>();
    for (const at of positions) {
      if (at >= argv.length || at > MAX_WORDS) continue;
      if (argv[at]?.text === word) next.add(at + 1);
      for (const further of behind(argv, at, inner)) positions.add(further);
    }
    if (next.size === 0) return false;
    positions = next;
    inner = inner?.subcommands?.of.get(word);
  }
  return form === 'prefix' || positions.has(argv.length);
}

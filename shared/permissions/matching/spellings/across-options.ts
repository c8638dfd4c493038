/** Compares the words of a deny or ask rule with a command, options between them left out. */
import { isGlobOption, type OptionSpec } from '../../programs/record/options.ts';
import { mayBeSeveral } from '../../programs/record/outputs.ts';
import type { CommandRecord } from '../../programs/record/record.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import type { Field } from '../../shell/syntax/fields.ts';
import { matchesWildcard } from '../../text/glob.ts';
import { isGap, SOME } from './wildcard-words.ts';

/** An option, or a word that may become one or nothing. */
export function isSkippable(field: Field): boolean {
  if (field.isKnown) return field.text.startsWith('-') || field.text === '';
  return field.text.startsWith('-') || field.atoms[0]?.kind !== 'char';
}

/** Further words of a command are not looked at, and may be any. */
export const MAX_WORDS = 512;

/** The places behind a word that may be an option: one further, and two where the option may take the next word. */
export function behind(argv: readonly Field[], at: number, record: CommandRecord | undefined): readonly number[] {
  const field = argv[at] as Field;
  const { text } = field;
  if (!isSkippable(field)) return [];
  // In `-[[=C=]]` the sign is part of a glob.
  if (text.includes('=') && !isGlobOption(field)) return [at + 1];
  const values = record?.subcommands?.values ?? record?.runner?.values;
  if (values?.has(text)) return [at + 2];
  const value = argv[at + 1];
  const isOne = value === undefined || !mayBeSeveral(value);
  if (isOne && takesNext(text, record?.options)) return [at + 2];
  const isKnown = record?.subcommands?.harmless.has(text) === true || record?.runner?.flags.has(text) === true;
  return isKnown ? [at + 1] : [at + 1, at + 2];
}

/** `--message`, `-m` and `-am`: the last letter takes the next word, and no letter before it takes the rest. */
function takesNext(text: string, options: OptionSpec | undefined): boolean {
  if (options === undefined || options.longValues.has(text)) return options !== undefined;
  const at = [...text].findIndex((letter, index) => index > 0 && options.values.includes(letter));
  return !text.startsWith('--') && at > 0 && at === text.length - 1;
}

/** Where the first word that is no option may stand. */
export function startsOf(argv: readonly Field[], record: CommandRecord | undefined): readonly number[] {
  const seen = new Set([1]);
  const starts: number[] = [];
  for (const at of seen) {
    if (at >= argv.length || at > MAX_WORDS) continue;
    if (!(argv[at] as Field).text.startsWith('-')) starts.push(at);
    for (const next of behind(argv, at, record)) seen.add(next);
  }
  return starts;
}

/** Every place where the words of a gap may end. */
export function placesBehind(positions: ReadonlySet<number>, gap: string, end: number): Set<number> {
  const first = Math.min(...positions) + (gap === SOME ? 1 : 0);
  return new Set(Array.from({ length: Math.max(0, Math.min(end, MAX_WORDS) - first + 1) }, (_, at) => first + at));
}

/** The rule's words in their order, options between them left out; an exact rule leaves nothing over. */
export function matchesAcross(
  { words, form }: CommandSpec,
  argv: readonly Field[],
  record: CommandRecord | undefined,
): boolean {
  const ends = endsAcross(words, argv, record);
  return form === 'prefix' ? ends.size > 0 : ends.has(argv.length);
}

/** The same for a rule that names options, whose other words `words` holds: options of the command may also stand at the end. */
export function matchesBeside(
  { words, form }: CommandSpec,
  argv: readonly Field[],
  record: CommandRecord | undefined,
): boolean {
  const ends = endsAcross(words, argv, record);
  if (form === 'prefix') return ends.size > 0;
  for (const at of ends)
    if (at < argv.length && at <= MAX_WORDS) for (const next of behind(argv, at, record)) ends.add(next);
  return ends.has(argv.length);
}

/** The places behind the last of the words. */
function endsAcross(words: readonly string[], argv: readonly Field[], record: CommandRecord | undefined): Set<number> {
  let positions = new Set([1]);
  let inner = record;
  for (const word of words.slice(1)) {
    if (isGap(word)) {
      positions = placesBehind(positions, word, argv.length);
      continue;
    }
    const next = new Set<number>();
    for (const at of positions) {
      if (at >= argv.length || at > MAX_WORDS) continue;
      if (matchesWildcard(word, (argv[at] as Field).text)) next.add(at + 1);
      for (const further of behind(argv, at, inner)) positions.add(further);
    }
    positions = next;
    if (next.size === 0) break;
    inner = inner?.subcommands?.of.get(word);
  }
  return positions;
}

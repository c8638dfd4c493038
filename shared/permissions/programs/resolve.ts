/** Finds the record of a command: its program's, or that of its sub-command. */
import { programOf } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { UNKNOWN } from '../text/unknown.ts';
import { recordOf } from './catalogue/index.ts';
import { NET, type Reading, readOptions } from './record/options.ts';
import type { CommandRecord, ProgramRecord, Subcommands } from './record/record.ts';

/** Where the options end, and which word is the program's pattern; -1 for none. */
export interface OperandPositions {
  readonly ends: number;
  readonly first: number;
}

export interface Resolved {
  readonly program: ProgramRecord;
  /** The record of the last sub-command that the words name. */
  readonly record: CommandRecord;
  /** The sub-commands as they are written. */
  readonly path: readonly string[];
  /** The options before the last sub-command. */
  readonly globals: readonly Field[];
  /** The words behind the last sub-command. */
  readonly words: readonly Field[];
  /** Every sub-command is written out. */
  readonly isLiteral: boolean;
  /** Why an allow cannot rely on it: an option before a sub-command that is not harmless, a sub-command that is not literal. */
  readonly uncertain?: string | undefined;
  /** Holds the results of its readers, so that each reads the words once. */
  readonly memo: { reading?: Reading | string; positions?: OperandPositions };
}

const RESOLVED = Symbol('resolved');

/** Words that remember their record: every reader asks for it, and a weak map of them costs a tenth of a verdict. */
type Remembering = readonly Field[] & { [RESOLVED]?: Resolved | null };

/** Undefined where the command word is not literal or nobody has described the program. */
export function resolveCommand(argv: Remembering): Resolved | undefined {
  let found = argv[RESOLVED];
  if (found === undefined) {
    found = resolve(argv) ?? null;
    argv[RESOLVED] = found;
  }
  return found ?? undefined;
}

function resolve(argv: readonly Field[]): Resolved | undefined {
  const name = programOf(argv[0]);
  const program = name === undefined ? undefined : recordOf(name);
  if (program === undefined) return undefined;
  let record: CommandRecord = program;
  let words: readonly Field[] = argv.slice(1);
  const path: string[] = [];
  const globals: Field[] = [];
  let uncertain: string | undefined;
  let isLiteral = true;
  while (record.subcommands !== undefined) {
    const { subcommands }: CommandRecord = record;
    const step = nextSubcommand(words, subcommands);
    uncertain ??= step.uncertain;
    globals.push(...step.globals);
    if (step.name === undefined) {
      words = step.words;
      break;
    }
    isLiteral &&= step.name.isKnown && !step.name.hasGlob;
    path.push(step.name.text);
    words = step.words;
    record = recordIn(subcommands, step.name.text);
  }
  return { program, record, path, globals, words, isLiteral, uncertain, memo: {} };
}

interface Step {
  readonly globals: readonly Field[];
  readonly name: Field | undefined;
  readonly words: readonly Field[];
  readonly uncertain: string | undefined;
}

/** `+nightly`; a toolchain may be a path, too. */
const TOOLCHAIN = /^\+[\w.-]+$/;

function nextSubcommand(words: readonly Field[], { values, harmless, toolchain }: Subcommands): Step {
  let at = 0;
  let uncertain: string | undefined;
  for (; at < words.length; at++) {
    const field = words[at] as Field;
    const isToolchain = toolchain === true && at === 0 && field.text.startsWith('+');
    if (!isToolchain && (!field.text.startsWith('-') || field.text === '-')) break;
    const written = field.text.split('=')[0] as string;
    const isNamed = isToolchain ? TOOLCHAIN.test(field.text) : harmless.has(written);
    if (!isNamed || !field.isKnown) uncertain ??= `the option ${shown(written)}`;
    if (values.has(field.text)) {
      at += 1;
      const value = words[at];
      if (value !== undefined && (!value.isKnown || value.hasGlob)) uncertain ??= `the value of ${shown(written)}`;
    }
  }
  const globals = words.slice(0, at);
  const name = words[at];
  if (name === undefined) return { globals, name, words: globals, uncertain };
  if (!name.isKnown || name.hasGlob) uncertain ??= 'a sub-command that is not literal';
  return { globals, name, words: words.slice(at + 1), uncertain };
}

const shown = (text: string): string => text.replaceAll(UNKNOWN, '…').slice(0, 40);

/** Known short names of others that begin such a word, or letters that would begin too many. */
const MIN_ABBREVIATION = 2;

/** The record of a sub-command, in full or abbreviated: an abbreviation counts as the first that it may be. */
function recordIn({ of, others, abbreviated }: Subcommands, word: string): CommandRecord {
  const found = of.get(word);
  if (found !== undefined) return found;
  // `artisan TINKER`
  const inSmall = of.get(word.toLowerCase());
  if (inSmall !== undefined && isDangerous(inSmall)) return inSmall;
  if (abbreviated === true && word.length >= MIN_ABBREVIATION)
    for (const [name, record] of of) if (name.startsWith(word) && isDangerous(record)) return record;
  return typeof others === 'function' ? others(word) : others;
}

const isDangerous = ({ grant, runner }: CommandRecord): boolean => grant === 'never' || runner !== undefined;

const runWordsKnown = new WeakMap<CommandRecord, ReadonlySet<string>>();

/** Every sub-command of a program, at any depth, that runs a command in its words. */
export function runWordsOf(record: CommandRecord): ReadonlySet<string> {
  const known = runWordsKnown.get(record);
  if (known !== undefined) return known;
  const words = new Set<string>();
  for (const [name, inner] of record.subcommands?.of ?? []) {
    if (inner.runner !== undefined) words.add(name);
    for (const each of runWordsOf(inner)) words.add(each);
  }
  runWordsKnown.set(record, words);
  return words;
}

/** The command's own options and operands, read once; a text says which option is not harmless. */
export function readingOf(resolved: Resolved): Reading | string {
  const { memo, uncertain, words, record } = resolved;
  memo.reading ??= uncertain ?? readOptions(words, record.options ?? NET);
  return memo.reading;
}

type Access = 'read' | 'write' | 'either';

/** Whether the command reads or writes the files that it names: `either` where that is not certain. */
export function accessOf(resolved: Resolved): Access {
  const { record } = resolved;
  if (record.deletes === true) return 'write';
  const reading = readingOf(resolved);
  if (typeof reading === 'string') return record.edits === true ? 'write' : 'either';
  if ((record.writes?.(reading.operands, reading.options) ?? []).length > 0) return 'write';
  if (onlyReads(resolved)) return 'read';
  return record.edits === true ? 'write' : 'either';
}

const NO_SOURCES: readonly Field[] = [];

/** The operands that it only reads, although it writes another one. */
export function sourcesOf(resolved: Resolved): readonly Field[] {
  const reading = resolved.record.copies === undefined ? '' : readingOf(resolved);
  if (typeof reading === 'string' || resolved.record.copies?.(reading.options) !== true) return NO_SOURCES;
  const sources = reading.operands.slice(0, -1);
  const last = reading.operands.at(-1);
  // A glob that matches nothing may vanish, and leave another operand for the last. A shell without braces has one operand in `{i,}nfra/a`.
  const isBraced = sources.at(-1)?.atoms.some((atom) => last?.atoms.includes(atom) === true);
  return last?.hasGlob === true || isBraced === true ? NO_SOURCES : sources;
}

/** Whether it changes nothing and runs nothing, as it is written. */
export function onlyReads(resolved: Resolved): boolean {
  const { record } = resolved;
  if (record.reads === undefined || record.reads === false) return false;
  const reading = readingOf(resolved);
  if (typeof reading === 'string') return false;
  if ((record.writes?.(reading.operands, reading.options) ?? []).length > 0) return false;
  // A script that is not harmless may write: `awk '{ print > "f" }'`.
  if (
    record.paths?.script !== undefined &&
    record.options?.operands?.(reading.operands, reading.options, []) !== undefined
  )
    return false;
  return record.reads === true || record.reads(reading.operands, reading.options);
}

/** Whether it prints file names, none of which begins with a dash. */
export function listsNames(resolved: Resolved): boolean {
  const { lists } = resolved.record;
  const reading = readingOf(resolved);
  if (lists === undefined || typeof reading === 'string') return false;
  return lists === true || (lists !== false && lists(reading.options));
}

/** Follows input of a command: the words that xargs is given, and code through a pipe. */
import { patchHeaders } from '../../paths/patch.ts';
import { recordOf } from '../../programs/catalogue/index.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { takesMadeNames, takesNames } from '../../programs/standard-input.ts';
import { MAX_DEPTH, type WorkBudget } from '../syntax/budget.ts';
import { type PathWord, programOf, type ShellCommand, sourcesOf } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';
import { namesFiles, writesNamed } from './named-files.ts';
import { OUTPUT_PATH } from './output-paths.ts';
import type { Unwrapped } from './unwrapped.ts';

/** Takes notes of the words that flow from one command into another. */
interface FlowNotes {
  readonly captured: Set<ShellCommand>;
  /** Commands that name files which another command writes. */
  readonly written: Set<ShellCommand>;
  readonly texts: { readonly text: string; readonly dir: string }[];
  readonly doubts: Set<string>;
  readonly budget: WorkBudget;
}

interface PatchNotes {
  readonly patched: PathWord[];
  readonly budget: WorkBudget;
}

/** Commands before a pipe that are looked at. */
const MAX_SOURCES = 5_000;

/** Steps that a look for headers costs: one for so many characters, as a power of two. */
const HEADERS_STEP = 4;

/** `echo rm x | xargs env`: the words that come in stand behind those of the command. */
export function givenByInput(command: ShellCommand, { argvs }: Unwrapped): readonly (readonly Field[])[] {
  if (!takesWords(command)) return [];
  const texts = stdinCode(command).filter((text) => text !== undefined);
  const inner = argvs.length === 0 ? [[]] : argvs;
  return texts.flatMap((text) => {
    const words = text
      .split(/\s+/)
      .filter((word) => word !== '')
      .slice(0, MAX_GIVEN)
      .map(literalField);
    return words.length === 0 ? [] : inner.map((argv) => [...argv, ...words]);
  });
}

/** Words from the input that are looked at. */
const MAX_GIVEN = 200;

/** A text that a command prints into another one may become a name there, unless that one only reads. */
export function noteCaptured(command: ShellCommand, notes: FlowNotes): void {
  if (takesWords(command) || takesNames(programOf(command.argv[0]) ?? '', command.argv))
    noteArguments(command, notes, writesNamed(command.argv, notes.budget), 0, new Set());
  if (takesMadeNames(command.argv)) notes.doubts.add(OUTPUT_PATH);
  if (command.stdin.kind !== 'pipe') return;
  const record = recordOf(programOf(command.argv[0]) ?? '');
  if (record?.reads === undefined && record?.edits !== true)
    for (const source of command.stdin.from) notes.captured.add(source);
}

/** The headers of a patch that the text itself states name files to write, also of one within a wrapper: `env git apply`. */
export function notePatched(command: ShellCommand, notes: PatchNotes): void {
  if (resolveCommand(command.argv)?.record.patches !== true) return;
  for (const { text } of command.argv) if (text.includes('\n')) noteHeaders(text, command.dir, notes);
  notePatch(command, command.dir, notes, new Set());
}

function notePatch(command: ShellCommand, dir: string, notes: PatchNotes, seen: Set<ShellCommand>): void {
  const { stdin } = command;
  if (seen.size > MAX_SOURCES || seen.has(command)) return;
  seen.add(command);
  if (stdin.kind === 'text') noteHeaders(stdin.text ?? '', dir, notes);
  if (stdin.kind === 'pipe') for (const source of stdin.from) notePatch(source, dir, notes, seen);
}

function noteHeaders(text: string, dir: string, { patched, budget }: PatchNotes): void {
  if (!budget.spend(text.length >> HEADERS_STEP)) return;
  for (const path of patchHeaders(text)) patched.push({ path, dir, glob: undefined, access: 'write' });
}

/** Text that flows into xargs becomes words of a command, however many programs it goes through. */
function noteArguments(
  command: ShellCommand,
  notes: FlowNotes,
  writes: boolean,
  depth: number,
  seen: Set<ShellCommand>,
): void {
  const { stdin } = command;
  if (stdin.kind === 'text' && stdin.text !== undefined) notes.texts.push({ text: stdin.text, dir: command.dir });
  if (depth > MAX_DEPTH) return;
  for (const source of sourcesOf(stdin)) {
    // Groups between pipes lead to the same sources again and again.
    if (seen.has(source)) continue;
    seen.add(source);
    notes.captured.add(source);
    if (writes && namesFiles(source)) notes.written.add(source);
    const name = programOf(source.argv[0]) ?? '';
    const isOrigin = printsWords(source);
    if (isOrigin && source.argv.some((field, at) => at > 0 && makesText(field.text, name)))
      notes.doubts.add(OUTPUT_PATH);
    if (
      !isOrigin &&
      recordOf(name)?.passesLines !== true &&
      source.stdin.kind !== 'inherited' &&
      source.stdin.kind !== 'file' &&
      beginsAsText(source, 0, new Set())
    )
      notes.doubts.add(OUTPUT_PATH);
    noteArguments(source, notes, writes, depth + 1, seen);
  }
}

/** Whether the text itself states what goes into it. */
function beginsAsText(command: ShellCommand, depth: number, seen: Set<ShellCommand>): boolean {
  const { stdin } = command;
  if (stdin.kind !== 'pipe' || seen.has(command)) return stdin.kind === 'text';
  seen.add(command);
  return stdin.from.some(
    (source) => printsWords(source) || (depth < MAX_DEPTH && beginsAsText(source, depth + 1, seen)),
  );
}

/** An escape, or a format that joins words. */
const makesText = (text: string, name: string): boolean =>
  !PLAIN_FORMATS.has(text) && (text.includes('\\') || (name === 'printf' && text.includes('%')));

const PLAIN_FORMATS: ReadonlySet<string> = new Set(['%s', '%s\\n', '%s\\0', '%s ']);

/** `echo` and `printf`: their words are what comes out. */
export const printsWords = ({ argv }: ShellCommand): boolean => recordOf(programOf(argv[0]) ?? '')?.prints === true;

/** Code that a here-document holds, or that `echo` and `printf` write into the pipe. */
export function stdinCode({ stdin }: ShellCommand): (string | undefined)[] {
  const printed = sourcesOf(stdin).flatMap((source) => {
    if (!printsWords(source)) return [];
    const words = source.argv.slice(1).filter((field) => field.isKnown);
    const texts = words.filter((field) => !field.text.startsWith('-')).map((field) => field.text);
    // `printf '%s' CODE`: each word may be the code, too.
    return programOf(source.argv[0]) === 'printf' ? [texts.join(' '), ...texts] : [texts.join(' ')];
  });
  return stdin.kind === 'text' ? [stdin.text, ...printed] : printed;
}

export const takesWords = ({ argv }: ShellCommand): boolean => recordOf(programOf(argv[0]) ?? '')?.takesWords === true;

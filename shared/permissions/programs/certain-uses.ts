/** Tells people what a command certainly does to the things it names; never for a verdict. */
import type { ShellAnalysis, ShellCommand } from '../shell/syntax/command.ts';
import { FALLBACK } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { deletesByName } from './catalogue/names/verbs.ts';
import type { Reading } from './record/options.ts';
import { onlyReads, type Resolved, readingOf, resolveCommand } from './resolve.ts';
import { roleOf } from './roles.ts';

export interface CertainUse {
  readonly verb: 'deletes' | 'writes' | 'reads' | 'connects to';
  readonly name: string;
  /** The folder in which the name is read, if it may be a file. */
  readonly dir?: string | undefined;
}

/** Uses of words that are known and no pattern, deletions first. A use that depends on anything else is left out. */
export function certainUses(shell: ShellAnalysis): CertainUse[] {
  const commands = [...shell.commands, ...shell.unwrapped.filter(({ foundIn }) => foundIn !== FALLBACK)];
  const uses = [
    ...commands.flatMap(usesOf),
    ...shell.redirects.flatMap(({ access, target, dir }): CertainUse[] =>
      isCertain(target) && !DEVICE.test(target.text)
        ? [{ verb: access === 'write' ? 'writes' : 'reads', name: target.text, dir }]
        : [],
    ),
  ];
  return VERBS.flatMap((verb) => uses.filter((use) => use.verb === verb));
}

const VERBS = ['deletes', 'writes', 'connects to', 'reads'] as const;
const DEVICE = /^\/dev\/(?:null|zero|std(?:in|out|err)|tty|u?random)$|^&?\d$|^-$/;
const DRY_RUN = /^--dry-?run(?:=(?!none$|false$)|$)|^--what-?if$|^--noop$/;

const isCertain = (field: Field): boolean => field.isKnown && !field.hasGlob && field.text !== '';

function usesOf({ argv, dir }: ShellCommand): CertainUse[] {
  const resolved = resolveCommand(argv);
  if (!resolved?.isLiteral || argv.some(({ text }) => DRY_RUN.test(text))) return [];
  const read = readingOf(resolved);
  const operands = operandsOf(argv, resolved, read);
  const use = (verb: CertainUse['verb'], fields: readonly Field[]): CertainUse[] =>
    fields
      .filter((field) => isCertain(field) && !DEVICE.test(field.text))
      .map(({ text }) => ({ verb, name: text, dir }));
  if (deletes(resolved)) return use('deletes', operands);
  if (resolved.record.fetches === true) return operands.flatMap(connected);
  if (typeof read === 'string') return [];
  const written = resolved.record.writes?.(read.operands, read.options) ?? [];
  if (written.length) return use('writes', written);
  if (resolved.record.edits === true) return use('writes', edited(read));
  return onlyReads(resolved)
    ? use(
        'reads',
        operands.filter(({ text }) => NAMES_FILE.test(text)),
      )
    : [];
}

const NAMES_FILE = /^[.~/]|\//;

/** A program that deletes whatever it is given, or a sub-command of which the name says so. */
function deletes({ record, path }: Resolved): boolean {
  const verb = path.at(-1);
  return record.deletes === true || (verb !== undefined && deletesByName(verb));
}

/** Several operands of `cp` and its like are read, and the last one is written. */
function edited({ operands, options }: Reading): readonly Field[] {
  const folder = options.find(({ name }) => name === '-t' || name === '--target-directory')?.value;
  return folder ? [folder] : operands.slice(-1);
}

/** Words that are neither options nor text; the first behind a sub-command that is a group of its own among them. */
function operandsOf(argv: readonly Field[], resolved: Resolved, read: Reading | string): readonly Field[] {
  const fields = typeof read === 'string' ? resolved.words.filter(({ text }) => !text.startsWith('-')) : read.operands;
  return fields.filter((field) => roleOf(argv.indexOf(field), argv, resolved, true) !== 'text');
}

function connected({ text, isKnown }: Field): CertainUse[] {
  const url = isKnown ? webUrl(text) : undefined;
  return url ? [{ verb: 'connects to', name: url.host }] : [];
}

/** `example.org/x` is an address to whoever fetches. */
function webUrl(text: string): URL | undefined {
  const stated = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(stated);
  return url?.host.includes('.') || url?.hostname === 'localhost' ? (url ?? undefined) : undefined;
}

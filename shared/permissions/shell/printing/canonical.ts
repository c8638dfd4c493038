/** Prints a shell command again from the gate's own reading, so that no shell can read it otherwise. */
import { WorkBudget } from '../syntax/budget.ts';
import type { ShellAnalysis, ShellCommand, Stdin } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { joinLines } from '../syntax/joined-lines.ts';
import type { ShellParser } from '../syntax/shell-parser.ts';
import { printTree } from './print-tree.ts';
import { UnprintableError } from './print-word.ts';

/** Decisions carry it, and people read it: longer ones are not printed. In UTF-16 units. */
const MAX_PRINTED = 8_000;

/**
 * The command in one fixed form, for shells that take it as a script: every literal word in single quotes, patterns and expansions as they are, comments left out.
 * `undefined` if a part of it means different things to different shells, if it does not parse, or if the printed text would be read
 * otherwise than `text`. The form of a text that has that form already is the text itself.
 *
 * @example canonicalCommand('ls -l *.ts # all', parser) // 'ls' '-l' *'.ts'
 */
export function canonicalCommand(text: string, parser: ShellParser): string | undefined {
  const printed = printOnce(text, parser);
  if (printed === undefined || printed === text) return printed;
  return printOnce(printed, parser) === printed ? printed : undefined;
}

function printOnce(text: string, parser: ShellParser): string | undefined {
  const tree = parser.parse(joinLines(text));
  if (tree === undefined) return undefined;
  try {
    const printed = printTree(tree, new WorkBudget());
    return printed.length <= MAX_PRINTED ? printed : undefined;
  } catch (error) {
    if (error instanceof UnprintableError) return undefined;
    throw error;
  }
}

/** Whether two texts are the same commands, words, assignments and redirections to the gate. */
export function isSameReading(one: ShellAnalysis, other: ShellAnalysis): boolean {
  return (
    sameList(one.commands, other.commands, isSameCommand) &&
    sameList(
      one.redirects,
      other.redirects,
      (a, b) => a.access === b.access && a.dir === b.dir && isSameField(a.target, b.target),
    )
  );
}

function sameList<Each>(one: readonly Each[], other: readonly Each[], isSame: (a: Each, b: Each) => boolean): boolean {
  return one.length === other.length && one.every((each, at) => isSame(each, other[at] as Each));
}

function isSameCommand(one: ShellCommand, other: ShellCommand): boolean {
  return (
    one.dir === other.dir &&
    one.dirAllowed === other.dirAllowed &&
    isSameInput(one.stdin, other.stdin) &&
    sameList(one.argv, other.argv, isSameField) &&
    sameList(
      one.assignments,
      other.assignments,
      (a, b) =>
        a.name === b.name &&
        a.literal === b.literal &&
        (a.value === undefined || b.value === undefined ? a.value === b.value : isSameField(a.value, b.value)),
    )
  );
}

function isSameInput(one: Stdin, other: Stdin): boolean {
  return one.kind === other.kind && (one.kind !== 'text' || other.kind !== 'text' || one.text === other.text);
}

/** Within `[ … ]` the walk leaves a variable unknown that it knows elsewhere: the printed word may then be known. */
function isSameField(one: Field, other: Field): boolean {
  if (!one.isKnown) return true;
  return other.isKnown && one.text === other.text && one.hasGlob === other.hasGlob && hasTilde(one) === hasTilde(other);
}

function hasTilde({ atoms: [first] }: Field): boolean {
  return first?.kind === 'char' && first.char === '~' && !first.quoted;
}

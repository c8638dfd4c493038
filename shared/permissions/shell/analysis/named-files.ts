/** Tells commands that print names of files, and those that do more than read the named. */
import { FOUND_NAME, innerOf } from '../../programs/inner-commands.ts';
import { accessOf, listsNames, type Resolved, resolveCommand } from '../../programs/resolve.ts';
import { MAX_DEPTH, type WorkBudget } from '../syntax/budget.ts';
import type { ShellCommand } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';
import { unwrap } from './unwrap.ts';

/** Whether the program that is given the names of files does more than read these. */
export function writesNamed(argv: readonly Field[], budget: WorkBudget, depth = 0): boolean {
  const resolved = resolveCommand(argv);
  if (resolved === undefined || depth > MAX_DEPTH) return true;
  const within = commandsWithin(resolved, argv, budget);
  if (within === undefined) return accessOf(resolved) !== 'read';
  return within.some((words) => writesNamed(words, budget, depth + 1));
}

/** Code of one command with plain words. */
const PLAIN_WORDS = /^[\w./{}% -]+$/;

/** The commands that it runs with the names at their end; undefined where it runs none, or other code than plain words. */
function commandsWithin(
  resolved: Resolved,
  argv: readonly Field[],
  budget: WorkBudget,
): readonly (readonly Field[])[] | undefined {
  const inner = innerOf(resolved, argv, () => 'files');
  if (inner !== undefined && typeof inner === 'object') return inner.commands;
  const { runner, interpreter } = resolved.program;
  if (runner === undefined && interpreter?.shell !== true) return undefined;
  const { argvs, code, from } = unwrap(argv, budget);
  const texts = code.filter((text) => text !== undefined && PLAIN_WORDS.test(text)) as readonly string[];
  if (from !== undefined || texts.length < code.length) return undefined;
  const inCode = texts.map((text) => text.trim().split(/ +/).map(literalField));
  // The words that are joined are the code; further readings of xargs hold words that nobody knows.
  const commands = runner?.joins === true ? inCode : [...argvs.slice(0, 1), ...inCode];
  return commands.length === 0 ? undefined : commands.map((words) => [...words, FOUND_NAME]);
}

/** `find f`, `ls f`, `git ls-files f`: the output names files below those that the command names. */
export function namesFiles({ argv }: ShellCommand): boolean {
  const resolved = resolveCommand(argv);
  return resolved !== undefined && (resolved.record.printsNames === true || listsNames(resolved));
}

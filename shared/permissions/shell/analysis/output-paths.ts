/** Finds paths that are another command's output: which file they name cannot be known. */
import { resolveCommand } from '../../programs/resolve.ts';
import { roleOf } from '../../programs/roles.ts';
import type { ShellCommand, ShellRedirect } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { isOutput } from '../walk/shell-variables.ts';

/** The doubt about a command that takes such a word, or a redirection that leads to one. */
export const OUTPUT_PATH = 'a path that another command makes';

/** The output of a command may hold any name, and a slash before it. */
const isOutputWord = (field: Field): boolean => !field.isKnown && field.atoms.some(isOutput);

/** Whether a program is given a path that a substitution makes. */
export function takesOutputPath(command: ShellCommand): boolean {
  // The usual case: everything is known.
  if (command.argv.every((field) => field.isKnown)) return false;
  const resolved = resolveCommand(command.argv);
  return command.argv.some(
    (field, at) => at > 0 && isOutputWord(field) && roleOf(at, command.argv, resolved, true) !== 'text',
  );
}

/** Whether a redirection leads to such a path. */
export const leadsToOutputPath = ({ target }: ShellRedirect): boolean => isOutputWord(target);

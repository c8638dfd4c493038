/** Finds words that another command makes and a program takes as a path: which file they name cannot be known (G6). */
import { resolveCommand } from '../programs/resolve.ts';
import { roleOf } from '../programs/roles.ts';
import type { ShellCommand } from './command.ts';
import type { Field } from './fields.ts';

/** A segment that begins with what a command prints: even its leading dot is not known. */
function isMade(field: Field): boolean {
  let begins = true;
  return field.atoms.some((atom) => {
    if (begins && atom.kind === 'opaque' && atom.place !== true) return true;
    begins = atom.kind === 'char' ? '/=:@,'.includes(atom.char) : begins && atom.kind === 'var';
    return false;
  });
}

/** Whether a program is given a path that a substitution makes. */
export function takesMadePath(command: ShellCommand): boolean {
  // The usual case: everything is known.
  if (command.argv.every((field) => field.known)) return false;
  const resolved = resolveCommand(command.argv);
  return command.argv.some(
    (field, at) => at > 0 && isMade(field) && roleOf(at, command.argv, resolved, true) !== 'text',
  );
}

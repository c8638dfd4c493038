/** Tells commands that print names of files, and those that do more than read the named. */
import { innerOf } from '../../programs/inner-commands.ts';
import { accessOf, listsNames, resolveCommand } from '../../programs/resolve.ts';
import type { ShellCommand } from '../syntax/command.ts';

/** Whether the program that is given the names of files does more than read these. */
export function writesNamed({ argv }: ShellCommand): boolean {
  const resolved = resolveCommand(argv);
  if (resolved === undefined) return true;
  const inner = innerOf(resolved, argv, () => 'files');
  if (inner === 'unclear') return true;
  return (inner?.commands ?? [argv]).some((words) => {
    const within = resolveCommand(words);
    return within === undefined || accessOf(within) !== 'read';
  });
}

/** `find f`, `ls f`, `git ls-files f`: the output names files below those that the command names. */
export function namesFiles({ argv }: ShellCommand): boolean {
  const resolved = resolveCommand(argv);
  return resolved !== undefined && (resolved.record.printsNames === true || listsNames(resolved));
}

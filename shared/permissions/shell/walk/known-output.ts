/** Finds substitutions that print a folder, revision or number, and no text of the caller's. */
import { resolveCommand } from '../../programs/resolve.ts';
import type { ShellCommand } from '../syntax/command.ts';

/** Whether the commands print such a text. */
export function printsLocation(commands: readonly ShellCommand[]): boolean {
  const [command] = commands;
  if (command === undefined || commands.length !== 1 || !command.argv.every((field) => field.isKnown)) return false;
  const resolved = resolveCommand(command.argv);
  return resolved?.record.printsLocation?.(resolved.words.map(({ text }) => text)) === true;
}

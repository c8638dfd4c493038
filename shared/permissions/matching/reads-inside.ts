/** Tells whether a command only reads, and only files of the project. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { isLocal } from '../programs/catalogue/index.ts';
import { REPORTS_VERSION } from '../programs/catalogue/names/versions.ts';
import { type CommandLocation, prefixCovers } from '../programs/prefix.ts';
import { onlyReads, resolveCommand } from '../programs/resolve.ts';
import { roleOf } from '../programs/roles.ts';
import { climbing } from '../shell/syntax/climbing.ts';
import type { ShellCommand } from '../shell/syntax/command.ts';
import { isNearDenied } from './near-denied.ts';

export const locationOf = (command: ShellCommand, prepared: PreparedCall): CommandLocation => ({
  inside: (path) => [command.dir, ...command.otherDirs].every((cwd) => prepared.normalised(path, cwd).insideRoot),
});

/** `node --version`, and no further word. */
const reportsVersion = ({ argv }: ShellCommand): boolean =>
  argv.length === 2 &&
  argv[1]?.isKnown === true &&
  REPORTS_VERSION.get(argv[0]?.text ?? '')?.has(argv[1].text) === true;

/** A program that only reads, and every file that it names lies in the project. */
export function readsInside(command: ShellCommand, prepared: PreparedCall): boolean {
  const resolved = resolveCommand(command.argv);
  if (resolved === undefined) return false;
  if (reportsVersion(command)) return !isNearDenied(command, prepared);
  if (!resolved.program.names.includes(command.argv[0]?.text ?? '')) return false;
  if (!isLocal(resolved.program) || !onlyReads(resolved) || isNearDenied(command, prepared)) return false;
  if (resolved.program.stdin !== undefined || prefixCovers(command, [], locationOf(command, prepared)).kind === 'no')
    return false;
  const location = locationOf(command, prepared);
  return command.argv.every((field, index) => {
    // A text that is printed may be a glob, which prints names.
    const isText = index === 0 || (!field.hasGlob && roleOf(index, command.argv, resolved, true) === 'text');
    return (
      isText ||
      (field.isKnown && climbing(field) === field.text && partsIn(field.text).every((part) => location.inside(part)))
    );
  });
}

/** A word, and what may be a path in it: behind `=`, `:` and `@`, and behind the letter of an option. */
function partsIn(text: string): readonly string[] {
  const rests = ['=', ':', '@'].flatMap((mark) => (text.includes(mark) ? [text.slice(text.indexOf(mark) + 1)] : []));
  const attached = text.startsWith('-') && !text.startsWith('--') && text.length > MIN_ATTACHED ? [text.slice(2)] : [];
  return [text, ...rests, ...attached];
}

/** `-d/` sets a separator; a path behind an option's letter has two characters at least. */
const MIN_ATTACHED = 3;

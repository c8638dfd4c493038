/** Tells whether a command walks through a whole home, with every protected file in it. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { fixedSegments } from '../paths/normalise.ts';
import { recordOf } from '../programs/catalogue/index.ts';
import { walks } from '../programs/walks.ts';
import { programOf, type ShellCommand, sourcesOf } from '../shell/syntax/command.ts';

/** Whether a word of it is the home, or a folder above. */
function namesHome({ argv, dir, otherDirs }: ShellCommand, prepared: PreparedCall): boolean {
  const home = fixedSegments(prepared.call.home);
  return argv.some(
    ({ text, isKnown }, at) =>
      at > 0 &&
      isKnown &&
      text !== '' &&
      !text.startsWith('-') &&
      [dir, ...otherDirs].some((cwd) =>
        prepared
          .normalised(text, cwd)
          .exact.some((path) => path.length <= home.length && path.every((name, index) => name === home[index])),
      ),
  );
}

/** `grep -r x ~`, `cp -a /home x`, `find ~ -exec cat {} +`, and `find ~ | xargs cat`. */
export function readsHome(command: ShellCommand, prepared: PreparedCall): boolean {
  if (walks(command) && namesHome(command, prepared)) return true;
  const { stdin } = command;
  if (recordOf(programOf(command.argv[0]) ?? '')?.takesWords !== true) return false;
  const seen = new Set<ShellCommand>();
  return sourcesOf(stdin).some((source) => listsHome(source, prepared, seen));
}

/** Also where a program between the two leaves out some of the names. */
function listsHome(source: ShellCommand, prepared: PreparedCall, seen: Set<ShellCommand>): boolean {
  if (seen.has(source)) return false;
  seen.add(source);
  const { lists, passesLines } = recordOf(programOf(source.argv[0]) ?? '') ?? {};
  if (lists && namesHome(source, prepared)) return true;
  if (passesLines !== true) return false;
  return sourcesOf(source.stdin).some((earlier) => listsHome(earlier, prepared, seen));
}

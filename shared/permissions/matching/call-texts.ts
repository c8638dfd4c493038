/** Finds the texts that a call's commands print, and the files of that call which run them. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { resolveCommand } from '../programs/resolve.ts';
import type { ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import { allCommands } from './match.ts';

/** Texts that the call's commands print, and the files that they write them to. */
export class CallTexts {
  readonly #commands: readonly ShellCommand[];
  readonly #shell: PreparedCall['shell'];
  #written: ReadonlySet<string> | undefined;

  constructor(prepared: PreparedCall) {
    this.#commands = allCommands(prepared);
    this.#shell = prepared.shell;
  }

  /** Everything that the commands print, wherever it goes, and the here-documents. */
  printed(): readonly string[] {
    return this.#commands.flatMap(({ argv, stdin }) => [
      ...(resolveCommand(argv)?.program.prints === true ? argv.slice(1).map(({ text }) => text) : []),
      ...(stdin.kind === 'text' ? [stdin.text ?? ''] : []),
    ]);
  }

  /** Whether the command is, or runs, a file that the text itself writes: `echo CODE > x; sh x`. */
  runsWritten({ argv, stdin }: ShellCommand, refused: boolean): boolean {
    const written = this.#names();
    if (written.size === 0) return false;
    if (written.has(baseName(argv[0]?.text ?? ''))) return true;
    const resolved = resolveCommand(argv);
    const record = resolved?.record;
    const isRun =
      refused || (record?.interpreter ?? resolved?.program.interpreter) !== undefined || record?.runsHere === 'file';
    if (!isRun) return false;
    // A glob, or a name that find puts in, may be any file that is there.
    const isWritten = ({ text, known, glob }: Field): boolean =>
      !known || glob || text === '{}' || written.has(baseName(text));
    return stdin.kind === 'file' || argv.some(isWritten);
  }

  /** By their own names and those of their folders, whose files `run-parts` runs: a path may be spelt in many ways. */
  #names(): ReadonlySet<string> {
    if (this.#written !== undefined) return this.#written;
    const names = new Set<string>();
    for (const { path, access } of this.#shell?.paths ?? [])
      if (access === 'write' && path !== '/dev/null')
        for (const name of path.split('/')) if (name !== '') names.add(name);
    this.#written = names;
    return names;
  }
}

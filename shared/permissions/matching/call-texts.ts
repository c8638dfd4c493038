/** Finds the texts that a call's commands print, and the files of that call which run them. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { scriptAt } from '../programs/interpreters.ts';
import type { Interpreter } from '../programs/record/record.ts';
import { type Resolved, readingOf, resolveCommand } from '../programs/resolve.ts';
import type { ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import { allCommands } from './match.ts';

/** Texts that the call's commands print, and the files that they write them to. */
export class CallTexts {
  readonly #commands: readonly ShellCommand[];
  readonly #shell: PreparedCall['shell'];
  #written: WrittenNames | undefined;

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

  /** All words of the commands: formats, scripts and patterns among them may be what a program prints. */
  words(): readonly string[] {
    return this.#commands.flatMap(({ argv }) => argv.slice(1).map(({ text }) => text));
  }

  /** Whether the command is, or may run, a file that the text itself writes: `echo CODE > x; sh x`. */
  runsWritten(command: ShellCommand, refused: boolean): boolean {
    const { files } = this.#names();
    // A script may run a file that it is given.
    return this.startsWritten(command, refused) || behindScript(command).some(({ text }) => files.has(baseName(text)));
  }

  /** The same, where the arguments of a script are taken for data. */
  startsWritten({ argv, assignments, stdin }: ShellCommand, refused = false): boolean {
    const { files, all } = this.#names();
    if (all.size === 0) return false;
    // A program may start a shell, which runs the file: `echo CODE > dev; ENV=dev screen`.
    if (assignments.some(({ name, value }) => name === 'ENV' && all.has(value?.text ?? ''))) return true;
    const resolved = resolveCommand(argv);
    const name = argv[0]?.text ?? '';
    // A known program is found by its name, also where a folder is called so: `mkdir -p docs/git; git add .`.
    if ((resolved === undefined || name.includes('/') ? all : files).has(baseName(name))) return true;
    const interpreter = interpreterOf(resolved);
    if (!refused && interpreter === undefined && resolved?.record.runsHere !== 'file') return false;
    const script = interpreter === undefined ? -1 : scriptAt(argv, interpreter);
    if (script < 0 && stdin.kind === 'file') return true;
    // A glob, or a name that find puts in, may be any file that is there.
    const isWritten = ({ text, isKnown, hasGlob }: Field): boolean =>
      !isKnown || hasGlob || text === '{}' || all.has(baseName(text));
    return argv.slice(1, script < 0 ? undefined : script + 1).some(isWritten);
  }

  #names(): WrittenNames {
    this.#written ??= namesOf(this.#shell, this.#commands);
    return this.#written;
  }
}

/** By their own names: a path may be spelt in many ways. */
interface WrittenNames {
  /** Texts of redirections, and of files that programs are told to write. */
  readonly files: ReadonlySet<string>;
  /** Texts of all that is written, copied or made, with the names of the folders, whose files `run-parts` and `python3 d` run. */
  readonly all: ReadonlySet<string>;
}

function namesOf(shell: PreparedCall['shell'], commands: readonly ShellCommand[]): WrittenNames {
  const paths = (shell?.paths ?? []).filter(({ path, access }) => access === 'write' && path !== '/dev/null');
  const targets = (shell?.redirects ?? []).filter(({ access }) => access === 'write').map(({ target }) => target.text);
  const stated = commands.flatMap(({ argv }) => statedFiles(resolveCommand(argv)));
  return {
    files: new Set([...targets.filter((text) => text !== '/dev/null'), ...stated].map(baseName)),
    all: new Set(paths.flatMap(({ path }) => path.split('/').filter((name) => name !== ''))),
  };
}

function statedFiles(resolved: Resolved | undefined): readonly string[] {
  const writes = resolved?.record.writes;
  const read = resolved === undefined || writes === undefined ? undefined : readingOf(resolved);
  if (read === undefined || typeof read === 'string') return [];
  return writes?.(read.operands, read.options).map(({ text }) => text) ?? [];
}

const interpreterOf = (resolved: Resolved | undefined): Interpreter | undefined =>
  resolved?.record.interpreter ?? resolved?.program.interpreter;

function behindScript({ argv }: ShellCommand): readonly Field[] {
  const interpreter = interpreterOf(resolveCommand(argv));
  const script = interpreter === undefined ? -1 : scriptAt(argv, interpreter);
  return script < 0 ? [] : argv.slice(script + 1);
}

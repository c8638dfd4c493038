/** Writes a file of environment variables for each agent, and removes it again. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Variables by name; a variable without a value is unset, for an empty `AWS_PROFILE` breaks AWS's own tools. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The text of a file for `source`; Node reads it with `--env-file`, too. */
export function envFileText(variables: Variables): string {
  const lines = Object.entries(variables).map(([name, value]) =>
    value === undefined || value === '' ? `unset ${name}` : `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  );
  return `${lines.join('\n')}\n`;
}

/** The folder of env files of one run. */
export interface EnvFolder {
  readonly path: string;
  /** Writes the files of these names, which may name folders below, and removes every other. */
  write(files: Readonly<Record<string, Variables>>): void;
  remove(): void;
}

const PID_FILE = 'pid';

/**
 * Makes the folder, readable to its owner alone. The folder of a run that was killed is taken over.
 *
 * @throws Error if another run has the folder, or if the folder is not one of a run
 */
export function makeEnvFolder(path: string, isRunning: (pid: number) => boolean = isAlive): EnvFolder {
  const make = () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, PID_FILE), `${process.pid}\n`);
    // The keys in it open nothing but this run; they are of no use to a repository either.
    writeFileSync(join(path, '.gitignore'), '*\n');
  };
  if (existsSync(path)) {
    const pid = pidIn(path);
    if (pid === undefined) throw new Error(`${path} is no folder of countersign dev: move it away`);
    if (isRunning(pid))
      throw new Error(`countersign dev runs here already (process ${pid}): end it, or remove ${path}`);
    rmSync(path, { recursive: true });
  }
  make();
  let names: readonly string[] = [];
  return {
    path,
    write(files) {
      for (const name of names) if (!Object.hasOwn(files, name)) rmSync(join(path, `${name}.env`), { force: true });
      names = Object.keys(files);
      for (const [name, variables] of Object.entries(files)) {
        const file = join(path, `${name}.env`);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, envFileText(variables), { mode: 0o600 });
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(path, PID_FILE), 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Of another user: the process runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

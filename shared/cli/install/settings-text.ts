/** Reads a program's settings file, and writes it whole or not at all. */
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, EXIT } from '../support/io.ts';

/** Undefined where there is no file. @throws CliError */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(`${file}: the settings cannot be read (${(error as NodeJS.ErrnoException).code})`, EXIT.usage);
  }
}

/** The program may read it at any moment. A link stays one. @throws CliError */
export function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const existing = statSync(file, { throwIfNoEntry: false });
    const target = existing ? realpathSync(file) : file;
    const made = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(made, text, { flag: 'wx' });
      if (existing) chmodSync(made, existing.mode);
      renameSync(made, target);
    } finally {
      rmSync(made, { force: true });
    }
  } catch (error) {
    throw new CliError(`${file}: the settings cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Keeps the token of the server in a file that its user alone can read. */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, EXIT } from '../support/io.ts';

const TOKEN = /^[\w-]{32,200}$/;
const OTHERS = 0o077;

/**
 * The token of the file, which is made if there is none. Programs read it there.
 *
 * @throws CliError for a file that others may read or that is no token: it would guard nothing
 */
export function tokenOf(file: string): string {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return made(file) ?? read(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file}: the token file cannot be used (${(error as NodeJS.ErrnoException).code})`);
  }
}

function made(file: string): string | undefined {
  const token = randomBytes(32).toString('base64url');
  try {
    writeFileSync(file, `${token}\n`, { flag: 'wx', mode: 0o600 });
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

function read(file: string): string {
  // A link could be led elsewhere between the look and the read.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { mode, uid } = fstatSync(handle);
    if (process.platform !== 'win32' && ((mode & OTHERS) !== 0 || uid !== process.getuid?.()))
      throw new CliError(`${file}: others may read or change the token: chmod 600 it, or remove it`, EXIT.usage);
    const token = readFileSync(handle, 'utf8').trim();
    if (TOKEN.test(token)) return token;
    throw new CliError(
      `${file}: holds no token of 32 letters and digits: remove it, and a new one is made`,
      EXIT.usage,
    );
  } finally {
    closeSync(handle);
  }
}

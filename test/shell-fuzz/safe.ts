/**
 * Tells whether a text may be run safely on this machine.
 *
 * A safe text has no absolute path outside of the scratch folder, no network, and no end of other processes.
 */
import { HOME, PROJECT } from './scratch.ts';

/** Roots of the real file system, built-ins that reach other processes or limits, and the shell's own network. */
const REFUSED =
  /\/+(?:usr|bin|sbin|etc|opt|home|root|var|tmp|work|proc|sys|dev|lib|mnt|srv|run|boot)|kill|ulimit|suspend/;
/** A glob that begins at the root of the file system. */
const ROOT_GLOB = /(?:^|[^.~\w]|\$\w+)\/+["'\\]*[*?[{]/;
const MAX_LENGTH = 4_000;
const MAX_PARENTS = 4;

export function isSafe(text: string): boolean {
  if (text.length > MAX_LENGTH || text.includes('\0')) return false;
  let rest = text;
  for (const path of ['/usr/bin/', '/bin/', PROJECT, HOME, '/dev/null']) rest = rest.replaceAll(path, '');
  // Quotes and expansions within a name do not hide it.
  const letters = [...rest].filter((each) => (each >= 'a' && each <= 'z') || each === '/').join('');
  // `command -p` looks for programs in the system's own folders.
  if (letters.includes('command') && text.includes('-')) return false;
  return !REFUSED.test(letters) && !ROOT_GLOB.test(rest) && rest.split('..').length <= MAX_PARENTS + 1;
}

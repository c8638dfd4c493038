/** Paths under which a program finds its own standard input, however they are spelled. */
import { segmentsOf } from '../paths/normalise.ts';

/** `-`, `/dev/stdin`, `/dev/./stdin`, `//dev/fd/0`, `/proc/self/fd/0`, `../../dev/stdin`. */
export function isStandardInput(text: string): boolean {
  if (text === '-') return true;
  if (!text.includes('dev') && !text.includes('fd')) return false;
  const segments = segmentsOf(text);
  const [folder, name = ''] = segments.slice(-2);
  if (folder === 'dev') return name === 'stdin' || name === 'tty';
  return folder === 'fd' && segments.some((segment) => segment === 'dev' || segment === 'proc');
}

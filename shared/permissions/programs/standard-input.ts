/** Finds standard input among a command's words, and programs that take names of files from it. */
import { segmentsOf } from '../paths/normalise.ts';
import type { Field } from '../shell/syntax/fields.ts';

/** `-`, `/dev/stdin`, `/dev/./stdin`, `//dev/fd/0`, `/proc/self/fd/0`, `../../dev/stdin`. */
export function isStandardInput(text: string): boolean {
  if (text === '-') return true;
  if (!text.includes('dev') && !text.includes('fd')) return false;
  const segments = segmentsOf(text);
  const [folder, name = ''] = segments.slice(-2);
  if (folder === 'dev') return name === 'stdin' || name === 'tty';
  return folder === 'fd' && segments.some((segment) => segment === 'dev' || segment === 'proc');
}

/** Options that name a file with the names of others. */
const LISTS = /^-(?:[A-Za-z]*T|i|K|-[a-z0-9-]*from[a-z-]*|-input-file|-config)$/;
const LIST_HERE = /^(?:-[A-Za-z]*T|--(?:[a-z0-9-]*from[a-z-]*|input-file|config)=)(?:-|\/dev\/stdin)$/;
const TAKES_NAMES: ReadonlySet<string> = new Set(['cpio', 'pax', 'afio']);

/** `tar -T -`, `rsync --files-from=-`, `zip x -@`, `cpio -o`: names of files come in through the standard input. */
export const takesNames = (program: string, argv: readonly Field[]): boolean =>
  TAKES_NAMES.has(program) ||
  argv.some(
    ({ text }, at) =>
      text === '-@' || LIST_HERE.test(text) || (isStandardInput(text) && LISTS.test(argv[at - 1]?.text ?? '')),
  );

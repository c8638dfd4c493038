/** Finds standard input among a command's words, and programs that take names of files from it. */
import { segmentsOf } from '../paths/normalise.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { UNKNOWN } from '../text/unknown.ts';

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
const LISTS = /^-(?:[A-Za-z]*T|i|K|files0-from|-[a-z0-9-]*from[a-z-]*|-input-file|-config)$/;
const LIST_HERE = /^(?:-[A-Za-z]*T|--(?:[a-z0-9-]*from[a-z-]*|input-file|config)=)(?:-|\/dev\/stdin)$/;
const TAKES_NAMES: ReadonlySet<string> = new Set(['cpio', 'pax', 'afio']);

/** `zip -@`, and letters of other options around it. */
const STDIN_LISTS = /^-[A-Za-z]*@[A-Za-z]*$/;
/** Sub-commands of git that take the names of files to change with `--stdin`. */
const INDEX_NAMES = /^(?:update|checkout)-index$/;

/** `tar -T -`, `rsync --files-from=-`, `zip x -@`, `cpio -o`: names of files come in through the standard input. */
export const takesNames = (program: string, argv: readonly Field[]): boolean =>
  TAKES_NAMES.has(program) ||
  argv.some(
    ({ text }, at) =>
      STDIN_LISTS.test(text) ||
      LIST_HERE.test(text) ||
      (text === '--stdin' && argv.some((word) => INDEX_NAMES.test(word.text))) ||
      (isStandardInput(text) && LISTS.test(argv[at - 1]?.text ?? '')),
  );

/** An option whose value is a file with names: of `xargs` and `parallel`, of `tar`, and of any program by its name. */
const NAMES_FILE = /^(?:-a|-T|-files0-from|--arg-file|--[a-z0-9-]*from[a-z-]*)$/;

/** `xargs -a <(find .) rm`, `rsync --files-from=<(find .)`: another command makes the list. */
export const takesMadeNames = (argv: readonly Field[]): boolean =>
  argv.some((field, at) => {
    // The usual word is known, and its atoms need not be made.
    if (field.isKnown) return false;
    const { text, atoms } = field;
    const last = atoms.at(-1);
    if (last?.kind !== 'opaque' || last.isOneWord !== true) return false;
    const option =
      atoms.length === 1 ? (argv[at - 1]?.text ?? '') : text.endsWith(`=${UNKNOWN}`) ? text.slice(0, -2) : '';
    return NAMES_FILE.test(option);
  });

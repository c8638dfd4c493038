/** Finds programs that the text itself copies, links or writes to another name, and runs under it. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { baseName } from '../../text/base-name.ts';
import { programOf, type ShellCommand, type ShellRedirect } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';

/** `hash -p FILE NAME` has bash remember a file under a name. */
const COPIES: ReadonlySet<string> = new Set('cp mv ln install link hash'.split(' '));
/** Names that one text gives to programs, and programs that one of them may be. */
const MAX_COPIES = 64;
const MAX_ORIGINALS = 8;

/** `/bin/rm` and `if=/bin/rm`; `#!/bin/sh` begins a script. */
const INSTALLED = /^(?!#).*?(?:^|[/=])s?bin\/+([^/]+)$/;
/** Programs that print where another one is. */
const FINDERS: ReadonlySet<string> = new Set(['which', 'type', 'command']);

type Copies = Map<string, readonly string[]>;

/** The programs that each new name may stand for: `cp /bin/cat x`, `cat /bin/cat > x`. */
export function copiesIn(
  commands: readonly ShellCommand[],
  redirects: readonly Pick<ShellRedirect, 'target'>[],
): ReadonlyMap<string, readonly string[]> {
  const copies: Copies = new Map();
  const words = new Set(redirects.map(({ target }) => target.text));
  const found = new Set<string>();
  for (const { argv } of commands) {
    const program = programOf(argv[0]) ?? '';
    for (const { text } of argv.slice(1)) {
      words.add(text);
      if (FINDERS.has(program)) found.add(text);
    }
    if (COPIES.has(program) && copies.size < MAX_COPIES) addCopy(argv, copies);
  }
  for (const word of words) found.add(INSTALLED.exec(word)?.[1] ?? '');
  found.delete('');
  if (found.size > 0) addWritten(commands, words, [...found].slice(0, MAX_ORIGINALS), copies);
  return copies;
}

function addCopy(argv: readonly Field[], copies: Copies): void {
  const [source, target] = argv
    .slice(1)
    .filter(({ text }) => !text.startsWith('-'))
    .slice(-2);
  if (source === undefined || target === undefined) return;
  const name = baseName(source.text);
  if (name !== '') copies.set(baseName(target.text), copies.get(name) ?? [name]);
}

/** A file that the text both names and runs may hold each program that the text names. */
function addWritten(
  commands: readonly ShellCommand[],
  words: ReadonlySet<string>,
  originals: readonly string[],
  copies: Copies,
): void {
  const named = new Set([...words].map((word) => baseName(word.slice(word.indexOf('=') + 1))));
  for (const { argv } of commands) {
    const name = programOf(argv[0]) ?? '';
    const isFile = argv[0]?.text.includes('/') === true || recordOf(name) === undefined;
    if (isFile && named.has(name) && copies.size < MAX_COPIES)
      copies.set(name, [...new Set([...(copies.get(name) ?? []), ...originals])]);
  }
}

/** The command under the name of each program of which it may be a copy. */
export const asOriginals = (
  { argv }: ShellCommand,
  copies: ReadonlyMap<string, readonly string[]>,
): readonly (readonly Field[])[] =>
  (copies.get(programOf(argv[0]) ?? '') ?? []).map((original) => [literalField(original), ...argv.slice(1)]);

/** Finds programs that the text itself copies, links or writes to another name, and runs under it. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { baseName } from '../../text/base-name.ts';
import { programOf, type ShellCommand, type ShellRedirect } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';

/** `hash -p FILE NAME` has bash remember a file under a name. */
const COPIES: ReadonlySet<string> = new Set('cp mv ln install link hash'.split(' '));
/** Programs that one name may be. A name of more may be any. */
const MAX_ORIGINALS = 16;

/** `/bin/rm` and `if=/bin/rm`; `#!/bin/sh` begins a script. */
const INSTALLED = /^(?!#).*?(?:^|[/=])s?bin\/+([^/]+)$/;
/** Programs that print where another one is. */
const FINDERS: ReadonlySet<string> = new Set(['which', 'type', 'command']);

type Copies = Map<string, ReadonlySet<string>>;

/** The programs that each new name may stand for: `cp /bin/cat x`, `cat /bin/cat > x`. */
export function copiesIn(
  commands: readonly ShellCommand[],
  redirects: readonly Pick<ShellRedirect, 'target'>[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const copies: Copies = new Map();
  const words = new Set(redirects.map(({ target }) => target.text));
  const found = new Set<string>();
  for (const { argv } of commands) {
    const program = programOf(argv[0]) ?? '';
    for (const { text } of argv.slice(1)) {
      words.add(text);
      if (FINDERS.has(program)) found.add(text);
    }
    if (COPIES.has(program)) addCopy(argv, copies);
  }
  for (const word of words) found.add(INSTALLED.exec(word)?.[1] ?? '');
  found.delete('');
  if (found.size > 0) addWritten(commands, words, found, copies);
  return copies;
}

function addCopy(argv: readonly Field[], copies: Copies): void {
  const [source, target] = argv
    .slice(1)
    .filter(({ text }) => !text.startsWith('-'))
    .slice(-2);
  if (source === undefined || target === undefined) return;
  const name = baseName(source.text);
  if (name !== '') add(baseName(target.text), copies.get(name) ?? new Set([name]), copies);
}

/** Another copy under the same name may come before or after the command that runs it. */
function add(name: string, originals: ReadonlySet<string>, copies: Copies): void {
  const before = copies.get(name);
  if (before === undefined || before.size <= MAX_ORIGINALS)
    copies.set(name, new Set([...(before ?? []), ...originals]));
}

/** A file that the text both names and runs may hold each program that the text names. */
function addWritten(
  commands: readonly ShellCommand[],
  words: ReadonlySet<string>,
  originals: ReadonlySet<string>,
  copies: Copies,
): void {
  const named = new Set([...words].map((word) => baseName(word.slice(word.indexOf('=') + 1))));
  for (const { argv } of commands) {
    const name = programOf(argv[0]) ?? '';
    const isFile = argv[0]?.text.includes('/') === true || recordOf(name) === undefined;
    if (isFile && named.has(name)) add(name, originals, copies);
  }
}

/** The command under the name of each program of which it may be a copy; undefined where they are too many. */
export function asOriginals(
  { argv }: ShellCommand,
  copies: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly Field[])[] | undefined {
  const originals = [...(copies.get(programOf(argv[0]) ?? '') ?? [])];
  return originals.length > MAX_ORIGINALS
    ? undefined
    : originals.map((original) => [literalField(original), ...argv.slice(1)]);
}

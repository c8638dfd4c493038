/** Finds programs that the text itself copies or links to another name, and runs under it. */
import { baseName } from '../../text/base-name.ts';
import { programOf, type ShellCommand } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';

/** `hash -p FILE NAME` has bash remember a file under a name. */
const COPIES: ReadonlySet<string> = new Set('cp mv ln install link hash'.split(' '));
/** Names that one text gives to programs. */
const MAX_COPIES = 64;

/** The program that each new name stands for: `cp /bin/cat x`. */
export function copiesIn(commands: readonly ShellCommand[]): ReadonlyMap<string, string> {
  const copies = new Map<string, string>();
  for (const { argv } of commands) {
    if (!COPIES.has(programOf(argv[0]) ?? '') || copies.size === MAX_COPIES) continue;
    const operands = argv.slice(1).filter(({ text }) => !text.startsWith('-'));
    const [source, target] = operands.slice(-2);
    if (source === undefined || target === undefined) continue;
    const name = baseName(source.text);
    copies.set(baseName(target.text), copies.get(name) ?? name);
  }
  return copies;
}

/** The command under the name of the program that it is a copy of. */
export function asOriginal({ argv }: ShellCommand, copies: ReadonlyMap<string, string>): readonly Field[] | undefined {
  const original = copies.get(programOf(argv[0]) ?? '');
  return original === undefined || original === '' ? undefined : [literalField(original), ...argv.slice(1)];
}

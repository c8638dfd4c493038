/** Spells the names of packages as their registry does, for deny and ask rules. */
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { spelled } from './statements.ts';

type PlainName = (name: string) => string;

/** The spelling of the program, under whichever of its names it is known. */
export function plainNameOf(renames: readonly (readonly Field[])[]): PlainName | undefined {
  for (const argv of renames) {
    const found = resolveCommand(argv)?.program.plainName;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `pip install Evil_Pkg` as `pip install evil-pkg`; options and paths are no names. */
export const withPlainNames = (argv: readonly Field[], plainName: PlainName): readonly Field[] =>
  argv.map((field, at) =>
    at > 0 && field.isKnown && isName(field.text) ? literalField(plainName(field.text)) : field,
  );

export const inPlainNames = (spec: CommandSpec, plainName: PlainName): CommandSpec =>
  spelled(
    spec,
    spec.words.map((word, at) => (at > 0 && isName(word) ? plainName(word) : word)),
    spec.form,
  );

const isName = (word: string): boolean => !/^[-./]|:/.test(word);

/** Spells a command with the other names of its sub-commands, for deny and ask rules. */
import { withoutVersion } from '../../programs/catalogue/index.ts';
import { hasSubcommandAliases, kindsIn, subcommandAliases } from '../../programs/catalogue/names/aliases.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { programOf } from '../../shell/syntax/command.ts';
import { ANYTHING, type Field, literalField, wordOf } from '../../shell/syntax/fields.ts';
import { MAX_WORDS } from './across-options.ts';

/** Sub-commands of one command: words that stand behind so many others are operands. */
const MAX_SUBCOMMANDS = 4;
/** Words that are looked at for one, as each look reads all words behind it, and readings with another name. More may be any. */
const MAX_LOOKED = 24;
const MAX_FOUND = 64;

/** The command with its sub-command under each of its other names: `npm i x` is `npm install x`. */
export function renamed(argv: readonly Field[]): readonly (readonly Field[])[] {
  const program = withoutVersion(programOf(argv[0])?.toLowerCase() ?? '');
  if (!hasSubcommandAliases(program)) return [];
  const texts = argv.map(({ text }) => text);
  const rename = (from: number, to: number, word?: string): readonly (readonly Field[])[] =>
    subcommandAliases(program, word, texts.slice(to)).map((words) => [
      ...argv.slice(0, from),
      ...words.map(literalField),
      ...argv.slice(to),
    ]);
  const places = argv.flatMap(({ text }, at) => (at > 0 && !/^(?:-|\d+$)/.test(text) ? [at] : []));
  // `yarn --force`
  if (places.length === 0) return rename(1, 1);
  const found: (readonly Field[])[] = [];
  const few = (from: number): readonly (readonly Field[])[] => [
    ...found.slice(0, MAX_FOUND),
    [...argv.slice(0, from), ANYTHING],
  ];
  let operands = 0;
  for (const [index, at] of places.entries()) {
    const text = argv[at]?.text ?? '';
    const kinds = kindsIn(program, text, texts[at - 1] ?? '');
    // Each `kind/name` is a target of its own.
    const start = kinds.some(({ length }) => length > 1) ? places.find((place) => texts[place]?.includes('/')) : at;
    found.push(...kinds.map((words) => [...argv.slice(0, start), ...words.map(wordOf), ...argv.slice(at + 1)]));
    if (found.length > MAX_FOUND && kinds.length > 0) return few(start ?? at);
    if (operands === MAX_SUBCOMMANDS) continue;
    found.push(...rename(at, at + 1, text));
    // `npm run test` is `npm test`, and nothing stands behind it.
    if (at + 1 < argv.length) found.push(...rename(at, at + 2, `${text}+${texts[at + 1]}`));
    if (index === MAX_LOOKED || found.length > MAX_FOUND) return few(1);
    // Behind an option a word may be its value.
    if (texts[at - 1]?.startsWith('-') !== true) operands += 1;
  }
  return found;
}

/** Other names of another name. More of them may be any word. */
const MAX_RENAMED = 256;

/** `npm run-script test` is `npm run test`, and that is `npm test`. Long commands are left to `uncompared`. */
export function renamedAgain(once: readonly (readonly Field[])[]): readonly (readonly Field[])[] {
  let found: (readonly Field[])[] = [];
  for (const argv of once) {
    if (argv.length > MAX_WORDS) continue;
    found.push(...renamed(argv));
    if (found.length > MAX_RENAMED) found = [...distinct(found)];
    if (found.length > MAX_RENAMED) return [...found.slice(0, MAX_RENAMED), ...distinct(once.map(beyond))];
  }
  return found;
}

/** Names of a name lead back to the first: each reading is compared once. Renaming leaves words that are not known in their order. */
export const distinct = (readings: readonly (readonly Field[])[]): readonly (readonly Field[])[] => [
  ...new Map(readings.map((argv) => [JSON.stringify(argv.map(({ text }) => text)), argv])).values(),
];

/** A long command as its sub-commands, where they are certain, and anything behind them. */
export function beyond(argv: readonly Field[]): readonly Field[] {
  const resolved = resolveCommand(argv);
  const path = resolved?.uncertain === undefined ? (resolved?.path ?? []) : [];
  return [argv[0] as Field, ...path.map(literalField), ANYTHING];
}

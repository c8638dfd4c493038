/** Spells a command with the words that its program makes of one: the addresses of curl's globs. */
import { resolveCommand } from '../../programs/resolve.ts';
import { type Field, fieldOf } from '../../shell/syntax/fields.ts';
import type { Atom } from '../../shell/syntax/word.ts';

/** `{a,b}` and `[1-9]`, of which a program makes several words; a text with a blank or a quote is data. */
const EXPANDED = /(\{[^{}]*\}|\[[^\][]*-[^\][]*\])/;
/** More words than these are any word. */
const MAX_EXPANDED = 32;

/** The command with each word that its program makes of one; itself where it makes none. */
export function asExpanded(argv: readonly Field[]): readonly (readonly Field[])[] {
  if (
    resolveCommand(argv)?.program.expands !== true ||
    argv.some(({ text }) => /^(?:-[a-zA-Z]*g|--globoff)$/.test(text))
  )
    return [argv];
  return argv.reduce<readonly (readonly Field[])[]>(
    (found, field) => {
      const isOpen = field.known && EXPANDED.test(field.text) && !/[\s"'\\]/.test(field.text);
      const fields = isOpen ? wordsOf(field.text) : [field];
      const all = found.flatMap((words) => fields.map((each) => [...words, each]));
      return all.length > MAX_EXPANDED ? found.slice(0, 1).map((words) => [...words, ANYTHING]) : all;
    },
    [[]],
  );
}

const ANYTHING = fieldOf([{ kind: 'char', char: '*', quoted: false }]);

function wordsOf(text: string): readonly Field[] {
  const found = text.split(EXPANDED).reduce<readonly (readonly Atom[])[]>(
    (starts, part, at) => {
      const choices =
        at % 2 === 0
          ? [charsOf(part)]
          : part.startsWith('{')
            ? part.slice(1, -1).split(',').map(charsOf)
            : widths(part);
      return starts.flatMap((start) => choices.map((choice) => [...start, ...choice])).slice(0, MAX_EXPANDED + 1);
    },
    [[]],
  );
  return found.map((atoms) => fieldOf(atoms));
}

const charsOf = (text: string): readonly Atom[] => Array.from(text, (char) => ({ kind: 'char', char, quoted: true }));

/** `[1-100]` has one to three signs. */
function widths(range: string): readonly (readonly Atom[])[] {
  const [from, to] = range
    .slice(1, -1)
    .split(/[-:]/)
    .map((end) => end.length) as [number, number];
  const longest = Math.min(Math.max(from, to), MAX_WIDTH);
  return Array.from({ length: longest }, (_, at) => Array.from({ length: at + 1 }, () => ONE));
}

const MAX_WIDTH = 8;
const ONE: Atom = { kind: 'char', char: '?', quoted: false };

/** Spells a command with the words that its program makes of one: the addresses of curl's globs. */
import { resolveCommand } from '../../programs/resolve.ts';
import { ANYTHING, type Field, fieldOf } from '../../shell/syntax/fields.ts';
import type { Atom } from '../../shell/syntax/word.ts';
import { givenOptions } from './given-options.ts';

/** `{a,b}` and `[1-9]`, of which a program makes several words; a text with a blank or a quote is data. */
const EXPANDED = /(\{[^{}]*\}|\[[^\][]*-[^\][]*\])/;
/** More words than these are any word. */
const MAX_EXPANDED = 32;

/** The command with each word that its program makes of one; itself where it makes none. */
export function asExpanded(argv: readonly Field[]): readonly (readonly Field[])[] {
  if (resolveCommand(argv)?.program.expands !== true || !argv.some(({ text }) => EXPANDED.test(text))) return [argv];
  const { options } = givenOptions(argv);
  if (options.has('g') || options.has('globoff')) return [argv];
  return argv.reduce<readonly (readonly Field[])[]>(
    (found, field, at) => {
      const fields = isExpanded(field) ? wordsOf(field.text) : [field];
      const all = found.flatMap((words) => fields.map((each) => [...words, each]));
      return all.length > MAX_EXPANDED
        ? [argv.slice(0, at + 1).map((each) => (isExpanded(each) ? ANYTHING : each))]
        : all;
    },
    [[]],
  );
}

const isExpanded = ({ isKnown, text }: Field): boolean => isKnown && EXPANDED.test(text) && !/[\s"'\\]/.test(text);

function wordsOf(text: string): readonly Field[] {
  const found = text.split(EXPANDED).reduce<readonly (readonly Atom[])[]>(
    (starts, part, at) => {
      const choices =
        at % 2 === 0
          ? [charsOf(part)]
          : part.startsWith('{')
            ? part.slice(1, -1).split(',').map(charsOf)
            : (numbers(part) ?? widths(part));
      return starts.flatMap((start) => choices.map((choice) => [...start, ...choice])).slice(0, MAX_EXPANDED + 1);
    },
    [[]],
  );
  return found.map((atoms) => fieldOf(atoms));
}

const charsOf = (text: string): readonly Atom[] => Array.from(text, (char) => ({ kind: 'char', char, quoted: true }));

/** The numbers of `[08-12]`, where they are few. */
function numbers(range: string): readonly (readonly Atom[])[] | undefined {
  const [, from = '', to = ''] = /^\[(\d{1,8})-(\d{1,8})(?::\d+)?\]$/.exec(range) ?? [];
  const length = Number(to) - Number(from) + 1;
  if (to === '' || !(length > 0 && length <= MAX_EXPANDED)) return undefined;
  return Array.from({ length }, (_, at) => charsOf(String(Number(from) + at).padStart(from.length, '0')));
}

/** `[1-100]` has one to three signs. */
function widths(range: string): readonly (readonly Atom[])[] {
  const [from, to] = range
    .slice(1, -1)
    .split(/[-:]/)
    .map((end) => end.length) as [number, number];
  const longest = Math.max(from, to);
  if (longest > MAX_WIDTH) return [ANYTHING.atoms];
  return Array.from({ length: longest }, (_, at) => Array.from({ length: at + 1 }, () => ONE));
}

const MAX_WIDTH = 8;
const ONE: Atom = { kind: 'char', char: '?', quoted: false };

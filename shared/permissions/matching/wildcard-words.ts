/** Parts a rule with a wildcard where one of its words ends and another may begin. */
import type { CommandSpec } from '../rules/command-spec.ts';

/** Stands for one word or more, as between blanks in a rule. */
export const SOME = '*';
/** Stands for any number of words, as within a word of a rule. */
export const ANY = '**';

const known = new WeakMap<CommandSpec, readonly string[]>();

/**
 * The words of the rule, with marks between them where other words may stand: `git push *--force*` is `git`, `push`, any, `--force*`, any.
 * The first is the program.
 */
export function partsOfWildcard(spec: CommandSpec): readonly string[] {
  let parts = known.get(spec);
  if (parts === undefined) {
    const [first = '', ...rest] = spec.words.map((word) => word.replace(/\*+/g, SOME));
    const all = [...programParts(first), ...rest.flatMap((word, at) => optionParts(word, at === 0))].flatMap(withGaps);
    if (spec.text.endsWith(':*')) all.push(ANY);
    parts = all.filter((word, at) => at < 2 || word !== ANY || !isGap(all[at - 1]));
    known.set(spec, parts);
  }
  return parts;
}

export const isGap = (word: string | undefined): boolean => word === ANY || word === SOME;

/** `git*push*--force` begins with `git*`, `*--force` with any program. */
function programParts(word: string): readonly string[] {
  const star = word.indexOf('*');
  const rest = word.slice(star + 1);
  if (star < 0 || rest === '' || (star === 0 && !rest.includes('*') && !rest.startsWith('-'))) return [word];
  return [word.slice(0, star + 1), ...optionParts(`*${rest}`, true)];
}

/** `push*--force` is `push* --force`. Behind one dash a name may go on, as in `web-*-1`, but for one behind the program or sub-command. */
function optionParts(word: string, isNear: boolean): readonly string[] {
  const found = /\*(?=--[\w*]|-[A-Za-z]{1,2}(?:\*|$))/.exec(word);
  if (found === null) return [word];
  const head = word.slice(0, found.index + 1);
  const rest = word.slice(found.index + 1);
  if (!rest.startsWith('--') && !isNear && head !== SOME) return [word];
  return [head === SOME ? ANY : head, ...optionParts(rest, isNear)];
}

/** A `*` at an end of a word may stand for further words. */
function withGaps(word: string, at: number): readonly string[] {
  if (at === 0 || isGap(word)) return [word];
  return [...(word.startsWith('*') ? [ANY] : []), word, ...(word.endsWith('*') ? [ANY] : [])];
}

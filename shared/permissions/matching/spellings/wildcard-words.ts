/** Parts a rule with a wildcard where one of its words ends and another may begin. */
import type { CommandSpec } from '../../rules/command-spec.ts';

/** Stands for one word or more, as between blanks in a rule. */
export const SOME = '*';
/** Stands for any number of words, as within a word of a rule. */
export const ANY = '**';

/** Behind a `*` an option may begin. */
const OPTION = /\*(?=--[\w*]|-[A-Za-z]{1,5}(?:\*|$))/;
/** The same without letters with which a name may end: `*-db`, `*-prod*`. */
const NO_NAME = /\*(?=--[\w*]|-[A-Za-z]{1,2}\*)/;

const cache = new WeakMap<CommandSpec, readonly (readonly string[])[]>();

/**
 * The words of the rule, with marks between them where other words may stand: `git push *--force*` is `git`, `push`, any, `--force*`, any.
 * The first is the program. Another reading follows where letters behind a `*` may be options or the end of a name.
 */
export function readingsOfWildcard(spec: CommandSpec): readonly (readonly string[])[] {
  let readings = cache.get(spec);
  if (readings === undefined) {
    const [first, second] = [OPTION, NO_NAME].map((option) => partsOf(spec, option)) as [string[], string[]];
    readings = first.join(' ') === second.join(' ') ? [first] : [first, second];
    cache.set(spec, readings);
  }
  return readings;
}

function partsOf(spec: CommandSpec, option: RegExp): string[] {
  const [first = '', ...rest] = spec.words.map((word) => word.replace(/\*+/g, SOME));
  const words = [...programParts(first, option), ...rest.flatMap((word, at) => optionParts(word, at === 0, option))];
  const all = words.flatMap(withGaps);
  if (spec.text.endsWith(':*')) all.push(ANY);
  return all.filter((word, at) => at < 2 || word !== ANY || !isGap(all[at - 1]));
}

export const isGap = (word: string | undefined): boolean => word === ANY || word === SOME;

/** `git*push*--force` begins with `git*`, `*--force` with any program. */
function programParts(word: string, option: RegExp): readonly string[] {
  const star = word.indexOf('*');
  const rest = word.slice(star + 1);
  if (star < 0 || rest === '' || (star === 0 && !rest.includes('*') && !rest.startsWith('-'))) return [word];
  return [word.slice(0, star + 1), ...optionParts(`*${rest}`, true, option)];
}

/** `push*--force` is `push* --force`. Behind one dash a name may go on, as in `web-*-1`, but for one behind the program or sub-command. */
function optionParts(word: string, isNear: boolean, option: RegExp): readonly string[] {
  const found = option.exec(word);
  if (found === null) return [word];
  const head = word.slice(0, found.index + 1);
  const rest = word.slice(found.index + 1);
  if (!rest.startsWith('--') && !isNear && head !== SOME) return [word];
  return [head === SOME ? ANY : head, ...optionParts(rest, isNear, option)];
}

/** A `*` at an end of a word may stand for further words. */
function withGaps(word: string, at: number): readonly string[] {
  if (at === 0 || isGap(word)) return [word];
  return [...(word.startsWith('*') ? [ANY] : []), word, ...(word.endsWith('*') ? [ANY] : [])];
}

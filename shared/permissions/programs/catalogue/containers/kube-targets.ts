/** Spells what a command of `kubectl` acts on as one word, for deny and ask rules. */
import type { Field } from '../../../shell/syntax/fields.ts';
import type { Reach } from '../../record/record.ts';

/** So many spellings are compared, and one more says that there are others. */
const MAX_SPELLED = 64;

/** `ns prod` is `ns/prod`. Behind an option a word may be its value, and the next one the kind. */
export function targetSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const places = [...words.keys()].filter((at) => !/^-|[/.=]/.test(words[at] as string));
  const options = words.filter((word) => word.startsWith('-'));
  const found: (readonly string[])[] = [];
  for (const [index, at] of places.entries()) {
    for (const place of places.slice(index + 1, index + 2 + MAX_SPELLED))
      found.push([`${words[at]}/${words[place]}`, ...options]);
    if (found.length > MAX_SPELLED || words[at - 1]?.startsWith('-') !== true) break;
  }
  return found;
}

/** Options by which a command acts on objects that it does not name. */
const CHOOSES = /^(?:--all(?:$|=(?!(?:false|f|0)$))|--(?:field-)?selector(?:$|=)|-[AR]*l)/;

/** `kubectl delete ns --all` acts on each namespace. */
export function chosenTargets(words: readonly Field[]): Reach | undefined {
  if (!words.some(({ text }) => CHOOSES.test(text))) return undefined;
  const kind = words.find(({ text }, at) => !text.startsWith('-') && words[at - 1]?.text.startsWith('-') !== true);
  return { operands: kind === undefined ? [] : [kind.text], patterns: ['*'] };
}

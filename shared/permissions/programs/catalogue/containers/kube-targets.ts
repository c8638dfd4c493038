/** Spells what a command of `kubectl` acts on as one word, for deny and ask rules. */

import type { Field } from '../../../shell/syntax/fields.ts';
import type { Reach } from '../../record/record.ts';

/** A kind may stand behind the value of an option. */
const MAX_KINDS = 3;
const MAX_NAMES = 8;

/** `ns prod` is `ns/prod`. */
export function targetSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const operands = words.filter((word) => !/^-|[/.=]/.test(word));
  const options = words.filter((word) => word.startsWith('-'));
  return operands
    .slice(0, MAX_KINDS)
    .flatMap((kind, at) => operands.slice(at + 1, at + 1 + MAX_NAMES).map((name) => [`${kind}/${name}`, ...options]));
}

/** Options by which a command acts on objects that it does not name. */
const CHOOSES = /^(?:--all(?:$|=(?!(?:false|f|0)$))|--(?:field-)?selector(?:$|=)|-[AR]*l)/;

/** `kubectl delete ns --all` acts on each namespace. */
export function chosenTargets(words: readonly Field[]): Reach | undefined {
  if (!words.some(({ text }) => CHOOSES.test(text))) return undefined;
  const kind = words.find(({ text }, at) => !text.startsWith('-') && words[at - 1]?.text.startsWith('-') !== true);
  return { operands: kind === undefined ? [] : [kind.text], patterns: ['*'] };
}

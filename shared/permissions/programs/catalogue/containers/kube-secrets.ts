/** Tells whether `kubectl get` prints the values of a secret. */
import type { Field } from '../../../shell/syntax/fields.ts';
import { set } from '../../record/record.ts';

/** A kind among others, of which `-o yaml` prints the values; a table and names show none. */
const SECRET = /^(?:[\w.-]+,)*secrets?(?:[.,/]|$)/i;

/** Behind these stands a name: `-n secrets`. */
const NAMES = set('-n --namespace -l --selector --field-selector');

/** Names and kinds of a secret, and never its values: an annotation may hold those. */
const NAMED_PART = /^\.?(?:items\[(?:\*|\d+)\]\.)?(?:metadata\.(?:name|namespace|creationTimestamp|uid)|type|kind)$/;
/** A part of a template that prints nothing of the secret itself. */
const TEMPLATE_WORD = /^(?:range \.items\[\*\]|end|"[^"]*")$/;

/** Whether an output has no more than names, kinds and times. */
function showsNames(output: string): boolean {
  const [form = '', ...rest] = output.split('=');
  const text = rest.join('=');
  if (rest.length === 0) return form === 'name' || form === 'wide';
  if (form === 'custom-columns')
    return text.split(',').every((column) => NAMED_PART.test(column.slice(column.indexOf(':') + 1)));
  if (form !== 'jsonpath') return false;
  return (text.match(/\{[^}]*\}/g) ?? ['{}']).every((part) => {
    const word = part.slice(1, -1).trim();
    return NAMED_PART.test(word) || TEMPLATE_WORD.test(word);
  });
}

/** The words that a rule has to name where `kubectl get` prints a secret; undefined where it prints none. */
export function secretKinds(words: readonly Field[]): readonly string[] | undefined {
  const shows = words.some((word, at) => {
    const value = /^(?:--output(?!-)|-[A-Za-z]*?o)=?(.*)$/.exec(word.text)?.[1];
    if (value === undefined) return false;
    // A variable may add the values to an output.
    const stated = value === '' ? words[at + 1] : word;
    return stated?.isKnown !== true || !showsNames(value || stated.text);
  });
  // Without an option before it, the first word is the kind.
  const isFirst = words[0]?.isKnown === true && !words[0].text.startsWith('-');
  const mayBeKind = (text: string, at: number): boolean =>
    at === 0 || text.includes('/') || (!isFirst && !NAMES.has(words[at - 1]?.text ?? ''));
  const kinds = words.filter(
    ({ text, isKnown }, at) => (SECRET.test(text) && mayBeKind(text, at)) || (at === 0 && !isKnown),
  );
  return shows && kinds.length > 0 ? kinds.map(({ text, isKnown }) => (isKnown ? text : 'secret')) : undefined;
}

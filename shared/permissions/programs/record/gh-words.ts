/** Finds words of `gh` that read the environment, or a file that it sends. */
import type { Field } from '../../shell/syntax/fields.ts';
import { isHarmlessJq } from './scripts.ts';

/** `--jq` is a filter, which may print the environment: `-q env`, `-cqenv`. */
export function filterProblem(words: readonly Field[]): string | undefined {
  const filters = words.flatMap((field, at) => {
    const found = /^(?:-[A-Za-z]*?q|--jq(?:=|$))(.*)$/s.exec(field.text);
    if (found === null) return [];
    const next = words[at + 1];
    return found[1] === '' ? (next ?? []) : { ...field, text: found[1] as string };
  });
  return filters.some(({ text, isKnown }) => !isKnown || !isHarmlessJq(text))
    ? 'a filter of jq that may read the environment'
    : undefined;
}

/** A field with `=@FILE`, unless it is raw, and `--input FILE` are read from files. */
export function sentFile(words: readonly Field[]): string | undefined {
  // A word that begins with a dash is an option of its own: the `-f` before it may be a value.
  const isRaw = (word: string, before: string | undefined): boolean =>
    word.startsWith('-') ? /^(?:-f|--raw-field=)/.test(word) : before === '-f' || before === '--raw-field';
  const isSent = ({ text }: Field, at: number): boolean =>
    text.startsWith('--input') || (text.includes('=@') && !isRaw(text, words[at - 1]?.text));
  return words.some(isSent) ? 'a file that it sends' : undefined;
}

/** Finds operands that name a file of further options and names: `@file`. */
import type { Field } from '../../shell/syntax/fields.ts';

/** For programs that read such a file, which may hold every option that their record refuses. */
export const optionFile = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.startsWith('@')) ? 'a file of options' : undefined;

/** For options that print, or write to a file where one is named: `--json`, `--json FILE`, `--json=FILE`. */
export const fileBehind =
  (...names: readonly string[]) =>
  (words: readonly Field[]): string | undefined =>
    words.some(({ text }, at) => {
      const next = words[at + 1]?.text;
      return names.includes(text) ? next?.startsWith('-') === false : names.includes(text.split('=')[0] as string);
    })
      ? 'a report in a file'
      : undefined;

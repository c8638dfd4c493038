/** Reads one word as an option: its name, its letters and whether the next word is its value. */
import type { OptionSpec } from '../../programs/record/options.ts';
import type { Resolved } from '../../programs/resolve.ts';

export const isOption = (text: string): boolean => text.startsWith('-') && text !== '-' && text !== '--';
export const isFalse = (value: string): boolean => /^(?:false|0|no|off)$/i.test(value);
/** The key of `--privileged=false`. */
export const switchedOff = (name: string): string => `${name}=`;

/** `find -exec`, `terraform -destroy`: one dash begins a whole word, and letters are no options of their own. */
export const hasLongWords = (spec: OptionSpec | undefined): boolean =>
  spec?.words !== undefined || [...(spec?.harmful ?? [])].some((name) => /^-[a-z]{2}/.test(name));

export const takesValue = (letter: string, { record, program }: Partial<Resolved>): boolean =>
  record?.options?.values.includes(letter) === true ||
  program?.subcommands?.values.has(`-${letter}`) === true ||
  program?.runner?.values.has(`-${letter}`) === true;

/** Whether the value of the option is the next word. */
export const takesNext = (text: string, resolved: Resolved): boolean =>
  resolved.record.options?.longValues.has(text) === true ||
  resolved.program.subcommands?.values.has(text) === true ||
  (/^-[^-]/.test(text) && takesValue(text.at(-1) as string, resolved));

/** Without its dashes and its value. */
export function nameOf(text: string): string {
  const end = text.indexOf('=');
  return (end < 0 ? text : text.slice(0, end)).replace(/^-+/, '');
}

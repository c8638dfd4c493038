/** What a prefix allow covers of one command (rules.md, "Commands"): the option table decides for the programs that it lists. */
import type { ShellCommand } from '../shell/command.ts';
import type { Field } from '../shell/fields.ts';

export type PrefixVerdict =
  | { readonly kind: 'table' | 'outside-table'; readonly writes: readonly Field[] }
  | { readonly kind: 'no'; readonly why: string };

export function prefixCovers(_command: ShellCommand, _ruleWords: readonly string[]): PrefixVerdict {
  return { kind: 'outside-table', writes: [] };
}

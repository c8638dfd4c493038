/** Finds words of a command that leave the folder an allow rule names before its wildcard. */
import type { CommandSpec } from '../rules/command-spec.ts';
import { climbing } from '../shell/syntax/climbing.ts';
import type { Field } from '../shell/syntax/fields.ts';

/** `Bash(node scripts/*)` is no rule for `scripts/../x.js`, nor `https://a.example/v1/*` for `…/v1/../admin`. */
export function climbsOut({ form, words }: CommandSpec, argv: readonly Field[]): string | undefined {
  const folders = form !== 'wildcard' ? [] : words.flatMap((word) => /^[^*]*\/(?=[^/*]*\*)/.exec(word)?.[0] ?? []);
  const leaving = argv.find((field) => {
    const text = climbing(field);
    return folders.some((folder) => text.startsWith(folder) && leaves(text.slice(folder.length)));
  });
  return leaving?.text;
}

function leaves(path: string): boolean {
  let depth = 0;
  for (const part of path.replace(/%2e/gi, '.').split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Finds words of a command that leave the folder an allow rule names before its wildcard. */
import { type CommandSpec, matchesCommand } from '../rules/command-spec.ts';
import { climbing } from '../shell/syntax/climbing.ts';
import { type Field, literalField } from '../shell/syntax/fields.ts';

/**
 * `Bash(node scripts/*)` is no rule for `scripts/../x.js`, nor `https://a.example/v1/*` for `…/v1/../admin`: a `*` covers no word that the rule
 * would not cover without its `..`. `spellingsOf`: the words in which rules are compared.
 */
export function climbsOut(
  spec: CommandSpec,
  argv: readonly Field[],
  spellingsOf: (argv: readonly Field[]) => readonly (readonly string[])[],
): string | undefined {
  if (spec.form !== 'wildcard') return undefined;
  const straight = argv.map((field) => {
    const text = climbing(field);
    const path = withoutClimbs(text);
    return path === text ? field : literalField(path);
  });
  const at = straight.findIndex((field, place) => field !== argv[place]);
  if (at < 0 || spellingsOf(straight).some((words) => matchesCommand(spec, words.join(' ')))) return undefined;
  return argv[at]?.text;
}

/** `a/../b` as `b`, and `--in=a/../b` as `--in=b`; a `..` at the beginning stays. */
function withoutClimbs(word: string): string {
  const text = word.replace(/%2e/gi, '.').replace(/%2f/gi, '/');
  if (!/[^/]\/+\.\.(?:\/|$)/.test(text)) return word;
  const name = /^[^/=]*=/.exec(text)?.[0] ?? '';
  const path: string[] = [];
  for (const part of text.slice(name.length).split('/')) {
    if (part !== '..') path.push(part);
    else climb(path);
  }
  return name + path.join('/');
}

/** Takes the last folder away, and what only stands for it: `scripts/./`, `scripts//`. */
function climb(path: string[]): void {
  while (path.length > 1 && /^\.?$/.test(path.at(-1) ?? '')) path.pop();
  const [last = ''] = path.slice(-1);
  if (last === '..' || path.length === 0) path.push('..');
  else if (last === '.') path[0] = '..';
  else if (last !== '') path.pop();
}

/** Spells a command with operands of a rule that it may act on without naming them: `git push --all`. */
import type { Reach } from '../../programs/record/record.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { type GlobToken, tokensIntersect } from '../../text/glob.ts';
import { optionRules } from './option-rules.ts';
import { isOption } from './option-words.ts';

/** Operands that a command reaches, with the words before them and with its options. */
interface Reached extends Reach {
  readonly start: readonly Field[];
  readonly options: readonly Field[];
}

export function reachOf(argv: readonly Field[]): Reached | undefined {
  const resolved = resolveCommand(argv);
  const reach = resolved?.record.reaches?.(resolved.words);
  if (resolved === undefined || reach === undefined) return undefined;
  const start = [argv[0] as Field, ...resolved.path.map(literalField)];
  return { ...reach, start, options: resolved.words.filter(({ text }) => isOption(text)) };
}

/** The command with the operands that the rule names, where it may act on them; with its own options, and without any. */
export function reached(spec: CommandSpec, reach: Reached | undefined): readonly (readonly Field[])[] {
  if (reach === undefined) return [];
  const { operands, patterns, start, options } = reach;
  // Behind a `*` an option is no operand: `git push *--force*`. More letters may end a name: `git push *-prod*`.
  const written = spec.words.filter((word) => !isOption(word) && !/^\*+-(?:-|[A-Za-z]{1,2}\*|$)/.test(word));
  const forms =
    spec.form === 'wildcard' ? [written] : [written, ...optionRules(spec, start).map(({ path }) => path.words)];
  return forms.flatMap((words) => {
    if (start.some(({ text }, at) => at > 0 && words[at] !== text)) return [];
    const named = words.slice(start.length);
    const isMet = (word: string): boolean =>
      patterns.some((pattern) => tokensIntersect(tokensOf(pattern), tokensOf(word)));
    // A `*` of the rule stands for any number of operands.
    const rests = spec.form === 'wildcard' ? [named.slice(operands.length), named] : [named.slice(operands.length)];
    return rests
      .filter(([first, second]) => first !== undefined && isMet(operands.length > 0 ? first : (second ?? first)))
      .map((rest) => [...start, ...[...operands, ...rest].map(literalField)])
      .flatMap((argv) => [[...argv, ...options], argv]);
  });
}

const tokensOf = (pattern: string): GlobToken[] =>
  Array.from(pattern, (char) => (char === '*' ? { kind: 'run' } : { kind: 'char', char }));

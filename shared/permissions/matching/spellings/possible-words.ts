/** Tells whether words of a command that are not certain may be those of a rule. */
import { mayLeadByProc } from '../../paths/normalise.ts';
import { mayBecomeOption } from '../../programs/record/options.ts';
import { mayBeSeveral } from '../../programs/record/outputs.ts';
import type { CommandRecord } from '../../programs/record/record.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import type { Field } from '../../shell/syntax/fields.ts';
import { type GlobToken, matchesTokens, matchesWildcard, tokensIntersect } from '../../text/glob.ts';
import { behind, placesBehind } from './across-options.ts';
import { isGap } from './wildcard-words.ts';

/** No rule is longer; what follows cannot matter to one. */
export const MAX_TOKENS = 200;
export const ANY: GlobToken = { kind: 'run' };

/** A part of it is not known, and is no place, revision or number. */
export const isUncertain = (field: Field): boolean =>
  field.hasGlob ||
  (!field.isKnown &&
    field.atoms.some((atom) => atom.kind === 'var' || (atom.kind === 'opaque' && atom.isOneWord !== true)));

const ROOT = { cwd: '/' };

/** A class counts as any text, and so do what is not known and a glob that leads through a link of `/proc`. */
export function tokensOf(field: Field): readonly GlobToken[] {
  if (field.hasGlob && mayLeadByProc(field.text, ROOT)) return [ANY];
  const tokens: GlobToken[] = [];
  for (const atom of field.atoms.slice(0, MAX_TOKENS)) {
    if (atom.kind !== 'char') tokens.push(ANY);
    else if (!atom.quoted && atom.char === '[') return [...tokens, ANY];
    else if (!atom.quoted && atom.char === '*') tokens.push(ANY);
    else if (!atom.quoted && atom.char === '?') tokens.push({ kind: 'one' });
    else tokens.push({ kind: 'char', char: atom.char });
  }
  return field.atoms.length > MAX_TOKENS ? [...tokens, ANY] : tokens;
}

export const wildcardTokens = (text: string): GlobToken[] =>
  Array.from(text.endsWith(':*') ? text.slice(0, -2) : text, (char) =>
    char === '*' ? ANY : ({ kind: 'char', char } as const),
  );

function mayBe(field: Field, own: readonly GlobToken[], word: string): boolean {
  if (matchesWildcard(word, field.text)) return true;
  if (!isUncertain(field)) return false;
  return word.includes('*') ? tokensIntersect(own, wildcardTokens(word)) : matchesTokens(own, word);
}

/** Whether one word of the command may become all of these. */
const mayHoldAll = (field: Field, own: readonly GlobToken[], words: readonly string[]): boolean =>
  field.text !== words[0] &&
  isUncertain(field) &&
  mayBeSeveral(field) &&
  tokensIntersect(own, [...wildcardTokens(words.join(' ')), ANY]);

/** The rule's words in their order, options between them left out. */
export function mayMatchWords(
  { words, form }: CommandSpec,
  fields: readonly Field[],
  tokens: readonly (readonly GlobToken[])[],
  record: CommandRecord | undefined,
): boolean {
  let positions = new Set([1]);
  let inner = record;
  for (const [index, word] of [...words.entries()].slice(1)) {
    if (isGap(word)) {
      positions = placesBehind(positions, word, fields.length);
      continue;
    }
    const next = new Set<number>();
    for (const at of positions) {
      const field = fields[at];
      if (field === undefined) continue;
      const own = tokens[at] as readonly GlobToken[];
      if (mayHoldAll(field, own, words.slice(index))) return true;
      if (mayBe(field, own, word)) next.add(at + 1);
      for (const further of behind(fields, at, inner)) positions.add(further);
      // `[-]C x`: an option, where a file has its name.
      if (field.hasGlob && mayBecomeOption(field)) positions.add(at + 1).add(at + 2);
    }
    if (next.size === 0) return false;
    positions = next;
    inner = inner?.subcommands?.of.get(word);
  }
  return form === 'prefix' || [...positions].some((at) => fields.slice(at).every(isUncertain));
}

/** Finds deny and ask rules that the uncertain words of a command may match. */

import type { PreparedCall } from '../call/prepared-call.ts';
import { recordOf } from '../programs/catalogue/index.ts';
import { mayBecomeOption } from '../programs/record/options.ts';
import { mayBeSeveral } from '../programs/record/outputs.ts';
import type { CommandRecord } from '../programs/record/record.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { programOf } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { type GlobToken, literalTokens, matchesTokens, matchesWildcard, tokensIntersect } from '../text/glob.ts';
import { behind, placesBehind } from './across-options.ts';
import type { PossibleCommand } from './command-matching.ts';
import { type Given, givenOptions } from './given-options.ts';
import { allCommands, isCurrent, policiesOf } from './match.ts';
import { hasOptions, optionRules } from './option-spellings.ts';
import { reached, reachOf } from './reached-operands.ts';
import { isGap } from './wildcard-words.ts';

/** Comparisons of a rule with a command. A call that needs more is left to people. */
const MAX_COMPARISONS = 20_000;
/** No rule is longer; what follows cannot matter to one. */
const MAX_TOKENS = 200;
/** Further words are too many to look at. */
const MAX_WORDS = 64;
const ANY: GlobToken = { kind: 'run' };

/** @param now epoch milliseconds: rules with an end date count until then */
export function possibleCommand(prepared: PreparedCall, now: number): PossibleCommand | undefined {
  let left = MAX_COMPARISONS;
  for (const command of allCommands(prepared)) {
    const program = programOf(command.argv[0]);
    if (program === undefined) continue;
    const reach = reachOf(command.argv);
    const isCertain = !command.argv.some(isUncertain) && !hasLetters(command.argv, program);
    if (isCertain && reach === undefined) continue;
    let mayBe: ((spec: CommandSpec) => boolean) | undefined;
    for (const rule of rulesOn(program, prepared.call)) {
      left -= 1;
      if (left < 0) return { rule: undefined, command };
      if (rule.parsed.kind !== 'command' || !isCurrent(rule, now)) continue;
      const { command: spec } = rule.parsed;
      mayBe ??= isCertain ? () => false : mayMatch(command.argv, program);
      if (mayBe(spec) || reached(spec, reach).some((argv) => mayMatch(argv, program)(spec))) return { rule, command };
    }
  }
  return undefined;
}

/** Deny and ask rules that name the program, in either case. */
function* rulesOn(program: string, call: PreparedCall['call']): Generator<CompiledRule> {
  for (const policy of policiesOf(call)) {
    for (const effect of ['deny', 'ask'] as const) {
      const bucket = policy.index.of(effect).commands.get(call.toolName);
      yield* bucket?.get(program.toLowerCase()) ?? [];
      yield* bucket?.get(program) ?? [];
    }
  }
}

/** Whether the command has options of one letter whose long names nobody knows. */
const hasLetters = (argv: readonly Field[], program: string): boolean =>
  recordOf(program) === undefined && argv.some(({ text }) => /^-[a-z]/i.test(text));

/** A part of it is not known, and is no place, revision or number. */
const isUncertain = (field: Field): boolean =>
  field.glob ||
  (!field.known &&
    field.atoms.some((atom) => atom.kind === 'var' || (atom.kind === 'opaque' && atom.isOneWord !== true)));

/** A class counts as any text, and so does what is not known. */
function tokensOf(field: Field): readonly GlobToken[] {
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

function mayMatch(argv: readonly Field[], program: string): (spec: CommandSpec) => boolean {
  const fields = argv.slice(0, MAX_WORDS);
  const tokens = fields.map(tokensOf);
  const record = recordOf(program);
  let joined: readonly GlobToken[] | undefined;
  let given: Given | undefined;
  const mayHaveOptions = (spec: CommandSpec): boolean =>
    optionRules(spec, argv).some((rule) => {
      given ??= givenOptions(argv);
      return hasOptions(rule, given, true) && mayMatchWords(rule.path, fields, tokens, record);
    });
  return (spec) => {
    if (spec.words.length < 2) return false;
    if (spec.form !== 'wildcard') return mayMatchWords(spec, fields, tokens, record) || mayHaveOptions(spec);
    joined ??= [
      ...literalTokens(program),
      ...tokens.slice(1).flatMap((each) => [...literalTokens(' '), ...each]),
      ...(argv.length > MAX_WORDS ? [ANY] : []),
    ].slice(0, MAX_TOKENS * 2);
    const wanted = [...wildcardTokens(spec.text), ...(spec.text.endsWith(':*') ? [ANY] : [])];
    return tokensIntersect(joined, wanted) || mayHaveOptions(spec);
  };
}

const wildcardTokens = (text: string): GlobToken[] =>
  Array.from(text.endsWith(':*') ? text.slice(0, -2) : text, (char) =>
    char === '*' ? ANY : ({ kind: 'char', char } as const),
  );

const mayBe = (own: readonly GlobToken[], word: string): boolean =>
  word.includes('*') ? tokensIntersect(own, wildcardTokens(word)) : matchesTokens(own, word);

/** Whether one word of the command may become all of these. */
const mayHoldAll = (field: Field, own: readonly GlobToken[], words: readonly string[]): boolean =>
  field.text !== words[0] &&
  isUncertain(field) &&
  mayBeSeveral(field) &&
  tokensIntersect(own, [...wildcardTokens(words.join(' ')), ANY]);

/** The rule's words in their order, options between them left out. */
function mayMatchWords(
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
      if (matchesWildcard(word, field.text) || (isUncertain(field) && mayBe(own, word))) next.add(at + 1);
      for (const further of behind(fields, at, inner)) positions.add(further);
      // `[-]C x`: an option, where a file has its name.
      if (field.glob && mayBecomeOption(field)) positions.add(at + 1).add(at + 2);
    }
    if (next.size === 0) return false;
    positions = next;
    inner = inner?.subcommands?.of.get(word);
  }
  return form === 'prefix' || [...positions].some((at) => fields.slice(at).every(isUncertain));
}

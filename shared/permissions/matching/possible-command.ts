/** Finds deny and ask rules that the uncertain words of a command may match. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { recordOf } from '../programs/catalogue/index.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { programOf } from '../shell/syntax/command.ts';
import { ANYTHING, type Field } from '../shell/syntax/fields.ts';
import { type GlobToken, literalTokens, tokensIntersect } from '../text/glob.ts';
import type { PossibleCommand } from './command-matching.ts';
import { allCommands, isCurrent, policiesOf } from './match.ts';
import { asExpanded } from './spellings/expanded-words.ts';
import { type Given, givenOptions } from './spellings/given-options.ts';
import { optionRules } from './spellings/option-rules.ts';
import { hasOptions } from './spellings/option-spellings.ts';
import { ANY, isUncertain, MAX_TOKENS, mayMatchWords, tokensOf, wildcardTokens } from './spellings/possible-words.ts';
import { asAbbreviated, asModule, belowFolders, everyValue, reached, reachOf } from './spellings/reached-operands.ts';
import { renamed } from './spellings/renamed.ts';
import { uncompared } from './spellings/spellings.ts';

/** Comparisons of a rule with a command. A call that needs more is left to people. */
const MAX_COMPARISONS = 20_000;
/** Further words are too many to look at, and may be any. */
const MAX_WORDS = 64;

/** @param now epoch milliseconds: rules with an end date count until then */
export function possibleCommand(prepared: PreparedCall, now: number): PossibleCommand | undefined {
  let left = MAX_COMPARISONS;
  const commands = allCommands(prepared);
  for (const command of commands) {
    const program = programOf(command.argv[0]);
    if (program === undefined) continue;
    const { argv } = command;
    const expanded = asExpanded(argv);
    const named = [argv, ...renamed(argv)];
    const reaches = named.flatMap((each) => reachOf(each) ?? []);
    const spelled = [
      belowFolders(command, prepared.context),
      asModule(argv),
      asAbbreviated(argv),
      ...named.map(everyValue),
    ].filter((each) => each !== undefined);
    const beyond = uncompared(command, commands);
    const isCertain =
      expanded[0] === argv && beyond.length === 0 && !argv.some(isUncertain) && !hasLetters(argv, program);
    if (isCertain && reaches.length === 0 && spelled.length === 0) continue;
    let mayBe: ((spec: CommandSpec) => boolean) | undefined;
    for (const rule of rulesOn(program, prepared.call)) {
      left -= 1;
      if (left < 0) return { rule: undefined, command };
      if (rule.parsed.kind !== 'command' || !isCurrent(rule, now)) continue;
      const { command: spec } = rule.parsed;
      mayBe ??= isCertain ? () => false : anyOf([...expanded, ...beyond].map((each) => mayMatch(each, program)));
      const others = [...reaches.flatMap((reach) => reached(spec, reach)), ...spelled.flatMap((spell) => spell(spec))];
      if (mayBe(spec) || others.some((each) => mayMatch(each, program)(spec))) return { rule, command };
    }
  }
  return undefined;
}

const anyOf =
  (looks: readonly ((spec: CommandSpec) => boolean)[]) =>
  (spec: CommandSpec): boolean =>
    looks.some((look) => look(spec));

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

function mayMatch(argv: readonly Field[], program: string): (spec: CommandSpec) => boolean {
  const fields = argv.length > MAX_WORDS ? [...argv.slice(0, MAX_WORDS), ANYTHING] : argv;
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
    joined ??= [...literalTokens(program), ...tokens.slice(1).flatMap((each) => [...literalTokens(' '), ...each])];
    if (joined.length > MAX_TOKENS * 2) joined = [...joined.slice(0, MAX_TOKENS * 2), ANY];
    const wanted = [...wildcardTokens(spec.text), ...(spec.text.endsWith(':*') ? [ANY] : [])];
    return tokensIntersect(joined, wanted) || mayHaveOptions(spec);
  };
}

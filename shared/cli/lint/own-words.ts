/** Judges a rule's own words under that rule alone. */
import { prepareCall } from '../../permissions/call/prepared-call.ts';
import type { RuleInput } from '../../permissions/model/types.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import type { ParsedPattern } from '../../permissions/rules/parse.ts';
import { joinFields } from '../../permissions/shell/syntax/command.ts';
import { UNKNOWN } from '../../permissions/text/unknown.ts';
import { type SampleCall, type Samples, samplesOf } from './sample-calls.ts';
import { compiled, type Ground, type Home, isFired, isGranted, tryCall, withoutProtection } from './try-rules.ts';

interface OwnWords {
  readonly code: 'grants_little' | 'grants_nothing' | 'never_matches';
  readonly message: string;
  readonly suggestion?: string | undefined;
}

interface OneRule {
  readonly rule: RuleInput;
  readonly parsed: ParsedPattern;
}

/** Undefined where the rule holds for its own words, or nobody can tell what they are. */
export function ownWords(one: OneRule, whole: Ground): OwnWords | undefined {
  const ground = one.rule.effect === 'allow' ? whole : withoutProtection(whole);
  const alone = compiled([one.rule], ground);
  const tries = ground.homes.map((home) => ({ home, samples: samplesOf(one.parsed, ground.policy.tools, home) }));
  if (tries.every(({ samples }) => samples.own.length === 0)) return undefined;
  const holds = one.rule.effect === 'allow' ? isGranted : isFired;
  const isMet = (kind: keyof Samples) =>
    tries.some(({ home, samples }) => samples[kind].some((call) => holds(tryCall(call, home, ground, alone))));
  if (isMet('own')) return undefined;
  const [{ home, samples } = { home: ground.homes[0] as Home, samples: { own: [], further: [] } }] = tries;
  const call = samples.own[0] as SampleCall;
  if (one.rule.effect !== 'allow') return { code: 'never_matches', ...unmatched(one, call, home, ground, alone) };
  if (isMet('further')) {
    // A program's second sample is the usual use: a program alone often does nothing.
    const usual = samples.own.at(-1) ?? call;
    return {
      code: 'grants_little',
      message: `grants little, and not ${quoted(usual)}${because(usual, home, ground, alone)}`,
    };
  }
  const asDeny = compiled([{ ...one.rule, effect: 'deny' }], ground);
  const speaks = samples.own.some((sample) => isFired(tryCall(sample, home, withoutProtection(ground), asDeny)));
  if (!speaks) return { code: 'never_matches', ...unmatched(one, call, home, ground, alone) };
  return {
    code: 'grants_nothing',
    message: `grants nothing, not even ${quoted(call)}${because(call, home, ground, alone)}`,
    ...instead(one, call, home, ground),
  };
}

const quoted = ({ text }: SampleCall): string => `\`${text}\``;

/** Why the rules were not enough, in the gate's own words. */
function because(...[call, home, ground, rules]: Parameters<typeof tryCall>): string {
  const { reason } = tryCall(call, home, ground, rules);
  return `: ${reason.endsWith('.') ? reason.slice(0, -1) : reason}`;
}

/** A rule of which no part of its own words speaks. */
function unmatched(
  one: OneRule,
  call: SampleCall,
  home: Home,
  ground: Ground,
  alone: CompiledPolicy,
): Omit<OwnWords, 'code'> {
  const parts = commandsOf(call, home, ground);
  const message =
    parts.length > 1
      ? `speaks of no call: a command is taken apart, and no part is ${quoted(call)}`
      : `speaks of no call, not even ${quoted(call)}${because(call, home, ground, alone)}`;
  const own = instead(one, call, home, ground);
  const isWildcard = one.parsed.kind === 'command' && one.parsed.command.form === 'wildcard';
  if (own.suggestion !== undefined || parts.length < 2 || isWildcard) return { message, ...own };
  // No rule can name the output of a substitution.
  const each = parts.filter((part) => !part.includes(UNKNOWN)).map((part) => ruleOf(one, part));
  return { message: `${message}; write a rule for each: ${each.join(', ')}` };
}

/** The rule without its first words, if that one holds: what a wrapper or an assignment stands before. */
function instead(one: OneRule, call: SampleCall, home: Home, ground: Ground): { suggestion?: string } {
  const { parsed, rule } = one;
  if (parsed.kind !== 'command' || parsed.command.form === 'wildcard') return {};
  const holds = rule.effect === 'allow' ? isGranted : isFired;
  for (let from = 1; from < parsed.command.words.length; from++) {
    const pattern = ruleOf(one, parsed.command.words.slice(from).join(' '));
    if (holds(tryCall(call, home, ground, compiled([{ ...rule, pattern }], ground)))) return { suggestion: pattern };
  }
  return {};
}

function ruleOf({ parsed }: OneRule, command: string): string {
  if (parsed.kind !== 'command') return command;
  return `${parsed.tool}(${command}${parsed.command.form === 'prefix' ? ':*' : ''})`;
}

/** The commands that the gate reads in the text. */
function commandsOf({ toolName, input }: SampleCall, home: Home, { policy, shell }: Ground): readonly string[] {
  const found = policy.tools.lookup(toolName);
  if (found.kind === 'refused') return [];
  const folders = { cwd: home.projectRoot, ...home };
  const context = { toolName, input, mode: 'default', ...folders, tools: policy.tools, policy: policy.rules, shell };
  const prepared = prepareCall({ ...context, protected: policy.protectedPaths }, found);
  return prepared.shell?.commands.map(({ argv }) => joinFields(argv)) ?? [];
}

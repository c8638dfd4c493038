/** Looks at each rule of a file: at its words, alone and beside the other rules. */
import { FLOW_TOOL } from '../../permissions/model/tools.ts';
import type { RuleInput } from '../../permissions/model/types.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import { isShellTool, type ParsedPattern } from '../../permissions/rules/parse.ts';
import { locationText } from './finding.ts';
import { hiddenBy } from './hidden-rules.ts';
import { ownWords } from './own-words.ts';
import { samplesOf } from './sample-calls.ts';
import { anySubcommand } from './sub-commands.ts';
import { compiled, type Ground, isGranted, tryCall, withTrust } from './try-rules.ts';

interface ReadRule {
  readonly rule: RuleInput;
  readonly parsed: ParsedPattern;
}

interface RuleFinding {
  readonly rule: RuleInput;
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** `reported`: rules about which the compiler has reported enough. */
export function ruleFindings(
  rules: readonly ReadRule[],
  reported: ReadonlySet<RuleInput>,
  ground: Ground,
): RuleFinding[] {
  const stricter = compiled(
    rules.flatMap(({ rule }) => (rule.effect === 'allow' ? [] : [rule])),
    ground,
  );
  const seen = new Map<string, RuleInput>();
  return rules.flatMap((one) => {
    const { rule } = one;
    const key = JSON.stringify([rule.effect, rule.pattern, rule.source]);
    const twin = seen.get(key);
    if (!twin) seen.set(key, rule);
    // Only what stands in the file can be changed there.
    if (!rule.origin) return [];
    const repeated = twin
      ? [
          {
            rule,
            code: 'repeated',
            message: `stands there already (${locationText(twin.origin) || 'for the task agent'})`,
          },
        ]
      : [];
    const about = wordsFinding(one, stricter, reported, ground);
    return [...repeated, ...(about ? [{ rule, ...about }] : [])];
  });
}

type About = Omit<RuleFinding, 'rule'>;

/** The first problem of a rule: its consequences would be reported twice. */
function wordsFinding(
  one: ReadRule,
  stricter: CompiledPolicy,
  reported: ReadonlySet<RuleInput>,
  ground: Ground,
): About | undefined {
  const { rule, parsed } = one;
  const isPermission = rule.matcher?.kind === 'permission';
  if (isPermission || isAboutActions(parsed, ground)) return undefined;
  const own = reported.has(rule) ? undefined : ownWords(one, ground);
  if (own || rule.effect !== 'allow') return own;
  const hidden = hiddenBy(one, stricter, ground);
  if (hidden?.by === 'rule') {
    const { effect, pattern, origin } = hidden.rule;
    const location = locationText(origin);
    return {
      code: 'shadowed',
      message: `never allows, for ${effect} ${pattern}${location && ` (${location})`} comes first`,
    };
  }
  if (hidden) return { code: 'shadowed', message: `never allows beside the deny and ask rules: ${hidden.reason}` };
  return dropped(one, ground) ?? everyCommand(parsed, ground) ?? anySubcommand(one, stricter, ground);
}

const isAboutActions = (parsed: ParsedPattern, { policy }: Ground): boolean =>
  parsed.kind !== 'every' && parsed.tool === FLOW_TOOL && !policy.tools.has(FLOW_TOOL);

/** An allow that the file's own word on trust takes out. */
function dropped({ rule, parsed }: ReadRule, ground: Ground): About | undefined {
  const alone = compiled([rule], ground);
  const trusted = withTrust(ground);
  const counts = (own: Ground): boolean =>
    ground.homes.some((home) =>
      samplesOf(parsed, ground.policy.tools, home).own.some((call) => isGranted(tryCall(call, home, own, alone))),
    );
  if (!counts(ground) || counts(trusted)) return undefined;
  const { managedRulesOnly } = ground.policy.settings;
  const why = managedRulesOnly ? 'managedRulesOnly is true' : 'workspaceTrusted is false';
  return { code: 'dropped', message: `never allows: ${why}, and its source is ${rule.source}` };
}

function everyCommand(parsed: ParsedPattern, { policy }: Ground): About | undefined {
  if (parsed.kind === 'every' || !isShellTool(parsed.tool, policy.tools)) return undefined;
  const whole = parsed.kind === 'tool' || (parsed.kind === 'command' && !parsed.command.words.some(hasText));
  return whole ? { code: 'allows_every_command', message: 'allows every command that a prefix can cover' } : undefined;
}

const hasText = (word: string): boolean => word.replaceAll('*', '') !== '';

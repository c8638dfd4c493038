/** Looks at a rule for a session as the linter does at those of a file. */
import { compilePolicy, type Policy } from '../../config/compile.ts';
import { loadPolicy } from '../../config/load.ts';
import type { RuleEffect, RuleInput } from '../../permissions/model/types.ts';
import { checkRules } from '../../permissions/rules/check-rules.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import { loadShellParser } from '../../permissions/shell/parser.ts';
import { type LintFinding, locationText } from './finding.ts';
import { hiddenBy } from './hidden-rules.ts';
import { ownWords } from './own-words.ts';
import { compiled, groundOf } from './try-rules.ts';

interface Advice {
  /** The gate refuses such a rule as well, and tells it in the record only. */
  readonly refused: readonly LintFinding[];
  readonly warnings: readonly LintFinding[];
}

const REFUSED: ReadonlySet<string> = new Set(['grants_nothing', 'never_matches']);

/** Without a policy file only the built-in tools are known, and nothing is missed among the others. */
export async function adviseOnRule(
  { effect, pattern, agent }: { readonly effect: RuleEffect; readonly pattern: string; readonly agent: string },
  policy: Policy | undefined,
): Promise<Advice> {
  const rule = { effect, pattern, source: 'session' as const };
  const known = policy ?? compilePolicy(loadPolicy('agents: {}', ''));
  const { problems, policy: alone } = checkRules([rule], { tools: known.tools });
  const told = problems.filter(({ code, suggestion }) => policy || code !== 'unlisted_tool' || suggestion);
  if (problems.length) {
    const findings = told.map((problem) => ({ ...problem, where: pattern, location: {} }));
    const isRefused = ({ level, code }: LintFinding) => level === 'error' || REFUSED.has(code);
    return { refused: findings.filter(isRefused), warnings: findings.filter((one) => !isRefused(one)) };
  }
  const about = await aboutWords(rule, alone, agent, known);
  return { refused: [], warnings: about ? [{ level: 'warning', where: pattern, location: {}, ...about }] : [] };
}

async function aboutWords(
  { effect }: RuleInput,
  alone: CompiledPolicy,
  agent: string,
  known: Policy,
): Promise<Pick<LintFinding, 'code' | 'message' | 'suggestion'> | undefined> {
  const [one] = alone.rules.map(({ input, parsed }) => ({ rule: input, parsed }));
  if (!one) return undefined;
  const everywhere = groundOf(known, await loadShellParser());
  const own = Object.hasOwn(known.settings.agents, agent) ? known.settings.agents[agent] : undefined;
  const ground = own ? { ...everywhere, homes: [own] } : everywhere;
  const words = ownWords(one, ground);
  if (words || effect !== 'allow') return words;
  const stricter = compiled(
    known.rules.rules.flatMap(({ input }) => (input.effect === 'allow' ? [] : [input])),
    ground,
  );
  const hidden = hiddenBy(one, stricter, ground);
  if (!hidden) return undefined;
  const why =
    hidden.by === 'closeness'
      ? hidden.reason
      : [`${hidden.rule.effect} ${hidden.rule.pattern}`, locationText(hidden.rule.origin)].filter(Boolean).join(' at ');
  return { code: 'shadowed', message: `never allows beside the policy file: ${why}` };
}

/** Rules of a policy file that load and yet do not do what they seem to; each finding has a code that CI can name. */

import type { PolicyDocument } from '../../config/document.ts';
import { guardrailsOf, resolveCall } from '../../config/guardrails.ts';
import { ruleInputs, toolEntries } from '../../config/rules.ts';
import { namesTool, type ParsedPattern, parsePattern } from '../../permissions/rules/parse.ts';
import { createToolRegistry, FLOW_TOOL } from '../../permissions/tools.ts';
import type { RuleInput } from '../../permissions/types.ts';
import { type Finding, placeOf, problemsOf } from '../policy-file.ts';

interface Read {
  readonly rule: RuleInput;
  readonly parsed: ParsedPattern;
}

export function lint(document: PolicyDocument): Finding[] {
  const findings = problemsOf(document);
  const rules = ruleInputs(document).flatMap((rule) => {
    const parsed = parsedOrNothing(rule.pattern);
    return parsed ? [{ rule, parsed }] : [];
  });
  const warn = (code: string, line: string) => findings.push({ level: 'warning', code, line });
  for (const [index, { rule, parsed }] of rules.entries()) {
    const at = `${placeOf(rule.origin)}: ${rule.pattern}`;
    const twin = rules.slice(0, index).find(({ rule: other }) => sameRule(other, rule));
    if (twin) warn('repeated', `${at}: stands there already (${placeOf(twin.rule.origin)})`);
    if (rule.effect !== 'allow' || onlyActions(parsed, document)) continue;
    const hidden = rules.find(
      ({ rule: other, parsed: by }) => other.effect !== 'allow' && hides(by, parsed, other, rule),
    );
    if (hidden) {
      const { effect, pattern, origin } = hidden.rule;
      warn('shadowed', `${at}: never allows, for ${effect} ${pattern} (${placeOf(origin)}) comes first`);
    }
    if (parsed.kind === 'tool' && parsed.tool === 'Bash') warn('allows_every_command', `${at}: allows every command`);
  }
  return [...findings, ...unasked(document, rules), ...uneditable(document), ...unaffordable(document)];
}

/** Two runs of such a tool are two effects: somebody should be asked, or the file should say that nobody is. */
function unasked(document: PolicyDocument, rules: readonly Read[]): Finding[] {
  const { tools } = document.policy;
  return Object.entries(tools).flatMap(([name, { effect }]) => {
    if (effect !== 'NonIdempotentWrite') return [];
    const spokenOf = rules.some(({ rule, parsed }) => rule.effect !== 'allow' && concerns(parsed, name));
    const allowed = rules.some(({ rule, parsed }) => rule.effect === 'allow' && concerns(parsed, name));
    if (spokenOf || !allowed) return [];
    const line = `${document.file}: tools.${name}: is NonIdempotentWrite and allowed, and no rule asks or denies`;
    return [{ level: 'warning', code: 'never_asked', line } as const];
  });
}

/** Allows on actions of a contract: said already to grant nothing, whatever comes first. */
const onlyActions = (parsed: ParsedPattern, { policy }: PolicyDocument): boolean =>
  parsed.kind !== 'every' && parsed.tool === FLOW_TOOL && !Object.hasOwn(policy.tools, FLOW_TOOL);

/** Two people and an editor who may be neither (D23): in a group of two nobody can change a call of high severity. */
function uneditable({ policy, file }: PolicyDocument): Finding[] {
  return Object.entries(policy.tools).flatMap(
    ([name, { severity, approvers = policy.approvals.approvers, allowedDecisions }]) => {
      const members = approvers === undefined ? undefined : policy.approvers[approvers]?.members;
      if ((severity !== 'high' && severity !== 'critical') || !members || members.length > 2) return [];
      if (allowedDecisions && !allowedDecisions.includes('edit')) return [];
      const line = `${file}: tools.${name}: its calls cannot be edited: of ${members.length} in ${approvers} nobody is left to approve an edit`;
      return [{ level: 'warning', code: 'no_edits', line } as const];
    },
  );
}

/** A call is admitted only if the most that it may cost fits whole (G28): where a day's budget is smaller, none ever is. */
function unaffordable({ policy, file }: PolicyDocument): Finding[] {
  const guardrails = guardrailsOf(policy);
  const tools = createToolRegistry(toolEntries(policy)).list();
  const lines = new Set<string>();
  for (const agentId of Object.keys(policy.agents))
    for (const { name: toolName } of tools) {
      const { settings, layers, budgets } = resolveCall({ guardrails }, { toolName, agentId, now: 0 });
      for (const { id, kind, limit } of budgets)
        if (kind === 'cost' && settings.costPerCall > limit)
          lines.add(
            `${file}: guardrails: costPerCall ${settings.costPerCall} of ${layers.costPerCall} is more than the costPerDay ${limit} of ${id}: no such call can run`,
          );
    }
  return [...lines].map((line) => ({ level: 'warning', code: 'never_affordable', line }));
}

const sameRule = (a: RuleInput, b: RuleInput) =>
  a.effect === b.effect && a.pattern === b.pattern && a.source === b.source;

/** The whole tool, or word for word the same: what needs no analysis to be sure of. */
function hides(by: ParsedPattern, parsed: ParsedPattern, other: RuleInput, rule: RuleInput): boolean {
  if (other.pattern === rule.pattern) return true;
  if (by.kind === 'every') return true;
  return by.kind === 'tool' && parsed.kind !== 'every' && namesTool(by.tool, parsed.tool);
}

const concerns = (parsed: ParsedPattern, tool: string) => parsed.kind === 'every' || namesTool(parsed.tool, tool);

function parsedOrNothing(pattern: string): ParsedPattern | undefined {
  try {
    return parsePattern(pattern);
  } catch {
    return undefined;
  }
}

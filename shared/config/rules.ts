/** Rules and tools of a policy file in the words of the permission room, each rule with its place in the file. */
import type { RuleInput, ToolEntry } from '../permissions/types.ts';
import type { PolicyDocument } from './document.ts';
import type { PolicyFile, RuleSetting } from './schema.ts';

/** The rules of a policy file with the place of each. */
export function ruleInputs({ policy, ruleLines, file }: PolicyDocument): RuleInput[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    policy.rules[effect].map((rule, index) => {
      const origin = { file, ...ruleLines[`${effect}.${index}`] };
      if (typeof rule === 'string') return { effect, pattern: rule, source: 'project' as const, origin };
      const { rule: pattern, approvers: _, source: __, ...rest } = rule;
      return { effect, pattern, ...rest, source: sourceOf(rule), origin };
    }),
  );
}

export function toolEntries(settings: PolicyFile): ToolEntry[] {
  return Object.entries(settings.tools).map(([name, { approvers: _, ...entry }]) => ({ name, ...entry }));
}

export const sourceOf = (rule: RuleSetting) => (typeof rule === 'string' ? 'project' : (rule.source ?? 'project'));

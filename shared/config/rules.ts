/** Reads rules and tools of a policy file for the permissions, each rule with its line. */
import { builtInTool } from '../permissions/model/tools.ts';
import type { PresetName, RuleInput, ToolEntry } from '../permissions/model/types.ts';
import type { PolicyDocument } from './document.ts';
import { taskRules, taskTools } from './readers/task-agent-tools.ts';
import type { PolicyFile, RuleSetting } from './schema/policy-file.ts';

/** The rules of a policy file with the place of each, and those of the task agent. */
export function ruleInputs({ policy, ruleLines, file }: PolicyDocument): RuleInput[] {
  const own = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    policy.rules[effect].map((rule, index) => {
      const origin = { file, ...ruleLines[`${effect}.${index}`] };
      if (typeof rule === 'string') return { effect, pattern: rule, source: 'project' as const, origin };
      const { rule: _, permission, approvers: __, stages: ___, source: ____, ...rest } = rule;
      const matcher = permission && ({ kind: 'permission', permission } as const);
      return { effect, pattern: patternOf(rule), ...rest, matcher, source: sourceOf(rule), origin };
    }),
  );
  const presets = policy.rules.presets.map((name) => ({
    effect: 'allow' as const,
    pattern: `preset(${name})`,
    matcher: { kind: 'preset', name } as const,
    source: 'default' as const,
    description: PRESET_WORDS[name],
  }));
  return [...own, ...taskRules(policy), ...presets];
}

const PRESET_WORDS: Readonly<Record<PresetName, string>> = {
  'read-only': 'It only reads, inside the project.',
};

/** An entry of the file replaces the task agent's own, and adds to a built-in one. */
export function toolEntries(settings: PolicyFile): ToolEntry[] {
  const own = Object.entries(settings.tools).map(
    ([name, { approvers: _, stages: __, timeoutBehavior: ___, allowedDecisions: ____, title: _____, ...decides }]) => {
      const { shell, permissions, ...entry } = decides;
      return {
        name,
        ...entry,
        permissions: permissions ?? builtInTool(name)?.permissions ?? [],
        ...(shell === undefined ? {} : { shell: shell !== false }),
        ...(typeof shell === 'object' ? { canonical: shell.canonical } : {}),
      };
    },
  );
  return [...taskTools(settings), ...own];
}

export const sourceOf = (rule: RuleSetting) => (typeof rule === 'string' ? 'project' : (rule.source ?? 'project'));

/** How a rule is named: as it is written. */
export const patternOf = (rule: RuleSetting): string =>
  typeof rule === 'string' ? rule : (rule.rule ?? `permission: ${rule.permission}`);

/** Reads what cards call things by: people, tools, rules and the reasons of a rejection. */
import type { Person } from '../../contract/index.ts';
import { ownValue } from '../../domain/own.ts';
import type { ToolNames } from '../../domain/proposal/call-name.ts';
import type { PolicyFile } from '../schema/policy-file.ts';

export interface CardNames {
  readonly tools: ToolNames;
  /** As the policy file calls somebody; undefined for a person that it does not list. */
  personName(person: Person): string | undefined;
  /** Where a rule stands, such as `countersign.yaml:12`; undefined for one that is not in the file now. */
  ruleAt(rule: { readonly pattern: string; readonly source: string }): string | undefined;
  readonly rejectReasons: readonly string[];
}

export const DEFAULT_REJECT_REASONS: readonly string[] = ['Not now', 'Wrong target', 'Do it by pull request'];

/** A policy document fits; without its lines no rule has a line. */
export function cardNamesOf({
  policy,
  file = '',
  ruleLines = {},
}: {
  readonly policy: PolicyFile;
  readonly file?: string;
  readonly ruleLines?: Readonly<Record<string, { readonly line: number }>>;
}): CardNames {
  const people = new Map(Object.values(policy.people).map(({ team, user, name }) => [`${team}/${user}`, name]));
  const lineOfRule = new Map<string, string>();
  for (const effect of ['allow', 'deny', 'ask'] as const)
    for (const [index, rule] of policy.rules[effect].entries()) {
      const written = typeof rule === 'string' ? { rule } : rule;
      const pattern = written.rule ?? `permission: ${written.permission}`;
      const line = ownValue(ruleLines, `${effect}.${index}`)?.line;
      if (line !== undefined) lineOfRule.set(`${written.source ?? 'project'} ${pattern}`, `${baseName(file)}:${line}`);
    }
  return {
    tools: policy.tools,
    personName: ({ team, user }) => people.get(`${team}/${user}`),
    ruleAt: ({ pattern, source }) => lineOfRule.get(`${source} ${pattern}`),
    rejectReasons: policy.approvals.rejectReasons ?? DEFAULT_REJECT_REASONS,
  };
}

const baseName = (file: string): string => file.split('/').at(-1) ?? file;

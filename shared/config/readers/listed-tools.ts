/** Reads the tools that a policy file names: in its catalogue, its limits and its rules. */

import { TOOL_NAMES } from '../../task-agent/tool-names.ts';
import type { PolicyFile } from '../schema/policy-file.ts';

/** The tool of a rule's pattern: `Bash` of `Bash(git *)`. A pattern of several tools names none. */
const TOOL = /^[^*?(\s]+(?=\(|$)/;

/** Bounds what may be a dimension of a metric. */
export function listedTools(policy: Pick<PolicyFile, 'tools' | 'guardrails' | 'rules' | 'taskAgent'>): Set<string> {
  const { tools, guardrails, rules, taskAgent } = policy;
  const patterns = Object.values(rules)
    .flat()
    .map((rule) => (typeof rule === 'string' ? rule : rule.rule))
    .flatMap((pattern) => TOOL.exec(pattern ?? '')?.[0] ?? []);
  return new Set([
    ...Object.keys(tools),
    ...Object.keys(guardrails.tools),
    ...(taskAgent.enabled ? TOOL_NAMES : []),
    ...patterns,
  ]);
}

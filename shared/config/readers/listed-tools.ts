/** Reads the tools that a policy file names: in its catalogue, its limits and its rules. */
import { TOOL_NAMES } from '../../task-agent/tools/tool-names.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import { originOf, serverOf } from './tool-origin.ts';

/** The tool of a rule's pattern: `Bash` of `Bash(git *)`. A pattern of several tools names none. */
const TOOL = /^[^*?(\s]+(?=\(|$)/;

type Named = Pick<PolicyFile, 'tools' | 'guardrails' | 'rules' | 'taskAgent'>;

const patternsOf = ({ rules }: Pick<PolicyFile, 'rules'>): string[] =>
  Object.values(rules)
    .flat()
    .flatMap((rule) => (typeof rule === 'string' ? rule : (rule.rule ?? [])));

/** Bounds what may be a dimension of a metric. */
export function listedTools(policy: Named): Set<string> {
  const { tools, guardrails, taskAgent } = policy;
  return new Set([
    ...Object.keys(tools),
    ...Object.keys(guardrails.tools),
    ...(taskAgent.enabled ? TOOL_NAMES : []),
    ...patternsOf(policy).flatMap((pattern) => TOOL.exec(pattern)?.[0] ?? []),
  ]);
}

/** The origins of MCP servers that the file declares, or names in a tool or a pattern such as `mcp__github__*`. */
export function listedOrigins(policy: Named & Pick<PolicyFile, 'mcpServers'>): Set<string> {
  const names = [...listedTools(policy), ...patternsOf(policy)];
  return new Set([
    ...Object.keys(policy.mcpServers).map((server) => originOf(`mcp__${server}__`)),
    ...names.filter((name) => serverOf(name) !== undefined).map(originOf),
  ]);
}

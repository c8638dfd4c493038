/** Gives the task agent's tools and rules as a policy file would state them. */
import type { RuleInput, ToolEntry } from '../../permissions/model/types.ts';
import { TASK_TOOLS } from '../../task-agent/tools/tool-definitions.ts';
import type { PolicyFile } from '../schema/policy-file.ts';

/** The five tools, for as long as there is a task agent; what the file itself says of one replaces this. */
export function taskTools({ taskAgent: { enabled } }: PolicyFile): ToolEntry[] {
  if (!enabled) return [];
  return TASK_TOOLS.map(({ name: toolName, permissions, effect, severity, inputSchema }) => ({
    name: toolName,
    permissions,
    // The policy file's word for what has no effect.
    effect: effect === 'ReadOnly' ? 'Pure' : effect,
    severity,
    argsSchema: inputSchema,
  }));
}

/** The weakest of all rules: four tools may run, deleting asks. Every other rule of the file about them is stronger. */
export function taskRules({ taskAgent: { enabled } }: PolicyFile): RuleInput[] {
  if (!enabled) return [];
  return TASK_TOOLS.map(({ name: toolName, confirmation }) => ({
    effect: confirmation === 'none' ? ('allow' as const) : ('ask' as const),
    pattern: toolName,
    source: 'default' as const,
    ...(confirmation === 'none' ? {} : { reason: 'What is deleted is gone.' }),
  }));
}

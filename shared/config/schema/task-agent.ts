/** The `taskAgent` section of countersign.yaml: whether there is one, where it listens, and what its tools are to the permission pipeline (seed 2). */
import * as z from 'zod';
import type { RuleInput, ToolEntry } from '../../permissions/model/types.ts';
import { matchesWildcard } from '../../permissions/text/glob.ts';
import { TASK_TOOLS } from '../../task-agent/tool-definitions.ts';
import { type PolicyProblem, undeclared } from '../problems.ts';
import { modelSettings } from './models.ts';
import type { PolicyFile } from './policy-file.ts';
import { name, section } from './words.ts';

export const taskAgent = section({
  enabled: z.boolean().default(false).describe('Whether there is one.'),
  agent: name
    .optional()
    .describe('The agent in whose name it works for people in Slack; without it Slack is not listened to.'),
  directMessages: z.boolean().default(true).describe('Whether it answers direct messages in Slack.'),
  channels: z.array(name).default([]).describe('Where it answers those who mention it.'),
  model: section(modelSettings)
    .optional()
    .describe('Asked what a message wants where no pattern can tell; it can neither confirm nor delete.'),
})
  .prefault({})
  .describe('The agent for task lists that comes with the gate.');

/** A model may take this long and no longer: whoever wrote is waiting. */
const LONGEST_MS = 10_000;

export function taskAgentProblems(file: PolicyFile): PolicyProblem[] {
  const { enabled, agent, channels, model } = file.taskAgent;
  const problems: PolicyProblem[] = [];
  if (agent !== undefined) problems.push(...undeclared(file, 'agents', agent, ['taskAgent', 'agent']));
  for (const [index, channel] of channels.entries())
    problems.push(...undeclared(file, 'channels', channel, ['taskAgent', 'channels', index]));
  if (channels.length && agent === undefined)
    problems.push({ path: ['taskAgent', 'channels'], message: 'nobody answers there: taskAgent.agent names no agent' });
  if (!enabled && (agent !== undefined || channels.length || model))
    problems.push({
      path: ['taskAgent', 'enabled'],
      message: 'is not true, so that nothing of this section has an effect',
    });
  if (model && model.timeout > LONGEST_MS)
    problems.push({ path: ['taskAgent', 'model', 'timeout'], message: 'is longer than 10s' });
  problems.push(...hookedTools(file));
  return problems;
}

/** Rules alone decide the task agent's tools: a hook that would have to be asked first would stop every one of them. */
function hookedTools({ hooks, taskAgent: { enabled, agent } }: PolicyFile): PolicyProblem[] {
  if (!enabled) return [];
  return Object.entries(hooks).flatMap(([hook, { agents, tools }]) => {
    if (agents && agent !== undefined && !agents.includes(agent)) return [];
    const covered = TASK_TOOLS.filter(({ name: tool }) => tools.some((pattern) => matchesWildcard(pattern, tool)));
    if (!covered.length) return [];
    const list = covered.map(({ name: tool }) => tool).join(', ');
    const message = `cover ${list} of the task agent, which no hook is asked about: name the tools that the hook is for${agent === undefined ? '' : `, or agents without ${agent}`}`;
    return [{ path: ['hooks', hook, 'tools'], message }];
  });
}

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

/** The weakest of all rules: four tools may run, deleting asks (R2-076). Whatever else the file says of them is stronger. */
export function taskRules({ taskAgent: { enabled } }: PolicyFile): RuleInput[] {
  if (!enabled) return [];
  return TASK_TOOLS.map(({ name: toolName, confirmation }) => ({
    effect: confirmation === 'none' ? ('allow' as const) : ('ask' as const),
    pattern: toolName,
    source: 'default' as const,
    ...(confirmation === 'none' ? {} : { reason: 'What is deleted is gone.' }),
  }));
}

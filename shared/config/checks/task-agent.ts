/** Finds settings of the task agent that have no effect, or stop it. */
import { matchesWildcard } from '../../permissions/text/glob.ts';
import { TASK_TOOLS } from '../../task-agent/tools/tool-definitions.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import { type PolicyProblem, undeclared } from '../schema/problems.ts';

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

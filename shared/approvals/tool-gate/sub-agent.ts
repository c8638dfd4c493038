/**
 * Makes an agent a tool of another, behind the same executor.
 *
 * Registry, policy and handler are the same, too.
 */
import { checkSettings, count, having, natural, text } from '../../domain/settings.ts';
import { AgentCancelledError, type Model, runAgent } from './agent-loop.ts';
import type { AgentTool } from './tool.ts';

/** How a sub-agent runs. */
export interface SubAgentOptions {
  /** Default `sub_agent`. */
  readonly name?: string;
  readonly model: Model;
  readonly maxTurns?: number;
  /** Agents below the first one. Default 3. */
  readonly maxDepth?: number;
}

/**
 * A tool that runs another agent, under the same handler.
 *
 * @example
 * const scripted: Model = { next: async () => ({ text: 'done' }) };
 * const agent = new AgentBuilder(scripted).tool(subAgentTool({ name: 'research', model: scripted })).build();
 * console.log((await agent.run('Find order 7.')).text);
 */
export function subAgentTool(options: SubAgentOptions): AgentTool {
  const checks = { name: text, model: having('next'), maxTurns: count, maxDepth: natural };
  checkSettings(options, checks, { required: ['model'] });
  const { name = 'sub_agent', model, maxTurns = 32, maxDepth = 3 } = options;
  return {
    name,
    class: 'Mutating',
    execute: async (input, { executor, signal, depth }) => {
      if (depth >= maxDepth) return { error: `Error: agents may be nested ${maxDepth} deep` };
      try {
        const result = await runAgent(promptOf(input), { model, executor, signal, maxTurns, depth: depth + 1 });
        return result.text;
      } catch (error) {
        if (error instanceof AgentCancelledError) return { error: 'Error: cancelled' };
        throw error;
      }
    },
  };
}

function promptOf(input: unknown): string {
  const prompt: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'prompt') : undefined;
  return typeof prompt === 'string' ? prompt : JSON.stringify(input ?? {});
}

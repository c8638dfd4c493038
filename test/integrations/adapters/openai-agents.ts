/** Puts tools of the OpenAI Agents SDK behind the gate, with its scripted model. */
import { Agent, Runner, RunState, type RunToolApprovalItem, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing';
import * as z from 'zod';
import { gatedTool, resume } from '../../../shared/client/integrations/openai-agents.ts';
import type { Adapter, Episode, ModelCall } from '../contract.ts';
import type { World } from '../scene.ts';

const runner = new Runner({ tracingDisabled: true });

function agentOf(scene: World, steps: readonly ModelCall[][], given = [assistantMessage('done')]) {
  const guard = scene.guard();
  const parameters = {
    Refund: z.object({ amount: z.number() }),
    Lookup: z.object({ id: z.string() }),
    Wipe: z.object({}),
  };
  const tools = (['Refund', 'Lookup', 'Wipe'] as const).map((name) =>
    tool(
      gatedTool(guard, {
        name,
        description: name,
        parameters: parameters[name] as z.ZodObject,
        execute: (input) => scene.work(name, input),
      }),
    ),
  );
  const calls = steps.map((step) => step.map(({ id, tool: name, input }) => functionCall(name, input, { callId: id })));
  const model = new ScriptedModel([...calls, given]);
  return { agent: new Agent({ name: 'coder', model, tools }), model };
}

interface Result {
  readonly interruptions: readonly RunToolApprovalItem[];
  readonly state: { toString(): string };
}

/** The model sees the results in its last request. */
function episodeOf({ interruptions, state }: Result, model: ScriptedModel): Episode {
  const { input = [] } = model.lastCall?.request ?? {};
  const results = typeof input === 'string' ? [] : input.filter((item) => item.type === 'function_call_result');
  return {
    waiting: interruptions.map(({ rawItem }) => ('callId' in rawItem ? String(rawItem.callId) : '')),
    state: state.toString(),
    seen: Object.fromEntries(
      results.map(({ callId, output }) => [
        callId,
        typeof output === 'object' && 'text' in output ? output.text : String(output),
      ]),
    ),
  };
}

export const openaiAgents: Adapter = {
  name: 'openai-agents',
  suspends: true,
  refusal: (message) => message,
  async start(scene, calls) {
    const { agent, model } = agentOf(scene, [[...calls]]);
    return episodeOf(await runner.run(agent, 'go'), model);
  },
  async resume(scene, state, _calls, { signal } = {}) {
    const { agent, model } = agentOf(scene, []);
    const taken = resume(await RunState.fromString(agent, state));
    return episodeOf(await runner.run(agent, taken, { ...(signal ? { signal } : {}) }), model);
  },
  async startAllowingAll(scene, calls) {
    const { agent, model } = agentOf(scene, [[...calls]]);
    const first = await runner.run(agent, 'go');
    for (const item of first.state.getInterruptions()) first.state.approve(item, { alwaysApprove: true });
    return episodeOf(await runner.run(agent, first.state), model);
  },
};

export const openaiAgentsStreamed: Adapter = {
  ...openaiAgents,
  name: 'openai-agents, streamed',
  async start(scene, calls) {
    const { agent, model } = agentOf(scene, [[...calls]]);
    const result = await runner.run(agent, 'go', { stream: true });
    await result.completed;
    return episodeOf(result, model);
  },
};

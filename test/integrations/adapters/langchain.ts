/** Puts tools of a LangChain agent behind the gate, with its fake model and a checkpointer in memory. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createAgent, createMiddleware, tool } from 'langchain';
import * as z from 'zod';
import { countersignMiddleware, type LangChainSettings } from '../../../shared/client/integrations/langchain.ts';
import type { Adapter, Episode, ModelCall } from '../contract.ts';
import type { World } from '../scene.ts';

export const configOf = ({ run }: World) => ({ configurable: { thread_id: run } });
const savers = new WeakMap<World, MemorySaver>();

export interface State {
  readonly messages: readonly BaseMessage[];
  readonly __interrupt__?: readonly { readonly id?: string; readonly value?: { readonly countersign: string } }[];
}

/** A new agent; the checkpointer is what processes share. */
export function agentOf(
  scene: World,
  calls: readonly ModelCall[],
  settings: LangChainSettings,
  version: 'v1' | 'v2' = 'v2',
) {
  const checkpointer = savers.get(scene) ?? new MemorySaver();
  savers.set(scene, checkpointer);
  const schemas = {
    Refund: z.object({ amount: z.number() }),
    Lookup: z.object({ id: z.string() }),
    Wipe: z.object({}),
  };
  const tools = (['Refund', 'Lookup', 'Wipe'] as const).map((name) =>
    tool((input: unknown) => scene.work(name, input), {
      name,
      description: name,
      schema: schemas[name] as z.ZodObject,
    }),
  );
  const model = fakeModel();
  if (calls.length)
    model.respondWithTools(calls.map(({ id, tool: name, input }) => ({ id, name, args: { ...input } })));
  model.respond(new AIMessage('done'));
  const gated = createMiddleware(countersignMiddleware(scene.client(), { interrupt, ToolMessage }, settings));
  return createAgent({ model, tools, checkpointer, middleware: [gated], version });
}

export function episodeOf({ messages, __interrupt__: interrupts = [] }: State): Episode {
  const answers = messages.filter((message) => ToolMessage.isInstance(message));
  return {
    waiting: interrupts.map(({ value }) => value?.countersign ?? ''),
    state: JSON.stringify(interrupts.map(({ id }) => id)),
    seen: Object.fromEntries(answers.map((message) => [message.tool_call_id, message.text])),
  };
}

const adapterWith = (settings: LangChainSettings): Omit<Adapter, 'name'> => ({
  suspends: true,
  refusal: (message) => message,
  async start(scene, calls) {
    const messages = [{ role: 'user', content: 'go' }];
    return episodeOf((await agentOf(scene, calls, settings).invoke({ messages }, configOf(scene))) as unknown as State);
  },
  async resume(scene, state, _calls, { signal } = {}) {
    const resume = Object.fromEntries((JSON.parse(state) as string[]).map((id) => [id, true]));
    const config = { ...configOf(scene), ...(signal ? { signal } : {}) };
    const ended = await agentOf(scene, [], settings).invoke(new Command({ resume }) as never, config);
    return episodeOf(ended as unknown as State);
  },
});

export const langchain: Adapter = { name: 'langchain', ...adapterWith({}) };

export const langchainTogether: Adapter = {
  name: 'langchain, the calls of a turn together',
  oneCard: true,
  ...adapterWith({ together: true }),
};

/** Puts the tools of a LangChain agent behind the gate, as middleware. */
import { flag, having } from '../../domain/settings.ts';
import type { GuardSettings } from '../calls/guarded-call.ts';
import { checkShared } from '../calls/option-checks.ts';
import type { CountersignClient } from '../client.ts';
import { fittingEdit } from './common/checked-edit.ts';
import { interruptedCall } from './common/interrupted-call.ts';
import { partsOf } from './common/parts-of.ts';
import { inTask, schemaOf } from './langchain-task.ts';
import { hasFailed, told } from './langchain-told.ts';
import { guardedCall, type LangChainRequest, threadOf, toolUntil, turnOf } from './langchain-turn.ts';

/** `interrupt` of `@langchain/langgraph`, and `ToolMessage` of `langchain`. */
export interface LangChainParts<Message> {
  readonly interrupt: (value: { readonly countersign: string }) => unknown;
  readonly ToolMessage: new (
    fields: Record<'content' | 'name' | 'tool_call_id', string> & { status: 'error' },
  ) => Message;
}

/** Settings of the guard that each thread gets. `together`: the calls of one turn share a card, and wait for each other's answers. */
export interface LangChainSettings extends Omit<GuardSettings, 'run'> {
  readonly together?: boolean | undefined;
}

/**
 * Options of `createMiddleware`. A call that people are asked about interrupts its thread; resume every interrupt with anything, in any process: that
 * only means "look again", and the permit decides. Needs a checkpointer, and a `thread_id`, which names the run.
 *
 * @example
 * import { interrupt, MemorySaver } from '@langchain/langgraph';
 * import { createAgent, createMiddleware, ToolMessage } from 'langchain';
 *
 * const client = CountersignClient.fromEnvironment();
 * const gated = createMiddleware(countersignMiddleware(client, { interrupt, ToolMessage }));
 * const agent = createAgent({ model: 'gpt-5', tools: [], checkpointer: new MemorySaver(), middleware: [gated] });
 * console.log(await agent.invoke({ messages: 'Refund order o-1' }, { configurable: { thread_id: 'run-1' } }));
 */
export function countersignMiddleware<Message>(
  client: Pick<CountersignClient, 'guard'>,
  parts: LangChainParts<Message>,
  settings: LangChainSettings = {},
) {
  return { name: 'Countersign', wrapToolCall: behindGate(client, parts, settings) };
}

/** @param isGated whether the tool of that name is behind the gate: a `ToolNode` may hold others */
export function behindGate<Message>(
  client: Pick<CountersignClient, 'guard'>,
  parts: LangChainParts<Message>,
  settings: LangChainSettings,
  isGated: (tool: string) => boolean = () => true,
) {
  having('guard')(client, 'client');
  checkShared(settings, { together: flag });
  const { together = false, ...shared } = settings;
  const { interrupt, ToolMessage } = partsOf(parts, 'interrupt', 'ToolMessage');
  return async <Given extends LangChainRequest, Answer>(
    request: Given,
    handler: (request: Given) => Answer | Promise<Answer>,
  ): Promise<Answer | Message> => {
    const { toolCall, runtime } = request;
    const call = guardedCall(toolCall);
    const turn = turnOf(request).filter(({ tool }) => isGated(tool));
    const guard = client.guard({ ...shared, run: threadOf(runtime.configurable) });
    return interruptedCall<Answer | Message>(together ? guard.together(turn) : guard, {
      call,
      ...inTask(request, turn, interrupt),
      signal: runtime.signal,
      tool: async (args, running) => {
        const own = { ...request, ...toolUntil(request, running.signal), toolCall: { ...toolCall, args } };
        return told(await handler(own), call.callId, running.change);
      },
      isError: (answer) => hasFailed(answer, call.callId),
      schema: await schemaOf(request),
      readEdit: (args) => fittingEdit(request.tool?.schema, args),
      refused: (content) => new ToolMessage({ content, name: call.tool, tool_call_id: call.callId, status: 'error' }),
    });
  };
}

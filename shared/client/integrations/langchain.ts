/** `countersign/langchain`: puts the tools of a LangChain agent behind the gate. */
import { having, record } from '../../domain/settings.ts';
import { withChange } from '../change.ts';
import type { CountersignClient } from '../client.ts';
import type { GuardSettings } from '../guard.ts';
import { interruptedCall } from './interrupted-call.ts';
import { partsOf } from './parts-of.ts';

/** One call of a model as LangChain states it. */
export interface LangChainToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** The fields of a tool call's request that the gate reads. */
export interface LangChainRequest {
  readonly toolCall: LangChainToolCall;
  readonly runtime: {
    readonly configurable?: { readonly thread_id?: string } | undefined;
    readonly signal?: AbortSignal | undefined;
  };
}

/** `interrupt` of `@langchain/langgraph`, and `ToolMessage` of `langchain`. */
export interface LangChainParts<Message> {
  readonly interrupt: (value: { readonly countersign: string }) => unknown;
  readonly ToolMessage: new (
    fields: Record<'content' | 'name' | 'tool_call_id', string> & { status: 'error' },
  ) => Message;
}

/**
 * Options of `createMiddleware`. A call that people are asked about interrupts its thread; resume every interrupt with anything, in any process: that
 * only means "look again", and the permit decides. Needs a checkpointer, and a `thread_id`, which names the run.
 *
 * @param settings of the guard that each thread gets
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
  settings: Omit<GuardSettings, 'run'> = {},
) {
  having('guard')(client, 'client');
  record(settings, 'settings');
  const { interrupt, ToolMessage } = partsOf(parts, 'interrupt', 'ToolMessage');
  return {
    name: 'Countersign',
    wrapToolCall: async <Given extends LangChainRequest, Answer>(
      request: Given,
      handler: (request: Given) => Answer | Promise<Answer>,
    ): Promise<Answer | Message> => {
      const { id: callId = '', name: tool, args: input } = request.toolCall;
      const { configurable, signal } = request.runtime;
      return interruptedCall<Answer | Message>(client.guard({ ...settings, run: configurable?.thread_id ?? '' }), {
        call: { callId, tool, input },
        signal,
        interrupt,
        tool: async (args, { change }) =>
          told(await handler({ ...request, toolCall: { ...request.toolCall, args } }), change),
        refused: (content) => new ToolMessage({ content, name: tool, tool_call_id: callId, status: 'error' }),
      });
    },
  };
}

/** A tool message with the sentence about changed arguments behind its text. */
function told<Answer>(answer: Answer, change: string | undefined): Answer {
  const message = answer as { content?: unknown } | null | undefined;
  if (typeof message?.content === 'string') message.content = withChange(message.content, change);
  return answer;
}

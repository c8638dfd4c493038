/** `countersign/langchain`: puts the tools of LangChain agents and of LangGraph behind the gate. */
import { having, list } from '../../domain/settings.ts';
import { toolName } from '../calls/declared-tool.ts';
import type { CountersignClient } from '../client.ts';
import { withMethod } from './common/with-signal.ts';
import {
  behindGate,
  countersignMiddleware,
  type LangChainParts,
  type LangChainSettings,
} from './langchain-middleware.ts';
import type { LangChainRequest, LangChainTask, LangChainToolCall } from './langchain-turn.ts';

export type { LangChainParts, LangChainRequest, LangChainSettings, LangChainTask, LangChainToolCall };
export { countersignMiddleware };

/** The fields of a tool of LangChain that the gate reads. */
export interface LangChainTool {
  readonly name: string;
  readonly schema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each tool states the types of its own input and result
  invoke(call: any, config?: any): any;
}

/** Names of the tools behind the gate, for all lists of a client: a `ToolNode` may hold several, and tools that stand behind no gate. */
const GATED = new WeakMap<object, Set<string>>();

/** A `ToolNode` hands its state to the tools that it runs. */
type GraphRuntime = LangChainRequest['runtime'] & Pick<LangChainRequest, 'state'>;

/**
 * The same tools for the `ToolNode` of a graph of yours. A call that people are asked about interrupts its thread; resume every interrupt with
 * anything, in any process. Needs a checkpointer, and a `thread_id`, which names the run.
 *
 * @returns copies; a refusal is the message of the call, and the tools stay as they are
 * @example
 * import { interrupt } from '@langchain/langgraph';
 * import { ToolNode } from '@langchain/langgraph/prebuilt';
 * import { ToolMessage, tool } from 'langchain';
 *
 * const described = { name: 'Refund', description: 'Refunds an order', schema: z.object({ orderId: z.string() }) };
 * const refund = tool(async ({ orderId }) => `refunded ${orderId}`, described);
 * const node = new ToolNode(gatedGraphTools(CountersignClient.fromEnvironment(), [refund], { interrupt, ToolMessage }));
 */
export function gatedGraphTools<const Tools extends readonly LangChainTool[], Message>(
  client: Pick<CountersignClient, 'guard'>,
  tools: Tools,
  parts: LangChainParts<Message>,
  settings: LangChainSettings = {},
): Tools[number][] {
  list(tools, 'tools');
  having('guard')(client, 'client');
  const gated = GATED.get(client) ?? new Set();
  GATED.set(client, gated);
  const wrapToolCall = behindGate(client, parts, settings, (name) => gated.has(name));
  return tools.map((tool: Tools[number], index) => {
    having('invoke')(tool, `tools[${index}]`);
    gated.add(toolName(tool.name, `tools[${index}].name`));
    return withMethod(
      tool,
      'invoke',
      (call: Partial<LangChainToolCall> & { readonly type?: string }, runtime: GraphRuntime) => {
        // Bare arguments have no id, and are refused: a resumed thread would ask people anew.
        const { id, args = {} } = call?.type === 'tool_call' ? call : { args: call as Record<string, unknown> };
        const request = {
          toolCall: { id, name: tool.name, args },
          tool,
          state: runtime?.state,
          runtime: runtime ?? {},
        };
        return wrapToolCall(request as LangChainRequest & { readonly tool: LangChainTool }, (own) =>
          own.tool.invoke({ ...own.toolCall, type: 'tool_call' }, runtime),
        );
      },
    );
  });
}

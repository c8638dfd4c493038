/** `countersign/vercel-ai`: puts tools of the Vercel AI SDK behind the gate. */
import { NotApprovedError } from '../errors.ts';
import type { Guard } from '../guard.ts';
import { checkedEdit } from './checked-edit.ts';

interface ExecutionOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

interface Tool {
  readonly inputSchema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tools of a set differ in their inputs, which only `any` lets stand together
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
}

interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * `tools` and `toolApproval` for `generateText`, `streamText` and agents. Calls that people are asked about suspend the run; answer their requests
 * with `approved: true` and run it again, in any process: that answer only means "look again", and the permit decides. A forged one runs nothing.
 * A refusal is the tool's output, in the words for the model.
 *
 * @param guard of the conversation: the same `run` when it is taken up again
 * @param tools those with an `execute`; others run elsewhere, and are left as they are
 * @example
 * const { text } = await generateText({ model, messages, ...gatedTools(guard, { Refund, Lookup }) });
 */
export function gatedTools<Tools extends Readonly<Record<string, Tool>>>(guard: Guard, tools: Tools) {
  const gated = Object.entries(tools).map(([name, tool]) => [name, tool.execute ? gatedTool(guard, name, tool) : tool]);
  return {
    tools: Object.fromEntries(gated) as Tools,
    toolApproval: async ({ toolCall }: { readonly toolCall: ToolCall }) => {
      const { toolCallId: callId, toolName: tool, input } = toolCall;
      if (!Object.hasOwn(tools, tool) || !tools[tool]?.execute) return undefined;
      return (await guard.asks({ callId, tool, input: input as object })) ? ('user-approval' as const) : undefined;
    },
  };
}

function gatedTool(guard: Guard, name: string, tool: Tool): Tool {
  return {
    ...tool,
    execute: async (input: object, options: ExecutionOptions) => {
      const { toolCallId: callId, abortSignal: signal } = options;
      try {
        return await guard.answer(
          { callId, tool: name, input },
          async (effective, running) =>
            tool.execute?.(await checkedEdit(tool.inputSchema, effective, running), {
              ...options,
              abortSignal: running.signal,
            }),
          { signal },
        );
      } catch (error) {
        // The SDK would write the name of the error before its words.
        if (error instanceof NotApprovedError) return error.message;
        throw error;
      }
    },
  };
}

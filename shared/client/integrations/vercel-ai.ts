/** `countersign/vercel-ai`: puts tools of the Vercel AI SDK behind the gate. */
import { having, nothingMore } from '../../domain/settings.ts';
import { toolNames } from '../calls/declared-tool.ts';
import type { RunGuard, ToolOfRun } from '../guard.ts';
import { checkedEdit } from './common/checked-edit.ts';
import { countedRun } from './common/counted-run.ts';
import { asItIs, isFailedOutput, lastOf, modelOutput, refusedOutput, toldBeside } from './common/model-output.ts';
import { outputOrWords } from './common/output-schema.ts';
import { isAsked, refusedAs } from './common/refused-as.ts';
import { ownApproval, type VercelApproval, type VercelTool, type VercelToolCall } from './vercel-approval.ts';

export type { VercelApproval, VercelTool, VercelToolCall };

/**
 * `tools` and `toolApproval` for `generateText`, `streamText` and agents. Calls that people are asked about suspend the run; answer their requests
 * with `approved: true` and run it again, in any process: that answer only means "look again", and the permit decides. A forged one runs nothing.
 * A refusal is the tool's output, in the words for the model. Of a tool that gives outputs one after another, only the last one is shown.
 * @param guard of the conversation: the same `run` when it is taken up again
 * @param tools those with an `execute`; others run elsewhere, and are not put behind the gate
 * @example
 * import { generateText, tool } from 'ai';
 * const guard = CountersignClient.fromEnvironment().guard({ run: 'conversation-7' });
 * const Refund = tool({ inputSchema: z.object({ orderId: z.string() }), execute: async ({ orderId }) => `refunded ${orderId}` });
 * console.log((await generateText({ model: 'openai/gpt-5', prompt: 'Refund order o-1', ...gatedTools(guard, { Refund }) })).text);
 */
export function gatedTools<Tools extends Readonly<Record<string, VercelTool>>>(
  guard: RunGuard,
  tools: Tools,
  ...more: readonly never[]
) {
  having('asks', 'run')(guard, 'guard');
  nothingMore(more, 'state timeout and the other options in the guard');
  toolNames(tools, 'tools');
  // Each is a copy: an `execute` that is assigned later would run unasked.
  const copied = (name: string, tool: VercelTool) => (tool.execute ? gatedTool(guard, name, tool) : { ...tool });
  const gated = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, copied(name, tool)]));
  return {
    tools: gated as Tools,
    toolApproval: async (asked: VercelApproval) => {
      const { toolCallId: callId, toolName: tool, input } = asked.toolCall;
      const isGated = Object.hasOwn(gated, tool) && typeof gated[tool]?.execute === 'function';
      const isWaiting = await (isGated ? isAsked(guard, { callId, tool, input: input as object }) : ownApproval(asked));
      return isWaiting ? ('user-approval' as const) : undefined;
    },
  };
}

function gatedTool(guard: RunGuard, name: string, tool: VercelTool): VercelTool {
  const { outputSchema, toModelOutput } = tool;
  // Chats check the outputs that they stored: the words of the gate have to differ from an output.
  const shown = toModelOutput ?? (outputSchema === undefined ? undefined : asItIs);
  const toOwn = (given: { readonly output: unknown }) =>
    modelOutput(given.output, (output) => (shown as (own: typeof given) => unknown)({ ...given, output }));
  return {
    ...tool,
    ...(outputSchema === undefined ? {} : { outputSchema: outputOrWords(outputSchema) }),
    ...(typeof shown === 'function' ? { toModelOutput: toOwn } : {}),
    execute: async (input: object, options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal }) => {
      const { toolCallId: callId, abortSignal: signal } = options;
      const run: ToolOfRun<Promise<unknown>> = async (exact, { change, signal: abortSignal }) =>
        toldBeside(shown, await lastOf(tool.execute?.(exact, { ...options, abortSignal })), change);
      const readEdit = (edit: unknown) => checkedEdit(tool.inputSchema, edit);
      const refused = refusedAs((message) => refusedOutput(shown, message));
      const counted = { tool: run, isError: isFailedOutput, effect: 'unknown' } as const;
      return countedRun(guard, { callId, tool: name, input }, counted, { signal, readEdit }).catch(refused);
    },
  };
}

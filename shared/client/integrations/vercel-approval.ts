/** Asks a tool of the Vercel AI SDK that stands behind no gate whether it wants an approval. */
import { ownValue } from '../../domain/own.ts';
import { validated } from './common/output-schema.ts';

/** A tool of the SDK, with the fields that the gate reads. */
export interface VercelTool {
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tools of a set differ in their inputs, which only `any` lets stand together
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
  readonly toModelOutput?: unknown;
  readonly needsApproval?: unknown;
  readonly contextSchema?: unknown;
}

/** One call of a model as the SDK states it. */
export interface VercelToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** A call that the SDK asks about: with all tools of the turn, of which some may stand behind no gate. */
export interface VercelApproval {
  readonly toolCall: VercelToolCall;
  readonly tools?: Readonly<Record<string, VercelTool>> | undefined;
  readonly toolsContext?: object | undefined;
  readonly messages?: readonly unknown[] | undefined;
}

/** Whether a tool without the gate wants an approval of its own: the SDK asks no tool itself where there is a `toolApproval`. */
export async function ownApproval({
  toolCall,
  tools = {},
  toolsContext = {},
  messages,
}: VercelApproval): Promise<boolean> {
  const { toolCallId, toolName, input } = toolCall;
  const { needsApproval, contextSchema } = ownValue(tools, toolName) ?? {};
  if (typeof needsApproval !== 'function') return Boolean(needsApproval);
  const given = ownValue(toolsContext as Readonly<Record<string, unknown>>, toolName);
  const read = contextSchema === undefined ? { value: given } : await validated(contextSchema, given);
  return (
    read.issues !== undefined || Boolean(await needsApproval(input, { toolCallId, messages, context: read.value }))
  );
}

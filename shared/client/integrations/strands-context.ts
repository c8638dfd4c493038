/** Declares what the gate reads of a tool call of Strands, and gives its tool another signal. */
import { isSchema } from '../../domain/standard-schema.ts';
import { withMethod } from './common/with-signal.ts';

/** One call of a model as Strands states it. */
export interface StrandsToolUse {
  readonly toolUseId: string;
  readonly name: string;
  readonly input: unknown;
}

/** The fields of a tool that the gate reads. */
export interface StrandsTool {
  readonly toolSpec: { readonly inputSchema?: unknown };
  stream(context: never): unknown;
}

/** The fields of a tool call's context that the gate reads. */
export interface StrandsContext {
  readonly toolUse: StrandsToolUse;
  readonly cancelSignal: AbortSignal;
  /** Undefined for a name that no tool has. */
  readonly tool?: StrandsTool | undefined;
  interrupt(params: { readonly name: string; readonly reason: { readonly countersign: string } }): unknown;
}

/** Strands gives a tool the signal of its run. The tool of a call under a permit has to see the deadline as well. */
export const toolUntil = (tool: StrandsTool, cancelSignal: AbortSignal): StrandsTool =>
  withMethod(tool, 'stream', (context: object) => tool.stream({ ...context, cancelSignal } as never));

/** The zod schema that `tool` of Strands was given, which the tool keeps in a field of its own. */
interface KeptSchema {
  readonly _inputSchema?: { readonly def?: { readonly type?: unknown } } | undefined;
}

/**
 * The schema that a tool reads its arguments by. The JSON schema of its description is made for outputs: it requires what has a default. A tool
 * that was given no zod schema has no other; for one that takes no arguments it counts as well.
 */
export function schemaOf(tool: StrandsTool | undefined): unknown {
  const { _inputSchema: own } = Object(tool) as KeptSchema;
  return isSchema(own) && own.def?.type !== 'void' ? own : tool?.toolSpec.inputSchema;
}

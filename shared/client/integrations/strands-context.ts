/** Declares what the gate reads of a tool call of Strands, and gives its tool another signal. */
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

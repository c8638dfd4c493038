/** `countersign/mastra`: puts tools of Mastra agents behind the gate. */
import { having, nothingMore, record } from '../../domain/settings.ts';
import type { RunContext } from '../calls/calls.ts';
import { toolFunction, toolName } from '../calls/declared-tool.ts';
import type { RunGuard } from '../guard.ts';
import { checkedEdit } from './common/checked-edit.ts';
import { countedRun } from './common/counted-run.ts';
import { isFailedOutput, modelOutput, ownOutput, refusedOutput, toldBeside } from './common/model-output.ts';
import { refusedAs } from './common/refused-as.ts';

/** The fields of a tool's context that the gate reads. */
export interface MastraContext {
  readonly agent?: { readonly toolCallId?: string | undefined } | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A tool as `createTool` makes it. */
export interface MastraTool {
  readonly id: string;
  readonly inputSchema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each tool states the types of its own input and context
  execute?: ((input: any, context: any) => Promise<any>) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: each tool states the type of its own output
  readonly toModelOutput?: ((output: any) => unknown) | undefined;
}

/**
 * Puts a tool behind the gate, under its id. The tool waits while people are asked, and the calls of one turn are asked about together. Leave
 * `requireApproval` off: people would be asked about one call after another.
 *
 * @param guard of the conversation, whose id is the run
 * @returns a copy of the tool, which stays as it is; a refusal is the copy's output
 * @throws InvalidSettingError for a tool that nothing executes here
 * @example
 * import { createTool } from '@mastra/core/tools';
 * import * as z from 'zod';
 *
 * const guard = CountersignClient.fromEnvironment().guard({ run: 'conversation-7' });
 * const inputSchema = z.object({ orderId: z.string() });
 * const execute = async ({ orderId }: { orderId: string }) => `refunded ${orderId}`;
 * const refund = gatedMastraTool(guard, createTool({ id: 'Refund', description: 'Refunds an order', inputSchema, execute }));
 */
export function gatedMastraTool<Tool extends MastraTool>(guard: RunGuard, tool: Tool, ...more: readonly never[]): Tool {
  having('run')(guard, 'guard');
  nothingMore(more, 'state timeout and the other options in the guard');
  record(tool, 'tool');
  const { id, inputSchema, execute, toModelOutput } = tool;
  toolName(id, 'tool.id');
  toolFunction(execute, 'tool.execute');
  const gated = async (input: object, context: MastraContext = {}): Promise<unknown> => {
    const { agent, abortSignal: signal } = context;
    const call = { callId: agent?.toolCallId ?? '', tool: id, input };
    const run = async (exact: unknown, running: RunContext) => {
      // In place: Mastra knows by the object itself that it has checked the arguments.
      Object.assign(context, { abortSignal: running.signal });
      try {
        return toldBeside(toModelOutput, await execute?.call(tool, exact, context), running.change);
      } finally {
        Object.assign(context, { abortSignal: signal });
      }
    };
    const readEdit = (edit: unknown) => checkedEdit(inputSchema, edit);
    const counted = { tool: run, isError: isFailure, effect: 'unknown' } as const;
    return countedRun(guard, call, counted, { signal, readEdit }).catch(
      refusedAs((message) => refusedOutput(toModelOutput, message)),
    );
  };
  const shown = (output: unknown) => modelOutput(output, (own) => toModelOutput?.call(tool, own));
  // The tool itself stays as it is: other conversations put it behind guards of their own.
  const copy: Tool = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  return Object.assign(copy, { execute: gated }, toModelOutput ? { toModelOutput: shown } : {});
}

/** Mastra turns an input or an output that a schema refuses into such a result. */
function isFailure(output: unknown): boolean {
  const { error, validationErrors } = Object(ownOutput(output)) as { error?: unknown; validationErrors?: unknown };
  return isFailedOutput(output) || (error === true && validationErrors !== undefined);
}

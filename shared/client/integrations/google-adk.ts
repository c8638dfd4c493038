/** `countersign/google-adk`: puts tools of Google's Agent Development Kit behind the gate. */
import { having, nothingMore, record } from '../../domain/settings.ts';
import type { RunContext } from '../calls/calls.ts';
import { toolFunction, toolName } from '../calls/declared-tool.ts';
import type { RunGuard } from '../guard.ts';
import { checkedEdit, type ToolInput } from './common/checked-edit.ts';
import { refusedAs } from './common/refused-as.ts';
import { withField } from './common/with-signal.ts';

export type { ToolInput };

/** The fields of a tool's context that the gate reads. */
export interface AdkContext {
  readonly functionCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of a `FunctionTool`. `execute` gets the arguments that the permit is for. */
export interface AdkToolDefinition<Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters?: Parameters;
  readonly execute: (input: ToolInput<Parameters>, context?: never) => unknown;
}

/**
 * Options for a `FunctionTool` that waits while people are asked. ADK runs the calls of one turn one after another. Leave `requireConfirmation` off:
 * a run that ADK 2.0 suspends for it loses the results of the other calls of its turn, which have run.
 *
 * @param guard of the session, whose id is the run
 * @example
 * import { FunctionTool } from '@google/adk';
 * import * as z from 'zod';
 *
 * const guard = CountersignClient.fromEnvironment().guard({ run: 'session-7' });
 * const parameters = z.object({ orderId: z.string() });
 * const execute = async ({ orderId }: { orderId: string }) => `refunded ${orderId}`;
 * const refund = new FunctionTool(gatedAdkTool(guard, { name: 'Refund', description: 'Refunds an order', parameters, execute }));
 */
export function gatedAdkTool<Parameters, Definition extends AdkToolDefinition<Parameters>>(
  guard: RunGuard,
  definition: Definition & AdkToolDefinition<Parameters>,
  ...more: readonly never[]
) {
  having('answer')(guard, 'guard');
  nothingMore(more, 'state timeout and the other options in the guard');
  record(definition, 'definition');
  const { name: tool, parameters, execute } = definition;
  toolName(tool, 'definition.name');
  toolFunction(execute, 'definition.execute');
  return {
    ...definition,
    execute: async (input: unknown, context: AdkContext = {}): Promise<unknown> => {
      const { functionCallId: callId = '', abortSignal: signal } = context;
      const call = { callId, tool, input: (input ?? {}) as object };
      const run = (exact: unknown, running: RunContext) =>
        execute(exact as ToolInput<Parameters>, withField(context, 'abortSignal', running.signal) as never);
      const readEdit = (edit: unknown) => checkedEdit(parameters as Parameters, edit);
      return guard.answer(call, run, { signal, readEdit }).catch(refusedAs((error) => ({ error })));
    },
  };
}

/** `countersign/openai-agents`: puts tools of the OpenAI Agents SDK behind the gate. */
import { InvalidSettingError, isCountersignError } from '../../domain/errors.ts';
import type { SchemaOutput, StandardSchema } from '../../domain/standard-schema.ts';
import type { Guard } from '../guard.ts';
import { checkedEdit } from './checked-edit.ts';

interface Details {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

type InputOf<Parameters> = Parameters extends StandardSchema ? SchemaOutput<Parameters> : Record<string, unknown>;

/** A definition as `tool` takes it. `execute` gets the arguments that the permit is for. */
export interface ToolDefinition<Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly execute: (input: InputOf<Parameters>, context?: never, details?: Details) => unknown;
}

/** The answer to a tool that failed for a reason of its own, which the model need not know. */
const FAILED = 'An error occurred while running the tool. Please try again.';

/**
 * A definition for `tool`, whose calls people are asked about where the policy file says so. The run suspends then; approve every interruption
 * (`resume`) and run it again, in any process: the SDK's approval only means "look again", and the permit decides.
 *
 * @param guard of the run or conversation: the same `run` when its state is taken up again
 * @example
 * const refund = tool(gatedTool(guard, { name: 'Refund', description: 'Refunds an order', parameters, execute: ({ orderId }) => pay(orderId) }));
 * const result = await run(agent, 'Refund order o-1');
 * const done = await run(agent, resume(result.state));
 */
export function gatedTool<Parameters, Definition extends ToolDefinition<Parameters>>(
  guard: Guard,
  definition: Definition & ToolDefinition<Parameters>,
) {
  const { name, parameters, execute } = definition;
  const callOf = (callId: string | undefined, input: unknown) => {
    // Without the SDK's own id a resumed run would ask people anew.
    if (callId === undefined)
      throw new InvalidSettingError('callId', `the SDK names no call of ${name}: it was not run`);
    return { callId, tool: name, input: input as object };
  };
  return {
    ...definition,
    needsApproval: async (_context: unknown, input: unknown, callId?: string) => guard.asks(callOf(callId, input)),
    execute: async (input: unknown, context?: unknown, details?: Details) =>
      guard.answer(
        callOf(details?.toolCall?.callId, input),
        async (effective, running) => {
          const exact = (await checkedEdit(parameters, effective, running)) as InputOf<Parameters>;
          return execute(exact, context as never, { ...details, signal: running.signal });
        },
        details?.signal ? { signal: details.signal } : {},
      ),
    errorFunction: (_context: unknown, error: unknown) => (isCountersignError(error) ? error.message : FAILED),
  };
}

interface Resumable<Item> {
  getInterruptions(): readonly Item[];
  approve(item: Item): void;
}

/** Has the SDK look again at every call that it waits for. A call that people refused is not run all the same. */
export function resume<Item, State extends Resumable<Item>>(state: State & Resumable<Item>): State {
  for (const item of state.getInterruptions()) state.approve(item);
  return state;
}

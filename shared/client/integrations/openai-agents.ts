/** `countersign/openai-agents`: puts tools of the OpenAI Agents SDK behind the gate. */
import { isCountersignError } from '../../domain/errors.ts';
import { fn, having, record, text } from '../../domain/settings.ts';
import type { RunContext } from '../calls/calls.ts';
import type { RunGuard } from '../guard.ts';
import { checkedEdit, type ToolInput } from './checked-edit.ts';
import { toldOutput } from './openai-output.ts';
import { isAsked } from './refused-as.ts';

export type { ToolInput };

/** The SDK's details of one call. */
export interface OpenAIToolDetails {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

/** A definition as `tool` takes it. `execute` gets the arguments that the permit is for. */
export interface OpenAIToolDefinition<Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly execute: (input: ToolInput<Parameters>, context?: never, details?: OpenAIToolDetails) => unknown;
}

/** The answer to a tool that failed for a reason of its own, which the model need not know. */
const FAILED = 'An error occurred while running the tool. Please try again.';

/**
 * A definition for `tool`, whose calls people are asked about where the policy file says so. The run suspends then; approve every interruption
 * (`resume`) and run it again, in any process: the SDK's approval only means "look again", and the permit decides.
 *
 * @param guard of the run or conversation: the same `run` when its state is taken up again
 * @example
 * import { Agent, run, tool } from '@openai/agents';
 *
 * const guard = CountersignClient.fromEnvironment().guard({ run: 'conversation-7' });
 * const parameters = z.object({ orderId: z.string() });
 * const execute = async ({ orderId }: { orderId: string }) => `refunded ${orderId}`;
 * const refund = tool(gatedTool(guard, { name: 'Refund', description: 'Refunds an order', parameters, execute }));
 * const agent = new Agent({ name: 'billing', tools: [refund] });
 * const result = await run(agent, 'Refund order o-1');
 * console.log((await run(agent, resume(result.state))).finalOutput);
 */
export function gatedTool<Parameters, Definition extends OpenAIToolDefinition<Parameters>>(
  guard: RunGuard,
  definition: Definition & OpenAIToolDefinition<Parameters>,
) {
  having('asks', 'run')(guard, 'guard');
  record(definition, 'definition');
  const { name, parameters, execute } = definition;
  text(name, 'name');
  fn(execute, 'execute');
  // Without the SDK's own id the guard refuses: a resumed run would ask people anew.
  const callOf = (callId = '', input: unknown) => ({ callId, tool: name, input: input as object });
  return {
    ...definition,
    needsApproval: async (_context: unknown, input: unknown, callId?: string) => isAsked(guard, callOf(callId, input)),
    execute: async (input: unknown, context?: unknown, details?: OpenAIToolDetails) => {
      const run = async (exact: unknown, running: RunContext) => {
        const own = await checkedEdit(parameters, exact, running);
        return toldOutput(await execute(own, context as never, { ...details, signal: running.signal }), running.change);
      };
      return guard.run(callOf(details?.toolCall?.callId, input), run, { signal: details?.signal });
    },
    errorFunction: (_context: unknown, error: unknown) => (isCountersignError(error) ? error.message : FAILED),
  };
}

/** The state of a run that waits for approvals. */
export interface ResumableRun<Item> {
  getInterruptions(): readonly Item[];
  approve(item: Item): void;
}

/** Has the SDK look again at every call that it waits for. A call that people refused is not run all the same. */
export function resume<Item, State extends ResumableRun<Item>>(state: State & ResumableRun<Item>): State {
  for (const item of state.getInterruptions()) state.approve(item);
  return state;
}

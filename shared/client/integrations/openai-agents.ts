/** `countersign/openai-agents`: puts tools of the OpenAI Agents SDK behind the gate. */
import { having, nothingMore, record } from '../../domain/settings.ts';
import type { RunContext } from '../calls/calls.ts';
import { toolFunction, toolName } from '../calls/declared-tool.ts';
import type { RunGuard } from '../guard.ts';
import { checkedEdit, type ToolInput } from './common/checked-edit.ts';
import { isAsked } from './common/refused-as.ts';
import type { GatedDefinition, OpenAIToolDefinition, OpenAIToolDetails, WritableSchema } from './openai-definition.ts';
import { type ErrorFunction, failureWords } from './openai-failure.ts';
import { outputOrWords, toldOutput } from './openai-output.ts';
import { isRefused } from './openai-refused.ts';
import { asGated, type ResumableRun, resume } from './openai-resume.ts';

export type {
  ErrorFunction,
  GatedDefinition,
  OpenAIToolDefinition,
  OpenAIToolDetails,
  ResumableRun,
  ToolInput,
  WritableSchema,
};
export { resume };

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
export function gatedTool<const Parameters, const Definition extends OpenAIToolDefinition<Parameters>>(
  guard: RunGuard,
  definition: Definition & OpenAIToolDefinition<Parameters>,
  ...more: readonly never[]
): GatedDefinition<Parameters, Definition> {
  having('asks', 'run')(guard, 'guard');
  nothingMore(more, 'state timeout and the other options in the guard');
  record(definition, 'definition');
  const { name, parameters, execute, errorFunction, outputSchema } = definition;
  toolName(name, 'name');
  toolFunction(execute, 'execute');
  // Without the SDK's own id the guard refuses: a resumed run would ask people anew.
  const callOf = (callId = '', input: unknown) => ({ callId, tool: name, input: input as object });
  const gated = {
    ...definition,
    ...(outputSchema === undefined ? {} : { outputSchema: outputOrWords(outputSchema) }),
    needsApproval: asGated(
      async (_context: unknown, input: unknown, callId?: string) =>
        // The SDK words the failure of arguments that it could not read for the model.
        !(await isRefused(parameters, input)) && isAsked(guard, callOf(callId, input)),
    ),
    execute: async (input: unknown, context?: unknown, details?: OpenAIToolDetails) => {
      const run = async (exact: unknown, running: RunContext) => {
        const own = exact as ToolInput<Parameters>;
        return toldOutput(await execute(own, context as never, { ...details, signal: running.signal }), running.change);
      };
      const readEdit = (edit: unknown) => checkedEdit(parameters, edit);
      return guard.run(callOf(details?.toolCall?.callId, input), run, { signal: details?.signal, readEdit });
    },
    errorFunction: failureWords(errorFunction),
  };
  return gated as unknown as GatedDefinition<Parameters, Definition>;
}

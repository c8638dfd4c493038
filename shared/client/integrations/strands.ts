/** `countersign/strands`: puts every tool of a Strands agent behind the gate. */
import { having, nothingMore } from '../../domain/settings.ts';
import type { RunGuard } from '../guard.ts';
import { fittingEdit } from './common/checked-edit.ts';
import { interruptedCall } from './common/interrupted-call.ts';
import { during } from './common/live-events.ts';
import { partsOf } from './common/parts-of.ts';
import { type StrandsContext, schemaOf, toolUntil } from './strands-context.ts';

export type { StrandsContext, StrandsTool, StrandsToolUse } from './strands-context.ts';

/** The fields of a tool's result that the gate reads. */
export interface StrandsResult<Content> {
  readonly toolUseId: string;
  readonly status: 'success' | 'error';
  readonly content: Content[];
}

/** `TextBlock` and `ToolResultBlock` of `@strands-agents/sdk`. */
export interface StrandsParts<Content, Result> {
  readonly TextBlock: new (text: string) => NoInfer<Content>;
  readonly ToolResultBlock: new (result: StrandsResult<Content>) => Result;
}

/**
 * Middleware of the stage `ExecuteToolStage`. A call that people are asked about interrupts its run; answer every interrupt with anything, in any
 * process: that only means "look again", and the permit decides. An agent that is a tool waits instead, if the outer agent has the middleware, too.
 *
 * @example
 * import { Agent, ExecuteToolStage, TextBlock, ToolResultBlock } from '@strands-agents/sdk';
 *
 * const guard = CountersignClient.fromEnvironment().guard({ run: 'conversation-7' });
 * const agent = new Agent({ tools: [] });
 * agent.addMiddleware(ExecuteToolStage, strandsMiddleware(guard, { TextBlock, ToolResultBlock }));
 */
export function strandsMiddleware<Content, Result extends StrandsResult<Content>>(
  guard: RunGuard,
  parts: StrandsParts<Content, Result>,
  ...more: readonly never[]
) {
  having('asks', 'run')(guard, 'guard');
  nothingMore(more, 'state timeout and the other options in the guard');
  const { TextBlock, ToolResultBlock } = partsOf(parts, 'TextBlock', 'ToolResultBlock');

  return async function* gated<Context extends StrandsContext, Event>(
    context: Context,
    next: (context: Context) => AsyncGenerator<Event, { readonly result: Result }, undefined>,
  ): AsyncGenerator<Event, { readonly result: Result }, undefined> {
    const { toolUse, tool: own, cancelSignal: signal } = context;
    const { toolUseId, name: tool } = toolUse;
    const answer = (status: Result['status'], content: Content[]) =>
      new ToolResultBlock({ toolUseId, status, content });
    const result = yield* during<Event, Result>((tell) =>
      interruptedCall<Result>(guard, {
        call: { callId: toolUseId, tool, input: toolUse.input as object },
        signal,
        isMadeUp: 'tool' in context && own === undefined,
        schema: schemaOf(own),
        readEdit: (edit) => fittingEdit(schemaOf(own), edit),
        interrupt: (reason) => context.interrupt({ name: toolUseId, reason }),
        // Strands turns whatever a tool throws into a result with the status of an error.
        tool: async (input, running) => {
          const until = own && { tool: toolUntil(own, running.signal) };
          const steps = next({ ...context, ...until, toolUse: { ...toolUse, input } });
          let step = await steps.next();
          for (; !step.done; step = await steps.next()) tell(step.value);
          const { result: ran } = step.value;
          const { change } = running;
          return change === undefined ? ran : answer(ran.status, [...ran.content, new TextBlock(change)]);
        },
        isError: ({ status }) => status === 'error',
        refused: (message) => answer('error', [new TextBlock(message)]),
      }),
    );
    return { result };
  };
}

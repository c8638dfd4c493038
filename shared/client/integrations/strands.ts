/** `countersign/strands`: puts every tool of a Strands agent behind the gate. */

import { fn, having, record } from '../../domain/settings.ts';
import { executionError, type GuardrailError } from '../../guardrails/errors.ts';
import type { RunGuard } from '../guard.ts';
import { refusedAs } from './refused-as.ts';

/** One call of a model as Strands states it. */
export interface StrandsToolUse {
  readonly toolUseId: string;
  readonly name: string;
  readonly input: unknown;
}

/** The fields of a tool call's context that the gate reads. */
export interface StrandsContext {
  readonly toolUse: StrandsToolUse;
  readonly cancelSignal: AbortSignal;
  interrupt(params: { readonly name: string; readonly reason: { readonly countersign: string } }): unknown;
}

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
 * process: that only means "look again", and the permit decides.
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
) {
  having('asks', 'run')(guard, 'guard');
  record(parts, 'parts');
  const { TextBlock, ToolResultBlock } = parts;
  fn(TextBlock, 'TextBlock');
  fn(ToolResultBlock, 'ToolResultBlock');

  return async function* gated<Context extends StrandsContext, Event>(
    context: Context,
    next: (context: Context) => AsyncGenerator<Event, { readonly result: Result }, undefined>,
  ): AsyncGenerator<Event, { readonly result: Result }, undefined> {
    const { toolUse, cancelSignal: signal } = context;
    const { toolUseId, name: tool } = toolUse;
    const call = { callId: toolUseId, tool, input: toolUse.input as object };
    // The first pass ends here. After a resume the call comes again, and meets the same proposal.
    if (await guard.asks(call, { signal })) context.interrupt({ name: toolUseId, reason: { countersign: toolUseId } });
    const events: Event[] = [];
    let failed: { readonly error: GuardrailError; readonly result: Result } | undefined;
    const ran = guard.run(
      call,
      async (input, { change }) => {
        const running = next({ ...context, toolUse: { ...toolUse, input } });
        let step = await running.next();
        for (; !step.done; step = await running.next()) events.push(step.value);
        const { result } = step.value;
        const { status, content } = result;
        const told =
          change === undefined
            ? result
            : new ToolResultBlock({ toolUseId, status, content: [...content, new TextBlock(change)] });
        if (status !== 'error') return told;
        // Strands turns whatever a tool throws into such a result: the guardrails count it as the failure that it is.
        failed = { error: executionError('The tool failed.', { effect: 'unknown' }), result: told };
        throw failed.error;
      },
      { signal },
    );
    const refused = refusedAs(
      (message) => new ToolResultBlock({ toolUseId, status: 'error', content: [new TextBlock(message)] }),
    );
    const result = await ran.catch((error: unknown) =>
      failed && error === failed.error ? failed.result : refused(error),
    );
    yield* events;
    return { result };
  };
}

/**
 * Opens a tool that has to be looked at before it is called.
 *
 * The look is within the admission and its deadline, and before the call is begun.
 */
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import { timeoutError } from './limits/limit-errors.ts';
import type { GuardedTool, OpenTool } from './settings/call.ts';
import { executionError, type GuardrailError, knownError } from './settings/errors.ts';
import { cancelledError } from './time/retry.ts';
import { withDeadline } from './time/timeout.ts';

const nothing = async () => {};

/** The tool ready to run, or why it may not be: then it surely was not called. */
export async function openTool(
  tool: GuardedTool,
  ms: number,
  runtime: GuardrailRuntime,
  caller?: AbortSignal,
): Promise<OpenTool | { readonly refused: GuardrailError }> {
  if (!tool.open) return { execute: tool.execute, close: nothing };
  const { open } = tool;
  const startedAt = runtime.now();
  const opened = await withDeadline(({ signal }) => open(signal), ms, runtime, caller);
  switch (opened.type) {
    case 'done':
      return opened.value;
    case 'threw':
      return { refused: refusalOf(opened.thrown) };
    case 'timeout':
      return { refused: timeoutError(runtime.now() - startedAt, ms, 'not-started') };
    case 'cancelled':
      return { refused: cancelledError() };
    default:
      return opened satisfies never;
  }
}

const refusalOf = (thrown: unknown): GuardrailError =>
  knownError(thrown)?.with({ effect: 'not-started' }) ??
  executionError('The tool could not be looked at.', { effect: 'not-started', cause: thrown });

/** Has the guardrails count a failure that a framework hands on as a result. */
import { type EffectKnowledge, executionError } from '../../../guardrails/settings/errors.ts';
import type { GuardedCall, GuardRunOptions } from '../../calls/guarded-call.ts';
import type { RunGuard, ToolOfRun } from '../../guard.ts';

/** A tool whose failure is a result that says so. */
interface CountedTool<Result> {
  readonly tool: ToolOfRun<Promise<Result>>;
  readonly isError: (result: Result) => boolean;
  /** Knowledge about the effect of a tool that failed. */
  readonly effect: EffectKnowledge;
}

/** As `run` of the guard, which would take such a result for a success. The caller gets it all the same. */
export async function countedRun<Result>(
  guard: Pick<RunGuard, 'run'>,
  call: GuardedCall,
  { tool, isError, effect }: CountedTool<Result>,
  options: GuardRunOptions,
): Promise<Result> {
  const failed: { result?: Result; error?: unknown } = {};
  const run: ToolOfRun<Promise<Result>> = async (input, context) => {
    const result = await tool(input, context);
    if (!isError(result)) return result;
    throw Object.assign(failed, { result, error: executionError('The tool failed.', { effect }) }).error;
  };
  return guard.run<Promise<Result>>(call, run, options).catch((error: unknown) => {
    if (failed.error === error && failed.result !== undefined) return failed.result as Awaited<Result>;
    throw error;
  });
}

/** Answers a call of a framework that interrupts its run while people are asked. */
import type { GuardedCall, GuardRunOptions } from '../../calls/guarded-call.ts';
import { outerCall } from '../../calls/outer-call.ts';
import type { ToolOfRun, TurnGuard } from '../../guard.ts';
import { countedRun } from './counted-run.ts';
import { misfit, noSuchTool } from './misfit.ts';
import { isAsked, refusedAs } from './refused-as.ts';

/** One pass of a run that came to the call. */
export interface Pass<Result> {
  readonly call: GuardedCall;
  /** The calls that begin anew with this one when the run is resumed. */
  readonly beside?: readonly GuardedCall[];
  readonly signal: AbortSignal | undefined;
  /** The framework says that no tool has this name. */
  readonly isMadeUp: boolean;
  /** The framework takes up a run within a tool by beginning the tool anew. Default: it loses the interrupt of such a run. */
  readonly isTakenUpWithin?: boolean;
  /** Ends the pass; returns where the run was resumed at it. */
  readonly interrupt: (reason: { readonly countersign: string }) => unknown;
  readonly tool: ToolOfRun<Promise<Result>>;
  /** Whether the framework's own result says that the tool failed. */
  readonly isError: (result: Result) => boolean;
  readonly refused: (message: string) => Result;
  /** By which the tool reads its arguments; nobody is asked about those that it refuses. Other kinds of schema are left to the tool. */
  readonly schema: unknown;
  readonly readEdit?: GuardRunOptions['readEdit'];
}

/**
 * The first pass ends at the interrupt. After a resume the call comes again from its start, and meets the same proposal. None of the calls that
 * begin anew together runs before people are asked about all of them: it would run in each pass.
 */
export async function interruptedCall<Result>(
  guard: TurnGuard,
  {
    call,
    beside = [],
    isMadeUp,
    interrupt,
    tool,
    isError,
    refused,
    schema,
    readEdit,
    signal,
    isTakenUpWithin = false,
  }: Pass<Result>,
): Promise<Result> {
  // Calls that begin anew together propose each other, and know of their own tool alone. A schema that throws is left to its tool.
  const alone = async () => (isMadeUp ? noSuchTool(call.tool) : misfit(schema, call.input).catch(() => undefined));
  const problem = beside.length ? undefined : await alone();
  if (problem !== undefined) return refused(problem);
  if (isTakenUpWithin || !outerCall())
    for (const each of [call, ...beside])
      if (await isAsked(guard, each, { signal })) {
        interrupt({ countersign: each.callId });
        break;
      }
  return countedRun(guard, call, { tool, isError, effect: 'unknown' }, { signal, readEdit }).catch(refusedAs(refused));
}

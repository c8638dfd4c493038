/** Answers a call of a framework that interrupts its run while people are asked. */

import type { GuardedCall, GuardRunOptions } from '../calls/guarded-call.ts';
import type { ToolOfRun, TurnGuard } from '../guard.ts';
import { countedRun } from './counted-run.ts';
import { isAsked, refusedAs } from './refused-as.ts';

/** One pass of a run that came to the call. */
export interface Pass<Result> {
  readonly call: GuardedCall;
  readonly signal: AbortSignal | undefined;
  /** Ends the pass; returns where the run was resumed at it. */
  readonly interrupt: (reason: { readonly countersign: string }) => unknown;
  readonly tool: ToolOfRun<Promise<Result>>;
  /** Whether the framework's own result says that the tool failed. */
  readonly isError: (result: Result) => boolean;
  readonly refused: (message: string) => Result;
  readonly readEdit?: GuardRunOptions['readEdit'];
}

/** The first pass ends at the interrupt. After a resume the call comes again from its start, and meets the same proposal. */
export async function interruptedCall<Result>(
  guard: TurnGuard,
  { call, signal, interrupt, tool, isError, refused, readEdit }: Pass<Result>,
): Promise<Result> {
  if (await isAsked(guard, call, { signal })) interrupt({ countersign: call.callId });
  return countedRun(guard, call, { tool, isError, effect: 'unknown' }, { signal, readEdit }).catch(refusedAs(refused));
}

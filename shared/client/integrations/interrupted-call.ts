/** Answers a call of a framework that interrupts its run while people are asked. */

import type { GuardedCall } from '../calls/guarded-call.ts';
import type { ToolOfRun, TurnGuard } from '../guard.ts';
import { countedRun } from './counted-run.ts';
import { isAsked, refusedAs } from './refused-as.ts';

/** One pass of a run that came to the call. */
export interface Pass<Result> {
  readonly call: GuardedCall;
  readonly signal: AbortSignal | undefined;
  /** Ends the pass; returns where the run was resumed at it. */
  readonly interrupt: (reason: { readonly countersign: string }) => unknown;
  /** A result with `status: 'error'` is a failure. */
  readonly tool: ToolOfRun<Promise<Result>>;
  readonly refused: (message: string) => Result;
}

/** The first pass ends at the interrupt. After a resume the call comes again from its start, and meets the same proposal. */
export async function interruptedCall<Result>(
  guard: TurnGuard,
  { call, signal, interrupt, tool, refused }: Pass<Result>,
): Promise<Result> {
  if (await isAsked(guard, call, { signal })) interrupt({ countersign: call.callId });
  const isError = (result: Result) => Object(result).status === 'error';
  return countedRun(guard, call, { tool, isError, effect: 'unknown' }, { signal }).catch(refusedAs(refused));
}

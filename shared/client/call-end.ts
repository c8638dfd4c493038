/** Declares how a gated call is decided, and what its end is. */
import { InvalidSettingError } from '../domain/errors.ts';
import type { StandardSchema } from '../domain/standard-schema.ts';
import type { CallOptions } from './calls/call-options.ts';
import type { Approved, CallDecision, RunContext } from './calls/calls.ts';
import type { GuardRunOptions } from './calls/guarded-call.ts';
import type { Part } from './exchange/together.ts';

export type Tool = (input: unknown, context: RunContext) => unknown;

/** An approved call as it may run: `callId` is its id within the proposal. */
type Runnable = Approved & { readonly callId: string };
export type CallEnd = Runnable | Exclude<CallDecision, Approved>;

/** How a call is decided: of which batch it is a part, and the schema of its input. */
export interface Deciding {
  readonly schema?: StandardSchema | undefined;
  readonly part?: Part | undefined;
}

/** How an approved call is run: `before` tells where the call's folder led when it was proposed. */
export interface Ways extends Deciding, Pick<GuardRunOptions, 'readEdit'> {
  readonly before?: string | undefined;
}

/** Without guardrails nothing would hold the call to its limits. */
export function refuseWithoutGuardrails(
  { limits, fallback }: CallOptions<unknown>,
  where = 'without redeemFunction and outcomesQueueUrl: set both, or let the gate run the call by execute',
): void {
  const stated = limits ? 'limits' : fallback ? 'fallback' : undefined;
  if (stated) throw new InvalidSettingError(stated, `has no effect ${where}`);
}

export const refuseOnDecide = (call: CallOptions<unknown>): void =>
  refuseWithoutGuardrails(call, 'on decide, which runs nothing: state it where the call runs');

/** A decision as programs get it: which of a proposal's calls it was is the client's own to know. */
export function withoutCallId(decided: CallEnd): CallDecision {
  if (decided.outcome !== 'approved') return decided;
  const { callId: _, ...approved } = decided;
  return approved;
}

/** Turns the end of one call into a result for the model: the other calls of its run go on. */
import { isGuardrailError } from '../../../guardrails/settings/errors.ts';
import { isGivenUp, isNamed } from '../../calls/errors.ts';
import { outerCall } from '../../calls/outer-call.ts';
import type { RunGuard } from '../../guard.ts';

/** Whether the error ends this call alone, with a message for the model: a person, a rule or a limit refused it, or the gate cannot read it. */
const isEndOfCall = (error: unknown): error is Error =>
  isNamed(error, 'NotApprovedError', 'InvalidProposalError', 'PermitExpiredError', 'PlaceChangedError') ||
  (isNamed(error, 'SchemaError') && error.code === 'invalid_edit') ||
  isGivenUp(error) ||
  isGuardrailError(error);

/** For `catch`: the words for the model become a result; any other error goes on. */
export const refusedAs =
  <Result>(resultOf: (message: string) => Result) =>
  (error: unknown): Result => {
    if (isEndOfCall(error)) return resultOf(error.message);
    throw error;
  };

/**
 * Whether a run is to be suspended, for people are asked. Nobody can be asked about a call that the gate cannot read, and the call ends where it
 * would run. A run within a tool that cannot begin anew waits there.
 */
export const isAsked = async (
  guard: Pick<RunGuard, 'asks'>,
  ...asked: Parameters<RunGuard['asks']>
): Promise<boolean> => {
  if (outerCall()?.permit === 'redeemed') return false;
  return guard.asks(...asked).catch((error: unknown) => {
    if (isNamed(error, 'InvalidProposalError') || isGivenUp(error)) return false;
    throw error;
  });
};

/** Turns the end of one call into the result that a framework hands to its model, so that the others of its run go on. */
import { isGuardrailError } from '../../guardrails/errors.ts';
import { InvalidProposalError, NotApprovedError, PermitExpiredError, PlaceChangedError } from '../errors.ts';

/** The call did not run, or its run is over, and the words say so to a model: a person, a rule or a limit refused it, or the gate cannot read it. */
const isEndOfCall = (error: unknown): error is Error =>
  error instanceof NotApprovedError ||
  error instanceof InvalidProposalError ||
  error instanceof PermitExpiredError ||
  error instanceof PlaceChangedError ||
  isGuardrailError(error);

/** For `catch`: the words for the model become a result; any other error goes on. */
export const refusedAs =
  <Result>(resultOf: (message: string) => Result) =>
  (error: unknown): Result => {
    if (isEndOfCall(error)) return resultOf(error.message);
    throw error;
  };

/** For `catch` of `asks`: nobody can be asked about a call that the gate cannot read. It ends where it would run. */
export function unlessUnreadable(error: unknown): false {
  if (error instanceof InvalidProposalError) return false;
  throw error;
}

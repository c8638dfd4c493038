/** Turns the end of one call into a result for the model: the other calls of its run go on. */
import { SchemaError } from '../../domain/standard-schema.ts';
import { isGuardrailError } from '../../guardrails/settings/errors.ts';
import { InvalidProposalError, NotApprovedError, PermitExpiredError, PlaceChangedError } from '../calls/errors.ts';
import type { RunGuard } from '../guard.ts';

/** The call did not run, or its run is over, and the words say so to a model: a person, a rule or a limit refused it, or the gate cannot read it. */
const isEndOfCall = (error: unknown): error is Error =>
  error instanceof NotApprovedError ||
  error instanceof InvalidProposalError ||
  error instanceof PermitExpiredError ||
  error instanceof PlaceChangedError ||
  (error instanceof SchemaError && error.code === 'invalid_edit') ||
  isGuardrailError(error);

/** For `catch`: the words for the model become a result; any other error goes on. */
export const refusedAs =
  <Result>(resultOf: (message: string) => Result) =>
  (error: unknown): Result => {
    if (isEndOfCall(error)) return resultOf(error.message);
    throw error;
  };

/** Whether people are asked. Nobody can be asked about a call that the gate cannot read, and the call ends where it would run. */
export const isAsked = (guard: Pick<RunGuard, 'asks'>, ...asked: Parameters<RunGuard['asks']>): Promise<boolean> =>
  guard.asks(...asked).catch((error: unknown) => {
    if (error instanceof InvalidProposalError) return false;
    throw error;
  });

/** Turns errors into answers of the server: a status, a stable code and a message. */
import { UNREACHABLE } from '../../client/running/unreachable.ts';
import { CountersignError, isCountersignError } from '../../domain/errors.ts';
import { ownValue } from '../../domain/own.ts';
import type { Problem } from './messages.ts';

/** A request that the server refuses by itself. */
export class RequestError extends CountersignError {
  override readonly name = 'RequestError';
  readonly status: number;
  constructor(status: number, code: string, message: string) {
    super(code, message);
    this.status = status;
  }
}

/** Statuses of the client's errors, by their names: two copies of the package do not share classes. */
const STATUSES: Readonly<Record<string, number>> = {
  InvalidProposalError: 422,
  InvalidSettingError: 422,
  DigestMismatchError: 409,
  PermitExpiredError: 410,
  NoDecisionError: 503,
};

/** The error as AWS worded it, where the client wraps it: for the terminal of the server. */
export const reportedOf = (error: unknown): unknown =>
  isCountersignError(error) && error.code === UNREACHABLE ? (error.cause ?? error) : error;

/** Words of AWS stay in the terminal of the server: they name accounts and roles. The client's say whether a tool was run. */
export function answerTo(error: unknown): { readonly status: number; readonly problem: Problem } {
  if (!isCountersignError(error))
    return { status: 502, problem: { code: UNREACHABLE, message: 'the gate cannot be reached; try again' } };
  const { code } = error;
  if (code === UNREACHABLE) return { status: 502, problem: { code, message: `${error.message}; try again` } };
  const status = error instanceof RequestError ? error.status : (ownValue(STATUSES, error.name) ?? 500);
  return { status, problem: { code: error.code, message: error.message } };
}

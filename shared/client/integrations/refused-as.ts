/** Turns the refusal of a call into the result that a framework hands to its model. */
import { NotApprovedError } from '../errors.ts';

/** For `catch`: the words for the model become a result; any other error goes on. */
export const refusedAs =
  <Result>(resultOf: (message: string) => Result) =>
  (error: unknown): Result => {
    if (error instanceof NotApprovedError) return resultOf(error.message);
    throw error;
  };

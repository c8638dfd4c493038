/** Words the failure of a call for the model of an OpenAI agent. */
import { isCountersignError } from '../../domain/errors.ts';

/** Words the failures of the tool itself for the model. */
export type ErrorFunction = (context: never, error: unknown) => Promise<string> | string;

/** The answer to a tool that failed for a reason of its own, which the model need not know. */
const FAILED = 'An error occurred while running the tool. Please try again.';

/** The gate words its own errors, and `own` those of the tool. */
export const failureWords =
  (own: ErrorFunction = () => FAILED) =>
  (context: unknown, error: unknown): Promise<string> | string =>
    isCountersignError(error) ? error.message : own(context as never, error);

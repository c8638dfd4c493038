/** Words the failure of a call for the model of an OpenAI agent. */
import { isCountersignError } from '../../domain/errors.ts';

/** Words the failures of the tool itself for the model. */
export type ErrorFunction = (context: never, error: unknown, details?: never) => Promise<string> | string;

/** The answer to a tool that failed for a reason of its own, which the model need not know. */
const FAILED = 'An error occurred while running the tool. Please try again.';

/** The gate words its own errors, and `own` those of the tool. Null: those end the run, as the SDK has it. */
export const failureWords =
  (own: ErrorFunction | null = () => FAILED) =>
  (context: unknown, error: unknown, details?: unknown): Promise<string> | string => {
    if (isCountersignError(error)) return error.message;
    if (own === null) throw error;
    return own(context as never, error, details as never);
  };

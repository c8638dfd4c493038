/** Tells the agent why its approved call was not run, or has its fallback answer. */
import type { CallError } from '../../contract/execution.ts';
import { GuardrailError } from '../../guardrails/settings/errors.ts';

/** In the words of the guardrails: `error.category`, `error.code` and `error.details` say what to do next. */
export function errorOf({ category, code, message, details, isRetryable }: CallError): GuardrailError {
  return new GuardrailError(category, code, message, { details, isRetryable });
}

/** Makes a smaller answer where the budget refuses the call. */
export type Fallback<Output> = (error: GuardrailError) => Output | Promise<Output>;

/** The fallback's answer to a spent budget; a fallback that fails leaves the refusal as it was. @throws the refusal otherwise */
export async function degraded<Output>(
  refusal: GuardrailError,
  fallback: Fallback<Output> | undefined,
): Promise<Output> {
  if (refusal.code !== 'BudgetExceeded' || !fallback) throw refusal;
  try {
    return await fallback(refusal);
  } catch {
    throw refusal;
  }
}

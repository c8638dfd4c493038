/** Words refusals and failures of approved calls, for the agent and for the gate. */
import type { CallError, CallResult } from '../../contract/execution.ts';
import { asGuardrailError, authError, GuardrailError } from '../../guardrails/settings/errors.ts';
import { cancelledError } from '../../guardrails/time/retry.ts';
import { isNamed } from '../calls/errors.ts';

/** Refusals and failures of calls of this process: a tool that hands one on says nothing of its own work. */
const OF_CALLS = new WeakSet<object>();

/** Knowledge about a call by the status of its result. A run whose output is withheld took effect. */
const EFFECTS = { refused: 'not-started', failed: 'failed', unknown: 'unknown', succeeded: 'unknown' } as const;

/**
 * In the words of the guardrails: `error.category`, `error.code` and `error.details` say what to do next.
 *
 * @param open the call with the permit that is left to it, for a program that names its calls: under another id, people would be asked again
 */
export function errorOf(
  { category, code, message, details, isRetryable }: CallError,
  status: CallResult['status'],
  open: { readonly permit: CallResult['permit'] | undefined; readonly proposalId: string },
): GuardrailError {
  const isOpen = open.permit === 'usable' && category === 'PolicyError';
  // A program that stated no id has to be told the one that the client chose.
  const text = isOpen
    ? `${message} The approval holds until its permit expires: call again under the same id, ${open.proposalId}.`
    : message;
  const error = new GuardrailError(category, code, text, { details, isRetryable, effect: EFFECTS[status] });
  OF_CALLS.add(error);
  return error;
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

/**
 * The failure to report. A caller that gave up, and a call of the tool's own that was refused, teach the tool's breaker nothing (G31). The tool may have
 * done some of its work before that call.
 */
export function failureOf(thrown: unknown, signal: AbortSignal | undefined): GuardrailError {
  if (isNamed(thrown, 'NotApprovedError'))
    return authError('NotApproved', 'A call of the tool was not approved.').with({ effect: 'unknown' });
  const known = asGuardrailError(thrown);
  if (signal?.aborted && known.code === 'ToolFailed') return cancelledError(known);
  return OF_CALLS.has(known) ? known.with({ effect: 'unknown' }) : known;
}

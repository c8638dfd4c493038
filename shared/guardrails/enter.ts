/** Admits a call under a deadline; an admission that comes too late is given back. */
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import type { Admission, AdmissionObserver, AdmissionRequest, AdmissionTicket } from './limits/admission.ts';
import { timeoutError } from './limits/limit-errors.ts';
import { type GuardrailError, systemError } from './settings/errors.ts';
import type { Deadline } from './time/deadline.ts';
import { cancelledError } from './time/retry.ts';
import { type TimeLimit, withDeadline } from './time/timeout.ts';

type Entered =
  | { readonly admitted: true; readonly ticket: AdmissionTicket }
  | { readonly admitted: false; readonly error: GuardrailError };

/** Waits for a place at most `request.timeMs`, under `limit` where the call has one already. Never rejects. */
export async function enterWithin(
  admission: Admission,
  runtime: GuardrailRuntime,
  request: AdmissionRequest,
  caller?: AbortSignal,
  observer?: AdmissionObserver,
  limit?: TimeLimit,
): Promise<Entered> {
  const startedAt = runtime.now();
  const { timeMs, resolved } = request;
  const refuse = (error: GuardrailError): Entered => ({ admitted: false, error });
  const timeout = () => refuse(timeoutError(runtime.now() - startedAt, timeMs, 'not-started'));
  if (timeMs <= 0) return timeout();
  let entering: ReturnType<Admission['enter']> | undefined;
  const enter = (deadline: Deadline) => {
    entering = admission.enter(request, deadline, observer);
    return entering;
  };
  const entered = await (limit ? limit.run(enter, timeMs) : withDeadline(enter, timeMs, runtime, caller));
  if (entered.type === 'threw')
    return refuse(systemError('Internal', 'The call could not be admitted.', entered.thrown));
  const result = entered.type === 'done' ? entered.value : undefined;
  if (result && 'ticket' in result) {
    if (runtime.now() - startedAt < timeMs && !caller?.aborted) return result;
    await admission.cancel(resolved, result.ticket);
    return caller?.aborted ? refuse(cancelledError()) : timeout();
  }
  if (!result) void entering?.then((late) => ('ticket' in late ? admission.cancel(resolved, late.ticket) : undefined));
  if (entered.type === 'cancelled' || caller?.aborted) return refuse(cancelledError());
  return result && 'error' in result ? refuse(result.error) : timeout();
}

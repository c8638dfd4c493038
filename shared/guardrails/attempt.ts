/** Makes one attempt: admission, then the tool, under one deadline that also counts the waiting. */
import { andThen, isPromise, type MaybePromise, nothing, orElse } from '../domain/maybe-promise.ts';
import type { GuardrailRuntime } from '../ports/guardrail-runtime.ts';
import { enterWithin } from './enter.ts';
import type { Admission, AdmissionObserver, AdmissionTicket, CallEnd } from './limits/admission.ts';
import type { SeenCircuit } from './limits/circuit.ts';
import { timeoutError } from './limits/limit-errors.ts';
import type { CallLimits } from './limits/limits.ts';
import { openTool } from './open-tool.ts';
import type { Execute, GuardedTool, ToolInvocation } from './settings/call.ts';
import { asGuardrailError, executionError, GuardrailError, systemError } from './settings/errors.ts';
import type { ToolIdentity } from './settings/keys.ts';
import type { ResolvedGuardrails } from './settings/resolve.ts';
import { type AttemptResult, cancelledError } from './time/retry.ts';
import { soon, TimeLimit, withDeadline } from './time/timeout.ts';

interface AttemptPlan {
  readonly invocation: ToolInvocation;
  readonly tool: GuardedTool;
  readonly identity: ToolIdentity;
  readonly resolved: ResolvedGuardrails;
  readonly limits: CallLimits;
  readonly correlationId: string;
  readonly reservationBase: string;
  readonly observer: AdmissionObserver;
  readonly circuitSeen?: SeenCircuit | undefined;
  /** For all attempts of the call: the first that is admitted begins it, whichever that is. */
  readonly begin?: { isDone: boolean; readonly write: () => Promise<void> } | undefined;
}

/** One attempt on its way; `limit` holds for its wait and its work together. */
interface Running {
  readonly admission: Admission;
  readonly runtime: GuardrailRuntime;
  readonly plan: AttemptPlan;
  readonly number: number;
  readonly startedAt: number;
  readonly timeoutMs: number;
  readonly limit: TimeLimit;
}

export async function runAttempt(
  admission: Admission,
  runtime: GuardrailRuntime,
  plan: AttemptPlan,
  number: number,
): Promise<AttemptResult<unknown>> {
  const { invocation, resolved, limits, identity } = plan;
  const startedAt = runtime.now();
  const timeoutMs = attemptTimeout(resolved, startedAt);
  const limit = new TimeLimit(timeoutMs, runtime, invocation.signal);
  const request = {
    tool: identity,
    agentId: invocation.agentId,
    resolved,
    limits,
    timeMs: timeoutMs,
    reservationId: `${plan.reservationBase}/${number}`,
    circuitSeen: number === 1 ? plan.circuitSeen : undefined,
  };
  try {
    const entered = await enterWithin(admission, runtime, request, invocation.signal, plan.observer, limit);
    if (!entered.admitted) return { ok: false, error: entered.error };
    const running = { admission, runtime, plan, number, startedAt, timeoutMs, limit };
    const admittedAt = runtime.now();
    return await (plan.tool.open || plan.begin
      ? prepareAndExecute(running, entered.ticket, admittedAt)
      : execute(running, entered.ticket, plan.tool.execute, admittedAt, admittedAt));
  } finally {
    limit.stop();
  }
}

/** For a tool that is looked at, or a call that is written down, before it is made. */
async function prepareAndExecute(
  running: Running,
  ticket: AdmissionTicket,
  admittedAt: number,
): Promise<AttemptResult<unknown>> {
  const { admission, runtime, plan, startedAt, timeoutMs } = running;
  const { invocation, resolved } = plan;
  const left = () => timeoutMs - (runtime.now() - startedAt);
  const refuse = (error: GuardrailError): AttemptResult<unknown> => ({ ok: false, error });
  const opened = await openTool(plan.tool, Math.min(left(), ticket.timeMs), runtime, invocation.signal);
  if ('refused' in opened) {
    // The tool was not called, and yet a tool that cannot be reached has failed: the breaker learns.
    const end = { timeMs: runtime.now() - admittedAt, cost: 0, error: opened.refused };
    await completeInTime(running, ticket, end);
    return refuse(opened.refused);
  }
  try {
    const refusal = await beginning(plan, left(), runtime);
    if (refusal) {
      await admission.cancel(resolved, ticket);
      return refuse(refusal);
    }
    return await execute(running, ticket, opened.execute, admittedAt, runtime.now());
  } finally {
    await opened.close();
  }
}

/** Why the call may not begin after all. */
async function beginning(
  { invocation, begin }: AttemptPlan,
  leftMs: number,
  runtime: GuardrailRuntime,
): Promise<GuardrailError | undefined> {
  if (!begin || begin.isDone) return undefined;
  const begun = await withDeadline(() => begin.write(), leftMs, runtime, invocation.signal);
  if (begun.type === 'done') {
    begin.isDone = true;
    return undefined;
  }
  if (begun.type === 'threw' && begun.thrown instanceof GuardrailError) return begun.thrown;
  return systemError(
    'StateUnavailable',
    'The call could not be begun.',
    begun.type === 'threw' ? begun.thrown : undefined,
  );
}

/** The policy's timeout, or what is left of the caller's deadline. */
function attemptTimeout({ settings, deadlineAt }: ResolvedGuardrails, now: number): number {
  return deadlineAt === undefined ? settings.timeoutMs : Math.max(0, Math.min(settings.timeoutMs, deadlineAt - now));
}

async function execute(
  running: Running,
  ticket: AdmissionTicket,
  run: Execute,
  admittedAt: number,
  startedAt: number,
): Promise<AttemptResult<unknown>> {
  const { runtime, plan, number, limit } = running;
  const { invocation, tool, correlationId } = plan;
  const waitedMs = startedAt - running.startedAt;
  const leftMs = Math.min(running.timeoutMs - waitedMs, ticket.timeMs - (startedAt - admittedAt));
  // Blanks alone are no key; any other goes as the caller wrote it, for the tool compares it.
  const key = invocation.idempotencyKey;
  let cost: number | undefined;
  const ran = await limit.run(
    (deadline) =>
      run({
        number,
        input: invocation.input,
        ...(key?.trim() ? { idempotencyKey: key } : {}),
        headers: invocation.headers ?? {},
        correlationId,
        deadlineAt: startedAt + leftMs,
        get signal() {
          return deadline.signal;
        },
        reportCost: (reported) => {
          cost ??= reported;
        },
      }),
    leftMs,
  );
  const timeMs = runtime.now() - startedAt;
  const problem = ran.type === 'done' ? outputProblem(tool, ran.value) : undefined;
  const stated = failureOf(ran, problem, { elapsedMs: waitedMs + timeMs, deadlineMs: waitedMs + leftMs });
  // A tool that says it did not begin costs nothing, unless it says what it cost.
  const charged = cost ?? (stated?.effect === 'not-started' ? 0 : undefined);
  const error = stated && begun(stated);
  const completing = completeInTime(running, ticket, { timeMs, cost: charged, error });
  if (isPromise(completing)) await completing;
  if (error) return { ok: false, error };
  return { ok: true, value: ran.type === 'done' ? ran.value : undefined };
}

/** A store that hangs keeps nobody from a result that is there: what it does not take in time ends with its lease and its window. */
const COMPLETE_TIMEOUT_MS = 5000;

function completeInTime(
  { admission, runtime, plan: { resolved, observer } }: Running,
  ticket: AdmissionTicket,
  end: CallEnd,
): MaybePromise<void> {
  const learn = () =>
    andThen(admission.complete(resolved, ticket, end, observer), () => closeProvider(admission, ticket, end.error));
  return andThen(soon(learn, COMPLETE_TIMEOUT_MS, runtime), (completed) => {
    if (completed.type === 'threw') throw completed.thrown;
  });
}

/** The tool was called: that spends a permit, whatever the tool says. Only a clear refusal of its is a failure. */
function begun(error: GuardrailError): GuardrailError {
  if (error.effect !== 'not-started') return error;
  const refused = error.category === 'ContractError' || error.category === 'AuthError' || error.code === 'RateLimited';
  return error.with({ effect: refused ? 'failed' : 'unknown' });
}

/** `unknown` where the effect may have happened although there is no answer. */
function failureOf(
  ran: Awaited<ReturnType<typeof withDeadline<unknown>>>,
  problem: string | undefined,
  { elapsedMs, deadlineMs }: { elapsedMs: number; deadlineMs: number },
): GuardrailError | undefined {
  switch (ran.type) {
    case 'done':
      return problem === undefined ? undefined : executionError(problem, { code: 'InvalidOutput', effect: 'unknown' });
    case 'threw':
      return asGuardrailError(ran.thrown);
    case 'timeout':
      return timeoutError(elapsedMs, deadlineMs, 'unknown');
    case 'cancelled':
      return cancelledError(new GuardrailError('ExecutionError', 'Cancelled', 'cancelled', { effect: 'unknown' }));
    default:
      return ran satisfies never;
  }
}

/** A validator that throws has not accepted the output: the output counts as wrong. */
function outputProblem(tool: GuardedTool, output: unknown): string | undefined {
  try {
    const problem = tool.validateOutput?.(output);
    return problem === undefined ? undefined : `The output of the tool is not what it declared: ${problem}`;
  } catch {
    return 'The output of the tool could not be checked.';
  }
}

function closeProvider(admission: Admission, ticket: AdmissionTicket, error?: GuardrailError): MaybePromise<void> {
  const hint = error?.code === 'RateLimited' ? error.details.retryAfterMs : undefined;
  const bucket = ticket.buckets.find(({ scope }) => scope === 'provider');
  if (typeof hint !== 'number' || !Number.isFinite(hint) || hint <= 0 || !bucket) return undefined;
  return orElse(() => admission.rates.close(bucket.key, hint), nothing);
}

/** Tells a tool server whether an approved call may run now: permit, deny rules, guardrails. */
import { originOf } from '../../config/readers/tool-origin.ts';
import { type RedeemAnswer, type RedeemRequest, redeemRequest } from '../../contract/execution.ts';
import { LIMITS } from '../../contract/primitives.ts';
import { pidOf } from '../../domain/digest.ts';
import { jsonWords, problemIn } from '../../domain/issue-messages.ts';
import { readIJsonValue } from '../../domain/raw-json.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import { enterWithin } from '../../guardrails/enter.ts';
import type { AdmissionTicket } from '../../guardrails/limits/admission.ts';
import { authError, contractError, type GuardrailError } from '../../guardrails/settings/errors.ts';
import { allowedRetries } from '../../guardrails/time/retry.ts';
import type { HeldPermit } from '../../ports/stores/permit-store.ts';
import { recordOf } from '../audit/audit-entry.ts';
import { shownSubject } from '../audit/shown-subject.ts';
import { UNREGISTERED } from '../identity.ts';
import {
  type ConsumedPermit,
  consumePermit,
  expiredMeanwhile,
  lostMeanwhile,
  type PermitDependencies,
  releasePermit,
} from './consume-permit.ts';

/** A proposal's own bytes, and the links that the caller states. */
const MAX_BYTES = 4 * LIMITS.messageBytes;

type Refused = Extract<RedeemAnswer, { granted: false }>;
type Granted = Extract<RedeemAnswer, { granted: true }>;

/**
 * Grants one run, or refuses it with the reason. A granted run has to be over by `deadlineAt`, and its outcome reported by `reportBy`: see
 * `recordOutcome`. Throws if a store is down, and then nothing may run.
 */
export async function redeem(given: unknown, deps: PermitDependencies): Promise<RedeemAnswer> {
  // The schema alone would drop `__proto__`, and a tool that merges what it was asked to run would not.
  const json = readIJsonValue(given, MAX_BYTES);
  if (!json.ok) return invalid(json.fault.message);
  const parsed = redeemRequest.safeParse(json.value, { error: jsonWords });
  if (!parsed.success) return invalid(cutMarked(problemIn(parsed.error.issues), 1000));
  const request = parsed.data;
  const { toolName, input, cwd, starts } = request;
  const taken = await consumePermit({ ...request, action: { toolName, input, cwd, starts } }, deps);
  if (!taken.ok) return refuse({ granted: false, permit: taken.permit, error: taken.error }, request, deps);
  const { held, resolved, idempotencyKey } = taken;
  const storedInput = input === undefined ? taken.action.input : undefined;
  const { admission } = deps.guardrails;
  const { redemptionId: correlationId } = held;
  const startedAt = deps.runtime.now();
  const waited = () => deps.runtime.now() - startedAt;
  const origin = originOf(toolName);
  const events = deps.guardrails.eventsOf({
    toolName,
    origin,
    agentId: request.agent,
    correlationId,
    causationId: held.pid,
  });
  const { timeoutMs } = resolved.settings;
  const admissionRequest = {
    tool: { toolName, origin },
    agentId: request.agent,
    resolved,
    timeMs: timeoutMs,
    reservationId: held.redemptionId,
  };
  const entered = resolved.listed
    ? await enterWithin(admission, deps.runtime, admissionRequest, undefined, events)
    : { admitted: false as const, error: notListed(toolName) };
  events.applied(resolved);
  if (!entered.admitted) {
    // As where the gate runs the call: a permit that is still usable does not make a call retryable whose effect may not be repeated.
    const mayRetry = allowedRetries(resolved.effect, idempotencyKey, resolved.settings.maxRetries) > 0;
    const error = entered.error.with({ isRetryable: entered.error.isRetryable && mayRetry });
    events.refused(error, waited());
    await releasePermit(held, deps);
    return refuse({ granted: false, permit: 'usable', error: error.toToolError(origin) }, request, deps);
  }
  if (deps.clock.now() >= taken.expiresAt) {
    const expired = expiredMeanwhile();
    events.refused(expired, waited());
    await admission.cancel(resolved, entered.ticket);
    await releasePermit(held, deps);
    return refuse({ granted: false, permit: 'none', error: expired.toToolError(origin) }, request, deps);
  }
  // The wait for admission counts.
  const timeLeftMs = Math.max(1, Math.min(entered.ticket.timeMs, timeoutMs - waited()));
  const began = await begin(taken, { ...entered.ticket, timeMs: timeLeftMs }, deps).catch(async (fault: unknown) => {
    // Whether it was written or not, nobody was told that the call may run: everything goes back.
    await admission.cancel(resolved, entered.ticket);
    for (const stage of ['taken', 'begun'] as const)
      if (await releasePermit(held, deps, stage).catch(() => false)) break;
    throw fault;
  });
  if (began) {
    admission.handOver(entered.ticket);
    return storedInput ? { ...began, input: storedInput } : began;
  }
  await admission.cancel(resolved, entered.ticket);
  const lost = lostMeanwhile();
  events.refused(lost, waited());
  return refuse({ granted: false, permit: 'usable', error: lost.toToolError(origin) }, request, deps);
}

const invalid = (message: string): Refused => {
  const error = contractError('InvalidRequest', message).toToolError();
  return { granted: false, permit: 'none', error };
};

/** From here on the permit is spent: the caller may have begun, whatever becomes of this answer. */
async function begin(
  { held, idempotencyKey }: Pick<Extract<ConsumedPermit, { ok: true }>, 'held' | 'idempotencyKey'>,
  ticket: AdmissionTicket,
  deps: PermitDependencies,
): Promise<Granted | undefined> {
  const deadlineAt = deps.clock.now() + ticket.timeMs;
  const reportBy = deadlineAt + deps.policy.settings.guardrails.unreported.after;
  const begun: HeldPermit = { ...held, stage: 'begun', reportBy, ticket };
  if (!(await deps.permits.move(begun, 'taken', reportBy))) return undefined;
  return {
    granted: true,
    redemptionId: held.redemptionId,
    idempotencyKey,
    effect: held.effect,
    timeoutMs: ticket.timeMs,
    deadlineAt: new Date(deadlineAt).toISOString(),
    reportBy: new Date(reportBy).toISOString(),
  };
}

const notListed = (toolName: string): GuardrailError =>
  authError('ToolNotListed', `${toolName} is not listed in the policy file.`);

async function refuse(answer: Refused, request: RedeemRequest, deps: PermitDependencies): Promise<Refused> {
  const { agent: named, proposalId, callId } = request;
  const pid = pidOf(deps.deployment, named, proposalId);
  // The caller states the agent: a name of the gate's own would put the entry among what operators did.
  const agent = Object.hasOwn(deps.policy.settings.agents, named) ? named : UNREGISTERED;
  const subject = await shownSubject({ agent, pid, proposalId }, deps.redactor);
  await deps.audit.put(
    recordOf(deps, subject, `refused#redeem#${deps.runtime.newId()}`, {
      type: 'refused',
      reasonCode: answer.error.code,
      detail: `redeem of ${await deps.redactor.text(callId)}`,
    }),
  );
  return answer;
}

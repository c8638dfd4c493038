/**
 * Runs an approved call in the gate: once, under its permit, with the guardrails around it.
 *
 * The agent asks by a message that names the permit, and reads the result under the id of its request. A message that
 * comes again finds the result, or the permit in use.
 */
import { type CallError, type CallResult, type ExecutionRequest, executionRequest } from '../../contract/execution.ts';
import { pidOf } from '../../domain/digest.ts';
import { jsonWords, problemIn } from '../../domain/issue-messages.ts';
import { readIJson } from '../../domain/raw-json.ts';
import type { GuardedResult } from '../../guardrails/settings/call.ts';
import type { HeldPermit } from '../../ports/stores/permit-store.ts';
import { recordOf } from '../audit/audit-entry.ts';
import { holdsSecret } from '../audit/shown-subject.ts';
import { resolveSender, UNREGISTERED } from '../identity.ts';
import { completeCall } from './complete-call.ts';
import {
  type ConsumedPermit,
  consumePermit,
  expiredMeanwhile,
  isPermitInTime,
  lostMeanwhile,
  type PermitRequest,
  releasePermit,
} from './consume-permit.ts';
import type { ExecutionDependencies, ExecutionMessage } from './dependencies.ts';
import { endedOf, isOfRun, namesOf, resultOf, shownError } from './result.ts';
import { namedIn, refuseUnread } from './unread-request.ts';

/** Past the deadline the outcome is written; the reconciler does it if that was not done by then. */
const WRITE_GRACE_MS = 30_000;
/** Less than the time that the function keeps back after the deadline. */
const RETRY_GRACE_MS = 5_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

/** Throws if a store is down: the message comes again, and nothing was run. */
export async function execute(message: ExecutionMessage, deps: ExecutionDependencies): Promise<void> {
  const agent = await resolveSender(message.principal, deps.agents, deps);
  if (agent === undefined || !deps.policy.settings.agents[agent])
    return refuseUnread(message, UNREGISTERED, 'unregistered_sender', 'the sender is registered as no agent', deps);
  const read = readRequest(message.raw);
  if (!read.ok) return refuseUnread(message, agent, 'invalid_request', read.why, deps, namedIn(message.raw));
  const { requestId, proposalId, callId } = read.request;
  // Not told under its ids: the row of the answer would hold the secret.
  for (const [field, id] of Object.entries({ requestId, proposalId, callId }))
    if (await holdsSecret(id, deps.redactor))
      return refuseUnread(message, agent, 'secret_in_name', `${field}: holds what looks like a secret`, deps);
  await run(read.request, agent, message.deadlineAt, deps);
}

/** Whether a run of this request would find a permit whose time is not over. Changes nothing. */
export async function isInTime(
  { raw }: Pick<ExecutionMessage, 'raw'>,
  agent: string,
  deps: ExecutionDependencies,
): Promise<boolean> {
  const read = readRequest(raw);
  return read.ok && (await isPermitInTime({ ...read.request, agent }, deps));
}

type ReadRequest =
  | { readonly ok: true; readonly request: ExecutionRequest }
  | { readonly ok: false; readonly why: string };

function readRequest(raw: string): ReadRequest {
  const json = readIJson(raw);
  if (!json.ok) return { ok: false, why: json.fault.message };
  const parsed = executionRequest.safeParse(json.value, { error: jsonWords });
  return parsed.success ? { ok: true, request: parsed.data } : { ok: false, why: problemIn(parsed.error.issues) };
}

async function run(
  request: ExecutionRequest,
  agent: string,
  deadlineAt: number,
  deps: ExecutionDependencies,
): Promise<void> {
  const { proposalId, callId, requestId, toolName, input, cwd, starts } = request;
  const pid = pidOf(deps.deployment, agent, proposalId);
  const earlier = await deps.results.read(agent, pid, requestId);
  if (earlier?.callId === callId) return;
  // There is no place left to answer in: the result of another call stands under this id.
  if (earlier) return recordRefusal(agent, pid, request, 'request_id_conflict', deps, `${requestId}#${callId}`);
  const asked: PermitRequest = { ...request, agent, action: { toolName, input, cwd, starts } };
  const taken = await consumePermit(asked, deps);
  if (!taken.ok) {
    // Delivered twice: the other delivery holds the permit and answers, or the reconciler does in its place.
    const other = await deps.permits.read(pid, callId);
    if (taken.permit === 'spent' && other?.requestId === requestId) return;
    return refuse(asked, pid, taken, deps);
  }
  const { result, begun, startedAt } = await invoke(taken, request, deadlineAt, deps);
  if (!begun) {
    // The tool was not called: only this process could have, and it knows.
    if (!(await releasePermit(taken.held, deps))) await releasePermit(taken.held, deps, 'begun');
    const error = result.error ?? lostMeanwhile().toToolError();
    const permit = error.code === 'permit_expired' ? 'none' : 'usable';
    return refuse(asked, pid, { permit, error, attempts: result.attempts }, deps);
  }
  const ended = endedOf(result, startedAt);
  const told = await resultOf(request, result, ended, deps);
  const isTold = await putResult(agent, pid, told, deadlineAt + RETRY_GRACE_MS, deps);
  // Too late: the reconciler has told the agent that nobody knows, and ends the call so.
  if (!isTold && isOfRun(await deps.results.read(agent, pid, requestId), callId)) return;
  await completeCall(begun, ended, deps);
}

/**
 * Only this process knows how the call ended, and it knows only now: a message that comes again finds the permit spent. So a store that is away is
 * asked again for as long as there is time. A result that is put twice is put once.
 */
async function putResult(
  agent: string,
  pid: string,
  result: CallResult,
  until: number,
  { results, runtime, clock }: ExecutionDependencies,
): Promise<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    try {
      return await results.put(agent, pid, result);
    } catch (fault) {
      if (clock.now() + pauseMs >= until) throw fault;
      await runtime.sleep(pauseMs);
    }
  }
}

async function invoke(
  { held, action, limits, expiresAt, idempotencyKey }: Extract<ConsumedPermit, { ok: true }>,
  { idempotencyKey: stated, requestId }: ExecutionRequest,
  deadlineAt: number,
  deps: ExecutionDependencies,
): Promise<{ readonly result: GuardedResult; readonly begun: HeldPermit | undefined; readonly startedAt: number }> {
  let begun: HeldPermit | undefined;
  let startedAt = deps.clock.now();
  const reportBy = deadlineAt + WRITE_GRACE_MS;
  const result = await deps.guardrails.invoke({
    toolName: held.toolName,
    input: action.input,
    agentId: held.agent,
    correlationId: requestId,
    causationId: held.pid,
    idempotencyKey: stated ?? idempotencyKey,
    // The caller's own deadline, where that is earlier.
    limits: { ...limits, deadlineAt: Math.min(deadlineAt, limits.deadlineAt ?? deadlineAt) },
    permitId: held.redemptionId,
    async begin() {
      const next: HeldPermit = { ...held, stage: 'begun', reportBy };
      startedAt = deps.clock.now();
      if (startedAt >= expiresAt) throw expiredMeanwhile();
      if (!(await deps.permits.move(next, 'taken', reportBy))) throw lostMeanwhile();
      begun = next;
    },
  });
  return { result, begun, startedAt };
}

interface Refusal {
  readonly permit: CallResult['permit'];
  readonly error: CallError;
  readonly attempts?: number;
}

/** Not started: the agent is told, and the record. */
async function refuse(
  asked: PermitRequest,
  pid: string,
  { permit, error, attempts = 0 }: Refusal,
  deps: ExecutionDependencies,
): Promise<void> {
  const { agent, proposalId, callId, requestId = '' } = asked;
  await recordRefusal(agent, pid, asked, error.code, deps, requestId);
  await deps.results.put(agent, pid, {
    ...namesOf({ proposalId, callId, requestId }),
    status: 'refused',
    permit,
    error: await shownError(error, deps.redactor),
    attempts,
    durationMs: 0,
    endedAt: new Date(deps.clock.now()).toISOString(),
  });
}

/** `id`: of the entry, for one that is recorded once. */
async function recordRefusal(
  agent: string,
  pid: string,
  { proposalId, callId }: Pick<PermitRequest, 'proposalId' | 'callId'>,
  reasonCode: string,
  deps: ExecutionDependencies,
  id: string,
): Promise<void> {
  await deps.audit.put(
    recordOf(deps, { agent, pid, proposalId }, `refused#execute#${id}`, {
      type: 'refused',
      reasonCode,
      detail: `execution of ${callId}`,
    }),
  );
}

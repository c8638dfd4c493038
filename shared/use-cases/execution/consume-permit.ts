/**
 * Consumes the permit of an approved call.
 *
 * The decision is looked up, one conditional write takes the permit, then deny rules and the emergency brake are
 * checked again. Only the holder of the permit may begin.
 */
import { timingSafeEqual } from 'node:crypto';
import { definitionOf, resolveCall } from '../../config/readers/guardrails-of.ts';
import { DEFAULT_SESSION } from '../../contract/bounds.ts';
import type { CallDecision, CallError, Decision, Mode, Permit, SessionRow } from '../../contract/index.ts';
import { actionDigest, auditDigest, type DigestedAction, idempotencyKeyOf, pidOf } from '../../domain/digest.ts';
import { newSession } from '../../domain/session.ts';
import type { GuardedCalls } from '../../guardrails/guarded-calls.ts';
import { authError, GuardrailError } from '../../guardrails/settings/errors.ts';
import type { ResolvedGuardrails } from '../../guardrails/settings/resolve.ts';
import type { InvocationLimits } from '../../guardrails/settings/settings.ts';
import type { FileSystemView } from '../../permissions/model/types.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { ApprovalStore } from '../../ports/stores/approval-store.ts';
import type { AuditLog, AuditRecord } from '../../ports/stores/audit-log.ts';
import { sessionKey } from '../../ports/stores/claim-store.ts';
import type { ControlStore } from '../../ports/stores/control.ts';
import type { HeldPermit, PermitStore } from '../../ports/stores/permit-store.ts';
import type { SessionStore } from '../../ports/stores/session-store.ts';
import type { Unsealer } from '../../ports/vault.ts';
import { namesForgotten } from '../audit/entry-aliases.ts';
import type { Decides } from '../dependencies.ts';
import { openSealed } from '../redaction/open-sealed.ts';
import { decidingRecord } from './agreement.ts';
import { type Approved, type Objection, type RowReader, revalidate } from './revalidate.ts';
import { withdrawn } from './withdrawn.ts';

export interface PermitDependencies extends Decides {
  readonly audit: AuditLog;
  readonly control: ControlStore;
  readonly permits: PermitStore;
  /** One for the whole process: it holds the queues within it. */
  readonly guardrails: GuardedCalls;
  readonly runtime: GuardrailRuntime;
  readonly approvals: ApprovalStore;
  /** Only where approved calls are run. */
  readonly unsealer?: Unsealer | undefined;
}

/** The call that runs. */
interface Action extends DigestedAction {
  readonly input: Record<string, unknown>;
}

export interface PermitRequest {
  readonly agent: string;
  readonly proposalId: string;
  readonly callId: string;
  readonly permitId: string;
  /** Without its input: the one that people approved, which is opened if it was sealed. */
  readonly action: Omit<Action, 'input'> & { readonly input?: Action['input'] | undefined };
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /** The caller's file system as it is now. */
  readonly fs?: FileSystemView | undefined;
  /** Present where the gate runs the call itself. */
  readonly requestId?: string | undefined;
  /** Present where an agent may not report the run. */
  readonly reporter?: HeldPermit['reporter'];
}

export type ConsumedPermit =
  | {
      readonly ok: true;
      readonly held: HeldPermit;
      /** Exactly what was approved. */
      readonly action: Action;
      readonly resolved: ResolvedGuardrails;
      readonly limits: InvocationLimits;
      /** Milliseconds since 1970: not begun by then, it may not begin. */
      readonly expiresAt: number;
      /** The key of the proposal, or the call's own. */
      readonly idempotencyKey: string;
    }
  | { readonly ok: false; readonly permit: 'usable' | 'spent' | 'none'; readonly error: CallError };

/** A permit that was taken and not begun until then is free again: time to be admitted, and some more. */
const BEGIN_GRACE_MS = 30_000;

/** Never throws for what the caller did wrong; a store that is down throws. */
export async function consumePermit(asked: PermitRequest, deps: PermitDependencies): Promise<ConsumedPermit> {
  const pid = pidOf(deps.deployment, asked.agent, asked.proposalId);
  const approved = await approvedCallOf(asked, pid, deps);
  if ('refusal' in approved) return refuse(approved.refusal, approved.refusal === 'input_not_kept' ? 'usable' : 'none');
  const { permit, decision, mode, sessionId, action } = approved;
  const now = deps.clock.now();
  const expiresAt = Date.parse(permit.expiresAt);
  if (!(now < expiresAt)) return refuse('permit_expired', 'none');

  if (permit.definition !== definitionOf(deps.policy.settings, action.toolName)) return refuse('tool_changed', 'none');

  const named = { toolName: action.toolName, agentId: asked.agent, now };
  const limits = tighter(permit.guardrails, resolveCall(deps.policy, named), asked.limits);
  let resolved: ResolvedGuardrails;
  try {
    resolved = resolveCall(deps.policy, { ...named, limits });
  } catch (error) {
    if (!(error instanceof GuardrailError)) throw error;
    return { ok: false, permit: 'usable', error: error.toToolError() };
  }
  const byPeople = decision.decidedBy.type === 'human';
  const held: HeldPermit = {
    pid,
    callId: asked.callId,
    agent: asked.agent,
    proposalId: asked.proposalId,
    permitId: asked.permitId,
    redemptionId: deps.runtime.newId(),
    ...(asked.requestId === undefined ? {} : { requestId: asked.requestId }),
    ...(asked.reporter === undefined ? {} : { reporter: asked.reporter }),
    auditDigest: auditDigest(permit.actionDigest, deps.digestKey),
    toolName: action.toolName,
    effect: resolved.effect,
    ...(byPeople ? { byPeople } : {}),
    stage: 'taken',
    takenAt: now,
    reportBy: now + resolved.settings.timeoutMs + BEGIN_GRACE_MS,
  };
  const about = { agent: asked.agent, sessionId, mode, byPeople, fs: asked.fs };
  let objection: Refused | undefined;
  try {
    if (await deps.permits.take(held, held.reportBy)) return refuse('already_consumed', 'spent');
    objection = await objectionTo(permit, action, { ...about, pid }, now, deps);
  } catch (fault) {
    // Nobody was told that the call may run. Until the reconciler freed the permit, the next try would read that it was used.
    await releasePermit(held, deps).catch(() => undefined);
    throw fault;
  }
  const idempotencyKey = permit.allowedBy?.idempotencyKey ?? idempotencyKeyOf(held);
  if (!objection) return { ok: true, held, action, resolved, limits, expiresAt, idempotencyKey };
  await releasePermit(held, deps);
  const left = objection.code === 'permit_revoked' || objection.code === 'revoked' ? 'none' : 'usable';
  return { ok: false, permit: left, error: authError(objection.code, objection.message).toToolError() };
}

type Refused = Objection | { readonly code: 'permit_revoked'; readonly message: string };

/** Why the call may not run now. Read after the permit was taken: a brake that was pulled before counts, whenever the permit was issued. */
async function objectionTo(
  permit: Permit,
  action: Action,
  { pid, ...about }: Approved & { readonly pid: string },
  now: number,
  deps: PermitDependencies,
): Promise<Refused | undefined> {
  const control = await deps.control.read();
  if (permit.permitEpoch < control.permitEpoch) return { code: 'permit_revoked', message: MESSAGES.permit_revoked };
  const row = rowsOf(deps.sessions);
  return (
    (await revalidate(action, about, control, now, { ...deps, row })) ??
    (await withdrawn(action, { ...about, pid, basis: permit.allowedBy ?? {} }, control, now, { ...deps, row }))
  );
}

/** Each session is read once. */
function rowsOf(sessions: SessionStore): RowReader {
  const read = new Map<string, Promise<SessionRow>>();
  return (agent, sessionId) => {
    const key = sessionKey(agent, sessionId);
    const known = read.get(key) ?? sessions.read(agent, sessionId).then((row) => row ?? newSession(agent, sessionId));
    read.set(key, known);
    return known;
  };
}

/** While it waited to be admitted. */
export const expiredMeanwhile = (): GuardrailError => authError('permit_expired', MESSAGES.permit_expired);

/** Another run took it over while it waited to be admitted. */
export const lostMeanwhile = (): GuardrailError =>
  authError('permit_lost', 'It took too long to admit the call. Ask again.');

/** Releases the permit of a call that was not begun, for another use. `begun`: the answer to the write of the beginning was lost. */
export async function releasePermit(
  held: HeldPermit,
  deps: Pick<PermitDependencies, 'permits'>,
  from: 'taken' | 'begun' = 'taken',
): Promise<boolean> {
  return deps.permits.move({ ...held, stage: 'free', ticket: undefined }, from);
}

type PermitRefusal =
  | 'unknown_permit'
  | 'revoked'
  | 'record_disagrees'
  | 'tool_changed'
  | 'input_not_kept'
  | 'action_digest_mismatch'
  | 'permit_expired'
  | 'already_consumed';

const MESSAGES = {
  unknown_permit: 'There is no such permit for this agent, proposal and call.',
  revoked:
    'What allowed this call does so no more: a person behind it was taken out of the record. Propose the call again under a new id.',
  record_disagrees:
    'The record of this decision does not agree with its approval. It was not run, and operators are told.',
  input_not_kept: 'The gate does not keep the input of this call, or not any more: send it.',
  action_digest_mismatch: 'This is not the action that was approved. It was not run.',
  permit_expired: 'The permit has expired. Propose the call again under a new id.',
  tool_changed:
    'The tool is listed with another definition since this was approved. Propose the call again under a new id.',
  permit_revoked: 'The permit was revoked with all others of its time. Propose the call again under a new id.',
  already_consumed:
    'The permit allows one run, and was used already. That run may have taken effect: look before you propose the call again.',
} as const satisfies Record<PermitRefusal | 'permit_revoked', string>;

const refuse = (code: PermitRefusal, permit: 'usable' | 'spent' | 'none'): ConsumedPermit => ({
  ok: false,
  permit,
  error: authError(code, MESSAGES[code]).toToolError(),
});

interface ApprovedCall {
  readonly permit: Permit;
  readonly decision: Pick<Decision, 'decidedBy'>;
  readonly action: Action;
  readonly sessionId: string;
  readonly mode: Mode | undefined;
}

/** False also where there is no such permit: then there is nothing to wait for. */
export async function isPermitInTime(
  { agent, proposalId, callId, permitId }: Pick<PermitRequest, 'agent' | 'proposalId' | 'callId' | 'permitId'>,
  deps: PermitDependencies,
): Promise<boolean> {
  const pid = pidOf(deps.deployment, agent, proposalId);
  const deciding = await decidingRecord({ agent, pid, callId }, deps);
  const permit = deciding === 'disagrees' ? undefined : permittedCall(deciding, callId, permitId)?.permit;
  return permit !== undefined && deps.clock.now() < Date.parse(permit.expiresAt);
}

/** The call of a decision that this permit is for. */
function permittedCall(
  deciding: AuditRecord | undefined,
  callId: string,
  permitId: string,
): (CallDecision & { readonly permit: Permit }) | undefined {
  const call = deciding?.decision?.calls.find(({ id }) => id === callId);
  const permit = call?.outcome === 'approved' ? call.permit : undefined;
  return call && permit && same(permit.permitId, permitId) ? { ...call, permit } : undefined;
}

/** From the record, which is the truth: the decision whose permit this is. */
async function approvedCallOf(
  { agent, callId, permitId, action: asked }: PermitRequest,
  pid: string,
  deps: Pick<PermitDependencies, 'audit' | 'approvals' | 'unsealer' | 'digestKey'>,
): Promise<ApprovedCall | { readonly refusal: PermitRefusal }> {
  const deciding = await decidingRecord({ agent, pid, callId }, deps);
  if (deciding === 'disagrees') return { refusal: 'record_disagrees' };
  const call = permittedCall(deciding, callId, permitId);
  if (!deciding || !call) return { refusal: 'unknown_permit' };
  if (namesForgotten(deciding)) return { refusal: 'revoked' };
  const action =
    asked.input === undefined ? await redactedAction(asked, call, pid, deps) : { ...asked, input: asked.input };
  if (!action) return { refusal: 'input_not_kept' };
  if (digestOf(action) !== call.permit.actionDigest) return { refusal: 'action_digest_mismatch' };
  const { sessionId = DEFAULT_SESSION, mode } = deciding.entry;
  return { permit: call.permit, decision: call, action, sessionId, mode };
}

/** The call that people approved, as they left it, with its secrets. The digest is compared like any other. */
async function redactedAction(
  asked: PermitRequest['action'],
  { id, effective }: Decision['calls'][number],
  pid: string,
  { approvals, unsealer }: Pick<PermitDependencies, 'approvals' | 'unsealer'>,
): Promise<Action | undefined> {
  const view = await approvals.read(pid);
  const original = view && (await openSealed(view, unsealer));
  if (original?.kind !== 'found' || original.proposal.kind !== 'tool-call') return undefined;
  const call = original.proposal.calls.find((one) => one.id === id);
  const { starts } = original.proposal;
  const input = effective?.input ?? (call?.input as Action['input']);
  return call && { toolName: asked.toolName, input, cwd: call.cwd, starts };
}

function digestOf(action: DigestedAction): string | undefined {
  try {
    return actionDigest(action);
  } catch {
    return undefined;
  }
}

/** Neither how long the common beginning is nor where it ends can be measured. */
function same(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Joins the limits at the approval, where they are stricter than today's, and those that the caller states: each may only tighten. A stated limit
 * that is looser than the policy is passed on as it is, so that it is clamped, and reported, where every such value is.
 */
function tighter(
  approved: Permit['guardrails'],
  { settings, effect }: ResolvedGuardrails,
  stated: PermitRequest['limits'] = {},
): InvocationLimits {
  const tightest: { -readonly [Name in keyof InvocationLimits]: InvocationLimits[Name] } = { ...stated };
  if (!approved) return tightest;
  // Approved as a call that is never repeated.
  const maxRetries = approved.effect === effect ? approved.maxRetries : 0;
  for (const [name, most] of [
    ['timeoutMs', approved.timeoutMs],
    ['maxRetries', maxRetries],
  ] as const)
    if (most < settings[name]) tightest[name] = Math.min(most, stated[name] ?? most);
  return tightest;
}

/**
 * Completes a call that ran: limiters learn, the record is written, people hear of an unknown end.
 *
 * Safe to repeat.
 */
import { resolveCall } from '../../config/readers/guardrails-of.ts';
import { originOf } from '../../config/readers/tool-origin.ts';
import type { AdmissionTicket } from '../../guardrails/limits/admission.ts';
import { GuardrailError } from '../../guardrails/settings/errors.ts';
import type { CardQueue } from '../../ports/stores/outbox.ts';
import type { EndedCall, HeldPermit } from '../../ports/stores/permit-store.ts';
import { recordOf } from '../audit/audit-entry.ts';
import { planForCall, planForGroup } from '../kernel/calls/question/approval-plan.ts';
import { unknownRunWords } from '../operations/announcement-text.ts';
import type { PermitDependencies } from './consume-permit.ts';

export interface CompletionDependencies extends PermitDependencies {
  readonly cards: CardQueue;
}

/** If the world is not told at once, the reconciler does it then. */
const NOTIFY_TIMEOUT_MS = 60_000;

/** Writes the outcome first, under the condition that there is none yet, then tells everybody. False: somebody else was faster. */
export async function completeCall(held: HeldPermit, ended: EndedCall, deps: CompletionDependencies): Promise<boolean> {
  const next: HeldPermit = { ...held, stage: 'ended', ended };
  if (!(await deps.permits.move(next, 'begun', deps.clock.now() + NOTIFY_TIMEOUT_MS))) return false;
  await notifyEnd(next, deps, true);
  return true;
}

/**
 * Tells everybody of a call that has ended; its row stays due until all of them know. `isFirst`: the caller has just written the end. Only then
 * the breaker counts the call and events leave: during an outage the reconciler repeats this each minute, and one failure would count as many.
 */
export async function notifyEnd(held: HeldPermit, deps: CompletionDependencies, isFirst = false): Promise<void> {
  const { ended, pid, agent, proposalId, callId } = held;
  if (!ended) throw new Error('the call has not ended');
  if (held.told) return;
  await resolveLimits(held, ended, deps, isFirst);
  const { status, startedAt, durationMs, errorCode, errorMessage } = ended;
  const record = recordOf(deps, { agent, pid, proposalId }, `ran#${callId}`, {
    type: 'ran',
    reasonCode: status,
    ran: {
      callId,
      toolName: held.toolName.slice(0, 128).toWellFormed(),
      auditDigest: held.auditDigest,
      status,
      by: held.requestId === undefined ? 'holder' : 'gate',
      startedAt,
      durationMs,
      ...(errorCode ? { errorCode } : {}),
    },
    ...(errorMessage ? { detail: errorMessage } : {}),
  });
  await deps.audit.put(record);
  await notifyPeople(held, ended, deps);
  await deps.permits.move({ ...held, told: true }, 'ended');
}

/** A repeated read, or a write that may be repeated, does no harm; anything else is for a person to look into. */
const mayHaveHappened = ({ effect }: HeldPermit): boolean =>
  effect === 'NonIdempotentWrite' || effect === 'ExternalSideEffects';

/** Releases the call's share of the limiters; the gate's own runs have released theirs already. */
async function resolveLimits(
  held: HeldPermit,
  ended: EndedCall,
  deps: CompletionDependencies,
  isFirst: boolean,
): Promise<void> {
  if (!held.ticket) return;
  const { toolName, agent } = held;
  const resolved = resolveCall(deps.policy, { toolName, agentId: agent, now: deps.clock.now() });
  const { charge } = deps.policy.settings.guardrails.unreported;
  const use = ended.reported
    ? { timeMs: ended.durationMs, cost: ended.cost }
    : charge
      ? { timeMs: Number.MAX_SAFE_INTEGER }
      : { timeMs: 0, cost: 0 };
  const ticket = held.ticket as AdmissionTicket;
  if (!isFirst) {
    const { circuit: _, ...taken } = ticket;
    await deps.guardrails.admission.complete(resolved, taken, use);
    return;
  }
  const error = errorOf(ended);
  const identity = {
    toolName,
    origin: originOf(toolName),
    agentId: agent,
    correlationId: held.redemptionId,
    causationId: held.pid,
  };
  const events = deps.guardrails.eventsOf(identity);
  await deps.guardrails.admission.complete(resolved, ticket, { ...use, error }, events);
  events.ended(ended.durationMs, error);
}

/** Silence says nothing about the tool: only what was reported teaches the breaker. */
function errorOf({ status, reported, errorCode = 'ToolFailed', errorCategory }: EndedCall): GuardrailError | undefined {
  if (status === 'succeeded') return undefined;
  if (!reported) return new GuardrailError('ContractError', 'Unreported', 'No outcome was reported.');
  const category = errorCategory ?? (OF_POLICIES.has(errorCode) ? 'PolicyError' : 'ExecutionError');
  // The record and the card hold the reporter's own word. A figure would have a series for each, at a price, and an agent may choose any.
  const counted = OF_POLICIES.has(errorCode) || errorCode === 'Cancelled' ? errorCode : 'ToolFailed';
  return new GuardrailError(category, counted, 'The tool failed.');
}

/** Codes of guardrails of the tool's own, or of its provider; of these only a time-out counts as a failure. */
const OF_POLICIES: ReadonlySet<string> = new Set([
  'Timeout',
  'RateLimited',
  'CircuitOpen',
  'BudgetExceeded',
  'ConcurrencyLimited',
]);

/** The cards on which people approved it, and the channel where a person has to look into it. */
async function notifyPeople(held: HeldPermit, ended: EndedCall, deps: CompletionDependencies): Promise<void> {
  const { agent, toolName, pid, callId, permitId, byPeople } = held;
  const { status, durationMs, errorCode } = ended;
  const channels = channelsFor(held, deps);
  // Any channel will do: the cards themselves know where the threads are.
  if (byPeople && channels[0])
    await deps.cards.ran(
      pid,
      channels[0],
      { callId, permitId, status, durationMs, toolName, ...(errorCode ? { errorCode } : {}) },
      agent,
    );
  if (status !== 'unknown' || !mayHaveHappened(held)) return;
  const text = unknownRunWords(toolName, agent, ended.startedAt);
  for (const id of channels) await deps.cards.announce(id, text, `unknown#${pid}#${callId}#${id}`, agent);
}

/** The channels of the people who are asked about the tool, else about the agent. Every channel where the policy names nobody. */
function channelsFor({ agent, toolName }: HeldPermit, { policy }: CompletionDependencies): string[] {
  const settings = Object.hasOwn(policy.settings.agents, agent) ? policy.settings.agents[agent] : undefined;
  const plans = settings ? [planForCall(policy, toolName, [{ settings }]), planForGroup(policy, settings)] : [];
  const group = plans.flatMap((plan) => plan?.stages ?? []).find((stage) => stage.group)?.group;
  if (group) return [policy.channelOf(group).id];
  return [...new Set(Object.values(policy.settings.channels).map(({ id }) => id))];
}

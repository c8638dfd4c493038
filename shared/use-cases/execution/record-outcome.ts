/** Records outcomes reported under a permit: of whoever redeemed it, once, and in time. */
import { MAX_READING_TRIES } from '../../config/schema/defaults.ts';
import { type Outcome, outcomeReport, outcome as outcomeSchema } from '../../contract/outcome.ts';
import { auditDigest, pidOf, sha256Hex } from '../../domain/digest.ts';
import { jsonWords, problemIn } from '../../domain/issue-messages.ts';
import { readIJson, readIJsonValue } from '../../domain/raw-json.ts';
import { isTiny } from '../../domain/record/storable-number.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import { recordOf } from '../audit/audit-entry.ts';
import { holdsSecret, shownSubject } from '../audit/shown-subject.ts';
import { type Registry, resolveSender, UNREGISTERED } from '../identity.ts';
import { recordDeadLetter } from '../intake/dead-letter.ts';
import { type CompletionDependencies, completeCall, notifyEnd } from './complete-call.ts';

interface OutcomeDependencies extends CompletionDependencies {
  readonly agents: Registry;
  readonly accountsAllowed: boolean;
}

export interface OutcomeMessage {
  readonly messageId: string;
  readonly raw: string;
  /** SQS's SenderId. */
  readonly principal: string;
}

export type Recorded =
  | { readonly recorded: true }
  | {
      readonly recorded: false;
      readonly code:
        | 'unregistered_sender'
        | 'invalid_outcome'
        | 'unknown_permit'
        | 'action_digest_mismatch'
        | 'already_recorded';
      readonly message: string;
    };

/** Records one message of the outcomes queue. A message that cannot be read or is not the sender's is audited and changes nothing. */
export async function recordOutcome(message: OutcomeMessage, deps: OutcomeDependencies): Promise<Recorded> {
  const agent = await resolveSender(message.principal, deps.agents, deps);
  if (agent === undefined || !deps.policy.settings.agents[agent])
    return refuse('unregistered_sender', 'the sender is registered as no agent', message, UNREGISTERED, deps);
  const json = readIJson(message.raw);
  const parsed = json.ok ? outcomeSchema.safeParse(json.value, { error: jsonWords }) : undefined;
  if (!parsed?.success) {
    const why = json.ok ? problemIn(parsed?.error.issues ?? []) : json.fault.message;
    return refuse('invalid_outcome', why, message, agent, deps);
  }
  const done = await reportOutcome(parsed.data, { agent }, deps);
  return done.recorded ? done : refuse(done.code, done.message, message, agent, deps, parsed.data.proposalId);
}

/**
 * A report that its queue has set aside is worked again under its own sender: a run counts as unknown without it. `tries` counts from 1; late
 * ones read nothing of it, for reading it may be what fails. Throws if a store is down: the message comes again.
 */
export async function recordDeadLetterOutcome(
  message: OutcomeMessage,
  tries: number,
  deps: OutcomeDependencies,
): Promise<void> {
  const isGivenUp = tries > MAX_READING_TRIES;
  await recordDeadLetter({ messageId: message.messageId, fault: isGivenUp ? 'given up' : 'set aside' }, deps);
  if (!isGivenUp) await recordOutcome(message, deps);
}

/**
 * Records a report that a tool server makes by itself, for the agent whose permit it redeemed. IAM lets it invoke this function; the redemption's id
 * proves that it redeemed. The agent that it names only decides whose record a refusal is put in.
 */
export async function recordReport(
  { messageId, raw: given }: { readonly messageId: string; readonly raw: unknown },
  deps: CompletionDependencies,
): Promise<Recorded> {
  const json = readIJsonValue(given);
  const raw = json.ok ? JSON.stringify(json.value) : '';
  const parsed = json.ok ? outcomeReport.safeParse(json.value, { error: jsonWords }) : undefined;
  if (!parsed?.success) {
    const why = json.ok ? problemIn(parsed?.error.issues ?? []) : json.fault.message;
    return refuse('invalid_outcome', why, { messageId, raw }, UNREGISTERED, deps);
  }
  const { agent, redemptionId, ...report } = parsed.data;
  if (!Object.hasOwn(deps.policy.settings.agents, agent))
    return refuse('unknown_permit', 'agent: is no agent of the policy file', { messageId, raw }, UNREGISTERED, deps);
  const done = await reportOutcome(report, { agent, redemptionId }, deps);
  return done.recorded ? done : refuse(done.code, done.message, { messageId, raw }, agent, deps, report.proposalId);
}

/** By a tool server that redeemed the permit: it shows so by the redemption's id, which only its answer held. */
interface Reporter {
  readonly agent: string;
  readonly redemptionId?: string | undefined;
}

/** Throws if a store is down: the report has to come again. */
async function reportOutcome(report: Outcome, reporter: Reporter, deps: CompletionDependencies): Promise<Recorded> {
  const pid = pidOf(deps.deployment, reporter.agent, report.proposalId);
  const held = await deps.permits.read(pid, report.callId);
  const foreign = reporter.redemptionId !== undefined && held?.redemptionId !== reporter.redemptionId;
  // An agent knows its permit, and not the redemption of a server that redeemed it.
  const isReserved = held?.reporter === 'redeemer' && reporter.redemptionId === undefined;
  // A call that the gate ran itself is not for others to report.
  const isOther = held?.permitId !== report.permitId || held.requestId !== undefined || held.stage === 'free';
  if (!held || foreign || isReserved || isOther)
    return no('unknown_permit', 'permitId: no run of this permit waits for a report');
  if (held.auditDigest !== auditDigest(report.actionDigest, deps.digestKey))
    return no('action_digest_mismatch', 'actionDigest: is not the action of this permit');
  if (held.stage === 'taken') return no('unknown_permit', 'permitId: no run of this permit waits for a report');
  const { status, startedAt, durationMs, cost, error } = report;
  const ended = {
    status,
    startedAt,
    durationMs: storable(durationMs),
    ...(cost === undefined ? {} : { cost: storable(cost) }),
    // A figure is counted by it: one that holds a secret is none.
    ...(error && !(await holdsSecret(error.code, deps.redactor)) ? { errorCode: error.code } : {}),
    ...(error?.category ? { errorCategory: error.category } : {}),
    ...(error?.message ? { errorMessage: cutMarked(await deps.redactor.text(error.message), 1000) } : {}),
    reported: true,
  };
  if (held.stage === 'begun' && (await completeCall(held, ended, deps))) return { recorded: true };
  const now = held.stage === 'ended' ? held : await deps.permits.read(pid, report.callId);
  // The same report, delivered again: what an earlier run may have left undone is done.
  if (now?.ended?.reported && now.ended.startedAt === startedAt && now.ended.status === status) {
    await notifyEnd(now, deps);
    return { recorded: true };
  }
  // The channel was told that nobody knows, and somebody may have acted on it.
  const isLate = now?.ended?.reported === false;
  const recorded = isLate ? 'as unknown: no report came in time (guardrails.unreported.after)' : 'already';
  return no('already_recorded', `permitId: the outcome of this run is recorded ${recorded}`);
}

const storable = (figure: number): number => (isTiny(figure) ? 0 : figure);

type RefusalCode = Extract<Recorded, { recorded: false }>['code'];
const no = (code: RefusalCode, message: string): Extract<Recorded, { recorded: false }> => ({
  recorded: false,
  code,
  message,
});

async function refuse(
  code: RefusalCode,
  why: string,
  { messageId, raw }: Pick<OutcomeMessage, 'messageId' | 'raw'>,
  agent: string,
  deps: CompletionDependencies,
  proposalId: string | null = null,
): Promise<Recorded> {
  const pid = proposalId === null ? sha256Hex(raw) : pidOf(deps.deployment, agent, proposalId);
  const subject = await shownSubject({ agent, pid, proposalId }, deps.redactor);
  const record = recordOf(deps, subject, `refused#outcome#${sha256Hex(messageId).slice(0, 16)}`, {
    type: 'refused',
    reasonCode: code,
    // The reason quotes the message.
    detail: cutMarked(await deps.redactor.text(why), 1000),
  });
  await deps.audit.put(record);
  return no(code, why);
}

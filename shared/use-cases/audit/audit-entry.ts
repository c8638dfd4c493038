/** Builds the audit entries and decisions of a run, in the words of the record. */
import type {
  AnswerEntry,
  AuditEntry,
  CallRecord,
  ClassifierEntry,
  Decision,
  HookEntry,
} from '../../contract/index.ts';
import { SCHEMA_VERSION } from '../../contract/primitives.ts';
import { auditDigest } from '../../domain/digest.ts';
import { argsHash } from '../../permissions/service/grants.ts';
import { type AuditRecord, familyOf } from '../../ports/stores/audit-log.ts';
import type { BaseDependencies } from '../dependencies.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';
import type { ChoiceTrace, KernelAnswer } from '../kernel/calls/run.ts';
import { choiceRecord } from './audit-choice.ts';

export interface Subject {
  readonly agent: string;
  readonly pid: string;
  readonly proposalId: string | null;
  readonly sessionId?: string | undefined;
  readonly claimedSentAt?: string | undefined;
  readonly mode?: AuditEntry['mode'];
}

/** The decision that the agent reads, from the kernel's answer. */
export function decisionOf(
  answer: KernelAnswer,
  subject: Subject,
  gate: BaseDependencies,
  extra: Pick<Decision, 'state' | 'messageId' | 'rawDigest'> = {},
): Decision {
  return {
    schemaVersion: SCHEMA_VERSION,
    proposalId: subject.proposalId,
    ...answer,
    policyVersion: gate.policy.version,
    decidedAt: new Date(gate.clock.now()).toISOString(),
    ...Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined)),
  };
}

export function callRecord(
  gate: BaseDependencies,
  { call, shown = call, actionDigest, printed, verdict }: CallWithVerdict,
): CallRecord {
  const keyed = actionDigest === null ? null : auditDigest(actionDigest, gate.digestKey);
  const { rule } = verdict;
  return {
    id: call.id,
    toolName: call.toolName.slice(0, 128).toWellFormed(),
    // A plain hash of an input with a secret would let somebody try guesses.
    argsHash: shown === call && keyed !== null ? argsHash(call.input) : (keyed ?? '').slice(0, 8),
    auditDigest: keyed,
    ...(printed ? { effectiveDigest: auditDigest(printed.actionDigest, gate.digestKey) } : {}),
    verdict: verdict.verdict,
    reason: verdict.reason,
    source: verdict.source,
    ...(rule ? { rule: { id: rule.id, pattern: rule.pattern, source: rule.source, effect: rule.effect } } : {}),
  };
}

/** Answers from outside as the record keeps them: an entry stays within 4 KB. */
export function answersRecord(
  answers: readonly AnswerEntry[],
  choice?: ChoiceTrace | undefined,
): Pick<AuditEntry, 'classifiers' | 'hooks' | 'choice'> {
  const classifiers = answers.filter((entry) => entry.type === 'classifier').map(classifierRecord);
  const hooks = answers.filter((entry) => entry.type === 'hook').map(hookRecord);
  return {
    ...(classifiers.length ? { classifiers } : {}),
    ...(hooks.length ? { hooks } : {}),
    ...(choice ? { choice: choiceRecord(choice, answers) } : {}),
  };
}

function hookRecord({ place, by, answer }: HookEntry): NonNullable<AuditEntry['hooks']>[number] {
  if (answer.state === 'failed') return { place, by, failed: answer.why.slice(0, 100).toWellFormed() };
  const { decision, mode, reason } = answer;
  return {
    place,
    by,
    decision,
    ...(mode ? { mode } : {}),
    ...(reason ? { reason: reason.slice(0, 100).toWellFormed() } : {}),
  };
}

function classifierRecord({ place, by, answer }: ClassifierEntry): NonNullable<AuditEntry['classifiers']>[number] {
  return answer.state === 'failed'
    ? { place, by, failed: answer.why.slice(0, 100).toWellFormed() }
    : {
        place,
        by,
        shouldBlock: answer.shouldBlock,
        confidence: answer.confidence,
        reason: answer.reason.slice(0, 100).toWellFormed(),
      };
}

/** An entry about a proposal; `decision` is what its agent reads. */
export function recordOf(
  gate: BaseDependencies,
  subject: Subject,
  sort: string,
  fields: Partial<AuditEntry> & Pick<AuditEntry, 'type'>,
  decision?: Decision,
): AuditRecord {
  const { agent, pid, proposalId, sessionId, claimedSentAt, mode } = subject;
  const now = gate.clock.now();
  const entry: AuditEntry = {
    pid,
    proposalId,
    agent,
    ...(sessionId ? { sessionId } : {}),
    ...(claimedSentAt ? { claimedSentAt } : {}),
    ...(mode ? { mode } : {}),
    recordedAt: new Date(now).toISOString(),
    policyVersion: gate.policy.version,
    ...(decision ? { outcome: decision.outcome, decidedBy: decision.decidedBy, reasonCode: decision.reasonCode } : {}),
    ...fields,
  };
  const expiresAt = now + gate.policy.record.retention[familyOf(sort)];
  return { key: { agent, pid, sort }, entry, expiresAt, ...(decision ? { decision } : {}) };
}

/** Builds the claim of a message: the one item that holds its decision and its audit entry. */
import type { AnswerEntry, AuditEntry } from '../../../contract/index.ts';
import { auditDigest } from '../../../domain/digest.ts';
import type { Claim, Journey } from '../../../ports/stores/claim-store.ts';
import { answersRecord, callRecord, type decisionOf, recordOf } from '../../audit/audit-entry.ts';
import type { BaseDependencies } from '../../dependencies.ts';
import type { CallWithVerdict } from '../../kernel/calls/authorization/call-with-verdict.ts';
import type { ChoiceTrace } from '../../kernel/calls/run.ts';
import type { Identified } from '../message.ts';

/** A message with the parts of its run that the record holds. */
export type WorkResult = Identified & {
  readonly answers?: readonly AnswerEntry[];
  readonly choice?: ChoiceTrace | undefined;
  readonly task?: AuditEntry['task'];
  readonly invocations?: AuditEntry['invocations'];
  /** The text of the proposal and what else the run was told, as the record holds it. */
  readonly recorded?: Pick<AuditEntry, 'proposal' | 'rulesDigest' | 'asked'>;
};

/** Builds the claim. Without a `decision` people are asked first. */
export function claimOf(
  message: WorkResult,
  verdict: Claim['verdict'],
  calls: readonly CallWithVerdict[],
  deps: BaseDependencies,
  decision?: ReturnType<typeof decisionOf>,
): Claim {
  const { subject, startedAt, answers = [], choice, task, invocations, recorded: told } = message;
  const journey = journeyOf(message.incoming);
  const record = recordOf(
    deps,
    subject,
    'evaluated',
    {
      type: 'evaluated',
      ...told,
      calls: calls.map((call) => callRecord(deps, call)),
      ...answersRecord(answers, choice),
      ...(task ? { task } : {}),
      ...(invocations?.length ? { invocations } : {}),
      durationUs: Math.max(0, Math.round((deps.clock.now() - startedAt) * 1000)),
      ...(asksForBypass(message) && !deps.policy.settings.bypass.enabled ? { detail: BYPASS_OFF } : {}),
    },
    decision,
  );
  return { record, verdict, contentDigest: contentDigestOf(message, deps), journey };
}

/** A message that is deferred for a model was deferred once; every other round was for the rate of its sender. */
function journeyOf({ firstSentAt, rounds, isSlow }: Identified['incoming']): Journey {
  if (rounds > (isSlow ? 1 : 0)) return { firstSentAt, way: 'rate' };
  return { firstSentAt, way: isSlow ? 'model' : 'rules' };
}

/** A proposal that asks for bypass where it is off has default mode, and the record says so. */
const BYPASS_OFF = 'bypass is off: default mode counted';

const asksForBypass = ({ read, subject: { mode } }: Identified): boolean =>
  mode === 'bypass' || (read.ok && read.proposal.kind === 'tool-call' && read.proposal.mode === 'bypass');

export const contentDigestOf = ({ read }: Identified, deps: Pick<BaseDependencies, 'digestKey'>): string =>
  auditDigest(read.ok ? read.contentDigest : read.rawDigest, deps.digestKey);

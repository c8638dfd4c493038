/** Records a message that could not be processed as often as its queue delivers it. */
import type { AuditEntry } from '../../contract/index.ts';
import { DEAD_LETTERS_AGENT } from '../../domain/proposal/reserved-ids.ts';
import type { AuditLog } from '../../ports/stores/audit-log.ts';
import { recordOf, type Subject } from '../audit/audit-entry.ts';
import { holdsSecret } from '../audit/shown-subject.ts';
import type { BaseDependencies } from '../dependencies.ts';

/** Nobody may have found out the sender of such a message. */
export const DEAD_LETTERS_SUBJECT: Subject = { agent: DEAD_LETTERS_AGENT, pid: '0'.repeat(64), proposalId: null };

export interface DeadLetter {
  readonly messageId: string;
  /** The kind of the fault, never its text. */
  readonly fault: string;
  /** The sender and the proposal of the message, as far as anybody could read it. */
  readonly about?: Pick<Subject, 'agent' | 'proposalId'> | undefined;
}

/** Put once for each message; false if it is there already. Rejects if the record cannot be written either: the queue and its alarm remain. */
export async function recordDeadLetter(
  { messageId, fault, about }: DeadLetter,
  deps: BaseDependencies & { readonly audit: AuditLog },
): Promise<boolean> {
  // The look for secrets itself may have failed.
  const isHidden = about?.proposalId && (await holdsSecret(about.proposalId, deps.redactor).catch(() => true));
  return deps.audit.put(
    recordOf(deps, DEAD_LETTERS_SUBJECT, `dead#${messageId}`, {
      type: 'refused',
      reasonCode: 'dead_letter',
      detail: `${fault}; message ${messageId}${about?.proposalId && !isHidden ? `; proposal ${about.proposalId} of ${about.agent}` : ''}`,
    }),
  );
}

/** Reads the ids back, of an entry that `recordDeadLetter` wrote. */
export function readDeadLetter({ detail = '' }: Pick<AuditEntry, 'detail'>): DeadLetter | undefined {
  const [, fault, messageId, proposalId, agent] =
    /^(.+?); message (\S+?)(?:; proposal (.+) of (\S+))?$/.exec(detail) ?? [];
  if (fault === undefined || messageId === undefined) return undefined;
  return { fault, messageId, ...(proposalId && agent ? { about: { agent, proposalId } } : {}) };
}

/** The reason in every answer to a message that was set aside. */
export const DEAD_LETTER = 'dead_letter';

/** Records a message that could not be worked as often as its queue delivers it. */
import type { AuditLog } from '../../ports/audit-log.ts';
import { recordOf, type Subject } from '../audit/audit-entry.ts';
import type { BaseDependencies } from '../dependencies.ts';

/** No agent can have this name; whose message it was may be what nobody could find out. */
export const DEAD_LETTERS: Subject = { agent: '-dead-letters', pid: '0'.repeat(64), proposalId: null };

export interface DeadLetter {
  readonly messageId: string;
  /** The kind of the fault, never its text. */
  readonly fault: string;
}

/** Put once for each message; false if it is there already. Rejects if the record cannot be written either: the queue and its alarm remain. */
export function recordDeadLetter(
  { messageId, fault }: DeadLetter,
  deps: BaseDependencies & { readonly audit: AuditLog },
) {
  return deps.audit.put(
    recordOf(deps, DEAD_LETTERS, `dead#${messageId}`, {
      type: 'refused',
      reasonCode: 'dead_letter',
      detail: `${fault}; message ${messageId}`,
    }),
  );
}

/** The reason in every answer to a message that was set aside. */
export const DEAD_LETTER = 'dead_letter';

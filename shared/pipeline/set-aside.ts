/** The record of a message that could not be worked as often as the queue delivers it: it lies among the dead letters now (G33, GR-035). */
import type { AuditLog } from '../ports/audit-log.ts';
import type { GateBase } from './gate.ts';
import { recordOf, type Subject } from './record.ts';

/** No agent can have this name; whose message it was may be what nobody could find out. */
export const DEAD_LETTERS: Subject = { agent: '-dead-letters', pid: '0'.repeat(64), proposalId: null };

export interface SetAside {
  readonly messageId: string;
  /** The kind of the fault, never its text. */
  readonly fault: string;
}

/** Put once for each message; false if it is there already. Rejects if the record cannot be written either: the queue and its alarm remain. */
export function recordSetAside({ messageId, fault }: SetAside, gate: GateBase & { readonly audit: AuditLog }) {
  return gate.audit.put(
    recordOf(gate, DEAD_LETTERS, `dead#${messageId}`, {
      type: 'refused',
      reasonCode: 'dead_letter',
      detail: `${fault}; message ${messageId}`,
    }),
  );
}

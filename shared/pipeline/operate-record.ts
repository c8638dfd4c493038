/** What the record and the channels hear of an operation: always the record, and loudly what was done (A5). */
import type { Person } from '../contract/index.ts';
import { sha256Hex } from '../domain/digest.ts';
import type { OperatorGate, OperatorMessage } from './operate.ts';
import { recordOf, type Subject } from './record.ts';

/** The partition of operations in the audit; no agent can have this name. */
const OPERATIONS = '-operations';

export interface Noted {
  readonly code: string;
  readonly accepted: boolean;
  readonly detail: string;
  /** Who asked for it in Slack. */
  readonly person?: Person;
}

export async function note(
  { messageId }: OperatorMessage,
  by: string,
  { code, accepted, detail, person }: Noted,
  gate: OperatorGate,
): Promise<void> {
  const pid = sha256Hex(`${by}#${messageId}`);
  const subject: Subject = { agent: OPERATIONS, pid, proposalId: null };
  await gate.audit.put(
    recordOf(gate, subject, 'operation', {
      type: 'operation',
      reasonCode: code,
      accepted,
      decidedBy: { type: 'human', id: by },
      ...(person ? { person } : {}),
      ...(detail ? { detail: detail.slice(0, 1000) } : {}),
    }),
  );
}

/** Loud on purpose: everybody who approves reads what was done around them (A5). `id` names the operation. */
export async function announce(text: string, id: string, gate: OperatorGate): Promise<void> {
  const channels = new Set(Object.values(gate.policy.settings.channels).map(({ id: channel }) => channel));
  for (const channel of channels) await gate.cards.announce(channel, text, `${channel}#${id}`);
}

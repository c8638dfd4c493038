/** Reads the newest entries of the record about dead letters. */
import type { Unreadable } from '../../ports/stores/audit-log.ts';
import type { DeadLetter } from '../../use-cases/intake/dead-letter.ts';

/** One entry of the record about a dead letter. */
export interface RecordedLetter extends DeadLetter {
  readonly at: string;
}

/** As many entries as one request reads. */
export const NEWEST = 100;

/** Newest first. `unreadable` hears of each entry that cannot be read. */
export async function recordedLetters(auditTable: string, unreadable: Unreadable): Promise<readonly RecordedLetter[]> {
  const [{ dynamoAuditLog }, { dynamo }, { DEAD_LETTERS_SUBJECT, readDeadLetter }] = await Promise.all([
    import('../../adapters/dynamodb/audit/audit-log.ts'),
    import('../support/clients.ts'),
    import('../../use-cases/intake/dead-letter.ts'),
  ]);
  const log = dynamoAuditLog(await dynamo(), { audit: auditTable, state: '' });
  const records = await log.recent(DEAD_LETTERS_SUBJECT.agent, NEWEST, unreadable);
  return records.flatMap(({ entry }) => {
    const letter = readDeadLetter(entry);
    return letter ? [{ at: entry.recordedAt, ...letter }] : [];
  });
}

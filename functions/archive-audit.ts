/** Archives the record's stream: new entries, and changes of old ones, which also raise an alarm. */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { archiveLineOf, type StreamRecord } from '../shared/adapters/dynamodb/audit/record-stream.ts';
import { itemKey } from '../shared/domain/archive/lines.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { archiveEntries } from '../shared/use-cases/archive/archive-entries.ts';
import { readEnv } from './runtime/env.ts';
import { events } from './runtime/telemetry/events.ts';
import { count, log } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { lazyArchive } from './runtime/wiring/stores.ts';

const env = readEnv('archiveAudit');
const archive = lazyArchive(env.ARCHIVE_BUCKET);

export const handler = withTelemetry<DynamoDBStreamEvent, void>(async ({ Records }) => {
  const lines = Records.flatMap((record) => archiveLineOf(record as StreamRecord) ?? []);
  for (const line of lines) {
    if (line.event === 'insert') continue;
    count('RecordChanged', 1, { change: line.event });
    // The log names the entry by its key and leaves out its text; the archive holds the text from before the change.
    const key = itemKey('before' in line ? line.before : line.item);
    log('error', 'the record was changed', { change: line.event, key });
    events.emit({
      name: 'RecordChanged',
      eventVersion: 1,
      at: systemClock.now(),
      detail: { change: line.event, sequenceNumber: line.seq },
    });
  }
  await archiveEntries(lines, { archive, clock: systemClock });
  if (lines.length) count('EntriesArchived', lines.length);
});

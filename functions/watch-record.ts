/** Raises an alarm for every change of the record, which is put once and never changed. Reads the record's stream. */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { changeOfRecord } from '../shared/adapters/dynamodb/record-stream.ts';
import { readEnv } from './runtime/env.ts';
import { count, logger } from './runtime/observe.ts';
import { withTelemetry } from './runtime/observing.ts';

readEnv('watchRecord');

export const handler = withTelemetry<DynamoDBStreamEvent, void>(async ({ Records }) => {
  for (const record of Records) {
    const found = changeOfRecord(record);
    if (!found) continue;
    const { change, ...key } = found;
    count('RecordChanged', 1, { change });
    // Ids only: they lead an investigator to the entry. The stream and the table's backups hold its earlier text.
    logger.error('the record was changed', { change, ...key });
  }
});

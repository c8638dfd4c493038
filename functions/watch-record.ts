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
    // Ids only: which entry it is, for whoever looks into it. The stream and the table's backups hold what it said before.
    logger.error('the record was changed', { change, ...key });
  }
});

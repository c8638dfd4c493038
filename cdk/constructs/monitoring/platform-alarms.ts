/** Makes alarms on AWS: tables that refuse requests, and functions close to their time-out. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type AlarmOptions, alarmAt, logOf, ticket } from '../alarm/alarm.ts';
import { sumOf } from '../alarm/alarm-math.ts';
import type { GateTables } from '../data/tables.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';

const period = Duration.minutes(5);
/** The SDK tries again: fewer in five minutes are made good unseen. */
const MAX_THROTTLES = 10;
/** The share of the time-out. A run that comes so near is soon one that runs out of time. */
const NEAR = 0.8;

export function ofPlatform(
  scope: Construct,
  { evaluate, reconcile }: GateFunctions,
  tables: GateTables,
  { development }: AlarmOptions,
): AlarmBase[] {
  const near = [evaluate, reconcile].map((one) =>
    alarmAt(
      one,
      'NearTimeoutAlarm',
      one.function.metricDuration({ period, statistic: 'p99' }),
      NEAR * one.timeout.toMilliseconds(),
      ticket('near-a-time-out', `${one.name} comes near its time-out, at which its work begins anew`, logOf(one.name)),
      { of: 3 },
    ),
  );
  // A sum over several series is metric math.
  if (development) return near;
  const throttled = (metricName: string, { tableName }: Table, index: Readonly<Record<string, string>> = {}) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: tableName, ...index },
      statistic: Stats.SUM,
      period,
    });
  // An index that cannot keep up refuses the writes of its table: its own series is the only one that shows it.
  const throttles = [
    ...[tables.state, tables.audit].flatMap((table) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => throttled(metricName, table)),
    ),
    ...tables.indexes.map(({ table, indexName }) =>
      throttled('WriteThrottleEvents', table, { GlobalSecondaryIndexName: indexName }),
    ),
  ];
  const text = ticket(
    'throttled-tables',
    'DynamoDB refuses requests of the gate: decisions and clicks are late',
    'ReadThrottleEvents and WriteThrottleEvents of both tables and their indexes',
  );
  return [
    ...near,
    alarmAt(new Construct(scope, 'TableAlarms'), 'ThrottledAlarm', sumOf(throttles), MAX_THROTTLES, text),
  ];
}

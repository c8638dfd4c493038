/** Makes alarms on the record: unsealed, unarchived, changed, or a lagging stream. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { type AlarmOptions, alarmAt, alarmWithout, logOf, page, ticket } from '../alarm/alarm.ts';
import { gateMetric } from '../alarm/metrics.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';

const period = Duration.minutes(5);
const quarter = Duration.minutes(15);
const hour = Duration.hours(1);
/** The stream keeps entries for a day: people have 23 hours. */
const STREAM_BEHIND_MS = 3_600_000;

export function ofRecord(
  scope: Construct,
  { seal, 'archive-audit': archive }: GateFunctions,
  { deployment, hasCanary }: AlarmOptions,
): AlarmBase[] {
  const own = new Construct(scope, 'RecordAlarms');
  const sum = (name: MetricName) => gateMetric(deployment, name, Stats.SUM);
  return [
    alarmWithout(
      seal,
      'StoppedAlarm',
      gateMetric(deployment, 'SealsWritten', Stats.SUM, {}, quarter),
      ticket(
        'record-is-not-sealed',
        'The record has not been sealed for a quarter of an hour: what is archived meanwhile could be changed unnoticed',
        logOf('seal'),
      ),
    ),
    alarmAt(
      archive,
      'BehindAlarm',
      archive.function.metric('IteratorAge', { period, statistic: Stats.MAXIMUM }),
      STREAM_BEHIND_MS,
      ticket(
        'record-waits-to-be-archived',
        'The record has waited an hour to be archived; its stream forgets after a day',
        logOf('archive-audit'),
      ),
    ),
    ...(hasCanary ? [ofSilence(archive, deployment)] : []),
    alarmAt(
      own,
      'ChangedAlarm',
      sum('RecordChanged'),
      1,
      page(
        'record-changed',
        'Somebody changed the record, or forged an approval',
        "countersign pause --all --deny --reason 'the record was changed', then the log of archive-audit, which names the entry",
      ),
    ),
    alarmAt(
      own,
      'EventsLostAlarm',
      sum('EventsLost'),
      1,
      ticket(
        'events-lost',
        'Events could not be put on the bus: whoever listens there missed them; the record has them',
        `the line "events could not be put on the bus" in the logs, filter { $.events = * }`,
      ),
    ),
  ];
}

/** A stream or an event source that is off has no age. The canary writes entries all the time, so that their absence tells of it. */
const ofSilence = (archive: GateFunctions['archive-audit'], deployment: string): AlarmBase =>
  alarmWithout(
    archive,
    'SilentAlarm',
    gateMetric(deployment, 'EntriesArchived', Stats.SUM, {}, hour),
    ticket(
      'record-waits-to-be-archived',
      'Nothing of the record has been archived for an hour, although the canary writes to it; its stream forgets after a day',
      'whether the event source of archive-audit and the stream of the record are on',
    ),
  );

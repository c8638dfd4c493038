/** Reads the alarms of one deployment, its queues, and the age of their oldest messages. */
import {
  type AlarmType,
  type CloudWatchClient,
  type CompositeAlarm,
  GetMetricDataCommand,
  type MetricAlarm,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { alarmPrefix } from '../../config/alarm-names.ts';

export interface GateAlarm {
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly description: string;
  /** Whether anybody is told of it. */
  readonly hasActions: boolean;
  /** When it came to this state. */
  readonly since?: string;
}

interface GateQueue {
  /** As the construct names it: `Proposals`, `ProposalsDead`. */
  readonly name: string;
  /** The queue's own name. */
  readonly queueName: string;
  readonly isDead: boolean;
}

export interface Watched {
  readonly alarms: readonly GateAlarm[];
  readonly queues: readonly GateQueue[];
  /** Names of the gate's functions. */
  readonly functions: readonly string[];
  /** The ARN of the workflow of approvals. */
  readonly stateMachine?: string;
}

/** All alarms of the deployment, pages of several causes first. Each queue and each function has one, whose dimension names it. */
export async function watchedBy(client: CloudWatchClient, deployment: string): Promise<Watched> {
  const alarms: MetricAlarm[] = [];
  const composites: CompositeAlarm[] = [];
  const types: AlarmType[] = ['MetricAlarm', 'CompositeAlarm'];
  const query = { AlarmNamePrefix: alarmPrefix(deployment), AlarmTypes: types };
  for await (const page of paginateDescribeAlarms({ client }, query)) {
    alarms.push(...(page.MetricAlarms ?? []));
    composites.push(...(page.CompositeAlarms ?? []));
  }
  const prefix = alarmPrefix(deployment).length;
  const stateMachine = alarms.flatMap((alarm) => dimensionsIn(alarm, 'StateMachineArn'))[0];
  return {
    ...(stateMachine === undefined ? {} : { stateMachine }),
    functions: [...new Set(alarms.flatMap((alarm) => dimensionsIn(alarm, 'FunctionName')))].toSorted(),
    alarms: [...composites, ...alarms].map(
      ({ AlarmName = '', StateValue, AlarmDescription = '', AlarmActions, StateUpdatedTimestamp }) => ({
        name: AlarmName.slice(prefix),
        state: StateValue ?? 'INSUFFICIENT_DATA',
        description: AlarmDescription,
        hasActions: Boolean(AlarmActions?.length),
        ...(StateUpdatedTimestamp ? { since: StateUpdatedTimestamp.toISOString() } : {}),
      }),
    ),
    queues: alarms.flatMap(({ AlarmName = '', Dimensions = [] }) => {
      const queueName = Dimensions.find(({ Name }) => Name === 'QueueName')?.Value;
      const [, name, late] = /([^/]+?)(Late)?Alarm$/.exec(AlarmName) ?? [];
      return queueName && name ? [{ name, queueName, isDead: late === undefined }] : [];
    }),
  };
}

/** Also in the metrics of an alarm on a share. */
const dimensionsIn = ({ Dimensions = [], Metrics = [] }: MetricAlarm, name: string): string[] =>
  [...Dimensions, ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric?.Dimensions ?? [])].flatMap(
    ({ Name, Value }) => (Name === name && Value ? [Value] : []),
  );

const WINDOW_MS = 5 * 60_000;

/** Seconds that the oldest message of each queue waited, at most, in the last five minutes; none where SQS gave no figure. */
export async function oldestOf(
  client: CloudWatchClient,
  queues: readonly GateQueue[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  if (!queues.length) return new Map();
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - WINDOW_MS),
      EndTime: new Date(now),
      MetricDataQueries: queues.map(({ queueName }, index) => ({
        Id: `q${index}`,
        MetricStat: {
          Metric: {
            Namespace: 'AWS/SQS',
            MetricName: 'ApproximateAgeOfOldestMessage',
            Dimensions: [{ Name: 'QueueName', Value: queueName }],
          },
          Period: 60,
          Stat: 'Maximum',
        },
      })),
    }),
  );
  return new Map(
    MetricDataResults.flatMap(({ Id = '', Values: [newest] = [] }) => {
      const name = queues[Number(Id.slice(1))]?.queueName;
      return name !== undefined && newest !== undefined ? [[name, newest] as const] : [];
    }),
  );
}

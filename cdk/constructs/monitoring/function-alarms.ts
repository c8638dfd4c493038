/** Makes alarms on functions that fail whole, or are refused their concurrency. */
import { Duration } from 'aws-cdk-lib';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type AlarmOptions, alarmAt, logOf, ticket } from '../alarm/alarm.ts';
import { anyShareAbove, sumOf } from '../alarm/alarm-math.ts';
import { FUNCTIONS } from '../functions/function-names.ts';
import type { GateFunction } from '../functions/gate-function.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';

const period = Duration.minutes(5);
/** An alarm on metric math takes ten metrics. A share has two of each function, a sum one. */
const MAX_FUNCTIONS_OF_A_SHARE = 5;
const MAX_FUNCTIONS_OF_A_SUM = 10;

/** Names of functions stand on the dashboard: alarms on groups of them keep a gate small. Local endpoints carry no metric math. */
export function ofFunctions(scope: Construct, functions: GateFunctions, { development }: AlarmOptions): AlarmBase[] {
  const all = FUNCTIONS.map((name) => functions[name]);
  // Two functions answer the workflow by throwing; `Faults` leaves those answers out.
  const failing = all.filter(({ answersByThrowing }) => !answersByThrowing);
  const errors = ({ function: lambda }: GateFunction) => lambda.metricErrors({ period });
  const throttles = ({ function: lambda }: GateFunction) => lambda.metricThrottles({ period });
  const failed = (names: string) =>
    ticket('starts-and-time-outs', `${names} failed to start, failed whole or ran out of time`, logOf(names));
  const refused = (names: string) =>
    ticket(
      'throttles',
      `${names} got no concurrency: callers wait and try again`,
      `the throttles by function on the dashboard, and the account's ConcurrentExecutions`,
    );
  if (development)
    return [
      ...all.map((one) => alarmAt(one, 'ThrottlesAlarm', throttles(one), 1, refused(one.name), { of: 3 })),
      ...failing.map((one) => alarmAt(one, 'ErrorsAlarm', errors(one), 1, failed(one.name))),
    ];
  const own = new Construct(scope, 'Functions');
  const namesOf = (group: readonly GateFunction[]) => group.map(({ name }) => name).join(', ');
  return [
    ...inGroups(all, MAX_FUNCTIONS_OF_A_SHARE).map((group, index) => {
      const parts = group.map((one) => ({ bad: throttles(one), all: one.function.metricInvocations({ period }) }));
      const share = anyShareAbove(parts, 0.01, 1);
      return alarmAt(own, `Throttles${index + 1}Alarm`, share, 1, refused(namesOf(group)), { of: 3 });
    }),
    ...inGroups(failing, MAX_FUNCTIONS_OF_A_SUM).map((group, index) =>
      alarmAt(own, `Errors${index + 1}Alarm`, sumOf(group.map(errors)), 1, failed(namesOf(group))),
    ),
  ];
}

const inGroups = <One>(all: readonly One[], most: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, index) => all.slice(index * most, (index + 1) * most));

/**
 * Declares the alarms on functions: of each, and of all that agents and people wait for.
 *
 * Queues and workflow bring their own.
 */
import { Duration } from 'aws-cdk-lib';
import { type Alarm, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type AlarmOptions, alarmAt, logOf, page, shareAbove, ticket } from './alarm.ts';
import { ofCanary } from './canary-alarms.ts';
import type { GateFunction } from './gate-function.ts';
import type { GateFunctions } from './gate-functions.ts';
import { gateMetric } from './metrics.ts';
import { ofAges, ofObjectives } from './objectives.ts';
import { ofDependencies, ofPeople } from './people-alarms.ts';
import { ofReconciler, ofRecord } from './repairs-alarms.ts';
import { ofSlack } from './slack-alarms.ts';

const period = Duration.minutes(5);
const quarter = Duration.minutes(15);
const minute = Duration.minutes(1);

export function gateAlarms(scope: Construct, options: AlarmOptions, functions: GateFunctions): Alarm[] {
  return [
    ...Object.values(functions).flatMap((one) => ofFunction(one, options)),
    ...ofDecisions(scope, functions, options),
    ...ofSlack(functions, options),
    ...ofReconciler(functions, options),
    ...ofRecord(scope, functions, options),
    ...ofDependencies(scope, options),
    ...ofPeople(scope, options),
    ...ofObjectives(scope, options),
    ...ofAges(functions, options),
    ...ofCanary(functions, options),
  ];
}

function ofFunction(one: GateFunction, { development }: AlarmOptions): Alarm[] {
  const { function: lambda, name } = one;
  const throttles = lambda.metricThrottles({ period });
  const share = shareAbove([throttles], [throttles, lambda.metricInvocations({ period })], 0.01, 1);
  const all = [
    alarmAt(
      one,
      'ThrottlesAlarm',
      development ? throttles : share,
      1,
      ticket(
        'throttles',
        `${name} was refused its concurrency: its callers wait and try again`,
        `the account's ConcurrentExecutions`,
      ),
      { of: 3 },
    ),
  ];
  // Two functions answer the workflow by throwing; `Faults` leaves those answers out.
  if (one.answersByThrowing) return all;
  const text = ticket('starts-and-time-outs', `${name} failed to start, failed whole or ran out of time`, logOf(name));
  return [...all, alarmAt(one, 'ErrorsAlarm', lambda.metricErrors({ period }), 1, text)];
}

/** Functions that an agent or a person waits for. */
const WAITED_FOR = ['evaluate', 'slack', 'request-approval', 'resume', 'redeem'] as const;

function ofDecisions(scope: Construct, functions: GateFunctions, { deployment, development }: AlarmOptions): Alarm[] {
  // One for all: by function they are on the dashboard, and an alarm each would be a third of all alarms.
  const any = alarmAt(
    new Construct(scope, 'Any'),
    'FaultsAlarm',
    gateMetric(deployment, 'Faults', Stats.SUM, {}, quarter),
    1,
    ticket(
      'faults',
      'Functions keep meeting faults: their messages are late',
      'the Faults by function on the dashboard',
    ),
    { of: 3 },
  );
  const faults = WAITED_FOR.map((name) => gateMetric(deployment, 'Faults', Stats.SUM, { function: name }, minute));
  const runs = WAITED_FOR.map((name) => functions[name].function.metricInvocations({ period: minute }));
  // A sum over several series is metric math.
  if (development) return [any];
  const text = page(
    'faults',
    'Decisions, clicks or permits fail: more than one run in twenty meets a fault',
    'countersign status, then the Faults by function on the dashboard',
  );
  return [
    any,
    alarmAt(new Construct(scope, 'Waited'), 'FaultsAlarm', shareAbove(faults, runs, 0.05, 5, minute), 1, text, {
      of: 5,
      breach: 3,
    }),
  ];
}

/** For an agent with a queue of its own. */
export const replyAlarm = (scope: Construct, deployment: string, agent: string): Alarm =>
  alarmAt(
    scope,
    `RepliesLost${agent}Alarm`,
    gateMetric(deployment, 'RepliesLost', Stats.SUM, { agent }),
    1,
    ticket(
      'replies-lost',
      `The queue of agent ${agent} takes no decisions: it is deleted, or its key or policy refuses the gate. The decisions stand in the record`,
      'the policy of the queue',
    ),
  );

/**
 * Declares the alarms on functions: of each, and of all that agents and people wait for.
 *
 * Queues and workflow bring their own.
 */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { ENTRANCES } from '../../../shared/config/live-alias.ts';
import { type AlarmOptions, alarmAt, cause, ticket } from '../alarm/alarm.ts';
import { shareAbove } from '../alarm/alarm-math.ts';
import { gateMetric } from '../alarm/metrics.ts';
import { withPages } from '../alarm/pages.ts';
import type { GateTables } from '../data/tables.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';
import { ofCanary } from './canary-alarms.ts';
import { ofFunctions } from './function-alarms.ts';
import { ofAges, ofObjectives } from './objectives.ts';
import { ofDependencies, ofPeople } from './people-alarms.ts';
import { ofPlatform } from './platform-alarms.ts';
import { ofRecord } from './record-alarms.ts';
import { ofReconciler } from './repairs-alarms.ts';
import { ofSlack } from './slack-alarms.ts';

const quarter = Duration.minutes(15);
const minute = Duration.minutes(1);

interface Watched {
  readonly functions: GateFunctions;
  readonly tables: GateTables;
  /** Alarms that queues and workflow have brought. */
  readonly others: readonly AlarmBase[];
}

/** All alarms, the pages first. */
export function gateAlarms(
  scope: Construct,
  options: AlarmOptions,
  { functions, tables, others }: Watched,
): AlarmBase[] {
  const alarms = [
    ...others,
    ...ofFunctions(scope, functions, options),
    ...ofDecisions(scope, functions, options),
    ...ofSlack(functions, options),
    ...ofReconciler(functions, options),
    ...ofRecord(scope, functions, options),
    ...ofDependencies(scope, options),
    ...ofPeople(scope, options),
    ...ofObjectives(scope, options),
    ...ofAges(functions, options),
    ...ofCanary(functions, options),
    ...ofPlatform(scope, functions, tables, options),
  ];
  return withPages(scope, alarms, options.development);
}

/** Functions that an agent or a person waits for. */
const WAITED_FOR = ['evaluate', 'slack', 'request-approval', 'resume', 'redeem'] as const;

function ofDecisions(
  scope: Construct,
  functions: GateFunctions,
  { deployment, development }: AlarmOptions,
): AlarmBase[] {
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
  const text = cause(
    'decisions',
    'faults',
    'Decisions, clicks or permits fail: more than one run in twenty meets a fault',
    'the Faults by function on the dashboard',
  );
  const entrances = ENTRANCES.map((name) => functions[name].function);
  const started = shareAbove(
    entrances.map((one) => one.metricErrors({ period: minute })),
    entrances.map((one) => one.metricInvocations({ period: minute })),
    0.05,
    2,
    minute,
  );
  // A bundle that does not start writes no figure of its own: Lambda alone counts its errors.
  const unstarted = cause(
    'decisions',
    'starts-and-time-outs',
    `More than one run in twenty of ${ENTRANCES.join(', ')} fails to start, fails whole or runs out of time`,
    'the last deployment, and the errors by function on the dashboard',
  );
  return [
    any,
    alarmAt(new Construct(scope, 'Entrances'), 'ErrorsAlarm', started, 1, unstarted, { of: 3, breach: 2 }),
    alarmAt(new Construct(scope, 'Waited'), 'FaultsAlarm', shareAbove(faults, runs, 0.05, 5, minute), 1, text, {
      of: 5,
      breach: 3,
    }),
  ];
}

/** For an agent with a queue of its own. */
export const replyAlarm = (scope: Construct, deployment: string, agent: string): AlarmBase =>
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

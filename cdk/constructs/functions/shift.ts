/** Shifts the calls of the gate's entrances to a new version, and back where an alarm stands. */
import type { AlarmBase, IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENTRANCES, type Entrance } from '../../../shared/config/live-alias.ts';
import { textOf } from '../alarm/alarm.ts';
import type { Shift } from '../props/props.ts';
import type { GateFunctions } from './gate-functions.ts';

/** The queue of proposals calls `evaluate` by whatever name; Slack and agents know the other two by theirs. */
const SHIFTED: Readonly<Record<Shift, readonly Entrance[]>> = {
  decisions: ['evaluate'],
  'decisions-at-once': ['evaluate'],
  linear: ENTRANCES,
  'at-once': ENTRANCES,
  none: [],
};

/** Gives the entrances a version and the alias that callers name: before anything is connected to them. */
export function publishEntrances(functions: GateFunctions, shift: Shift): void {
  for (const name of SHIFTED[shift]) functions[name].publish();
}

/** Pages and causes that tell of decisions and clicks. */
const stops = (alarm: AlarmBase): boolean => {
  const { raises, section } = textOf(alarm);
  return raises === 'decisions' || raises === 'clicks' || section === 'wrong-verdict';
};

export function shiftCalls(
  scope: Construct,
  functions: GateFunctions,
  alarms: readonly AlarmBase[],
  shift: Shift,
): void {
  const shifted = SHIFTED[shift];
  if (!shifted.length) return;
  const own = new Construct(scope, 'Shift');
  const application = new LambdaApplication(own, 'Application');
  const role = new Role(own, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  const linear = shift === 'linear' || shift === 'decisions';
  for (const name of shifted)
    new LambdaDeploymentGroup(own, name, {
      application,
      role,
      alias: functions[name].callee as Alias,
      deploymentConfig: linear
        ? LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE
        : LambdaDeploymentConfig.ALL_AT_ONCE,
      alarms: alarms.filter(stops) as readonly IAlarm[] as IAlarm[],
      // Left out, the alarms of a deployment before would go on to stop this one.
      ignoreAlarmConfiguration: !linear,
      autoRollback: { deploymentInAlarm: linear },
    });
}

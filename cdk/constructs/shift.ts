/** Shifts the calls of the gate's entrances to a new version, and back where an alarm stands. */
import type { AlarmBase, IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENTRANCES } from '../../shared/config/live-alias.ts';
import { textOf } from './alarm.ts';
import type { GateFunctions } from './gate-functions.ts';
import type { Shift } from './props.ts';

/** Gives each entrance a version and the alias that its callers name: before anything is connected to it. */
export function publishEntrances(functions: GateFunctions, shift: Shift): void {
  if (shift !== 'none') for (const name of ENTRANCES) functions[name].publish();
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
  if (shift === 'none') return;
  const own = new Construct(scope, 'Shift');
  const application = new LambdaApplication(own, 'Application');
  const role = new Role(own, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  const linear = shift === 'linear';
  for (const name of ENTRANCES)
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

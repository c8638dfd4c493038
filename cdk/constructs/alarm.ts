/**
 * Makes one alarm on a plain metric, quiet where nothing happens.
 * Neither local endpoint carries metric math.
 */
import { type Alarm, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

export function alarmAt(
  scope: Construct,
  id: string,
  metric: Metric,
  threshold: number,
  alarmDescription: string,
): Alarm {
  return metric.createAlarm(scope, id, {
    alarmDescription,
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** For what has to happen all the time: silence is the fault. */
export function alarmWithout(scope: Construct, id: string, metric: Metric, alarmDescription: string): Alarm {
  return metric.createAlarm(scope, id, {
    alarmDescription,
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  });
}

/** Makes alarms on the canary: a wrong verdict, and a gate that gives it no answer. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmBase, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmOptions, alarmAt, alarmWithout, cause, logOf, page } from '../alarm/alarm.ts';
import { gateMetric } from '../alarm/metrics.ts';
import type { GateFunctions } from '../functions/gate-functions.ts';

/** Three runs: one that is late by a cold start is no fault. */
const quarter = Duration.minutes(15);

export function ofCanary({ canary }: GateFunctions, { deployment, hasCanary }: AlarmOptions): AlarmBase[] {
  const sum = (name: 'CanaryPassed' | 'CanaryWrong', period?: Duration) =>
    gateMetric(deployment, name, Stats.SUM, {}, period);
  const wrong = alarmAt(
    canary,
    'WrongVerdictAlarm',
    sum('CanaryWrong'),
    1,
    page(
      'wrong-verdict',
      'THE GATE ALLOWS WHAT IT MUST NOT: calls that a rule denies, or that people have to be asked about, are approved, or a permit is of use twice',
      "countersign pause --all --deny --reason 'wrong verdict'",
    ),
  );
  if (!hasCanary) return [wrong];
  const text = cause(
    'decisions',
    'canary-without-an-answer',
    'The gate does not decide: for a quarter of an hour no run of the canary got all its answers',
    logOf('canary and evaluate'),
  );
  return [wrong, alarmWithout(canary, 'UnansweredAlarm', sum('CanaryPassed', quarter), text)];
}

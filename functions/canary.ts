/** Proposes as the canary, and measures whether the gate decides as it must. */
import { type CanaryReport, runCanary } from '../shared/client/canary.ts';
import { CANARY } from '../shared/domain/canary.ts';
import { readEnv } from './runtime/env.ts';
import { withTelemetry } from './runtime/observing.ts';
import { count, log } from './runtime/telemetry/observe.ts';

const env = readEnv('canary');

/** A run that shows a fault is no fault of this function: its answer has the checks. */
export const handler = withTelemetry<unknown, CanaryReport>(async () => {
  const report = await runCanary({
    deployment: env.DEPLOYMENT,
    queueUrl: env.PROPOSALS_QUEUE_URL,
    auditTable: env.AUDIT_TABLE,
  });
  for (const { expected, result, got, proposalId, ms } of report.checks) {
    count('CanaryTime', ms, { check: expected });
    if (result === 'wrong') count('CanaryWrong', 1, { check: expected });
    if (result !== 'right')
      log(result === 'stricter' ? 'warn' : 'error', 'the gate decided otherwise than the canary expects', {
        agent: CANARY,
        proposalId,
        expected,
        result,
        got,
      });
  }
  count('CanaryPassed', report.passed ? 1 : 0);
  return report;
});

/** Proposes as the canary, and measures whether the gate decides as it must. */
import { type CanaryReport, runCanary } from '../shared/client/canary/canary.ts';
import { CANARY } from '../shared/domain/canary.ts';
import { readEnv } from './runtime/env.ts';
import { count, log } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';

const env = readEnv('canary');

/** Longer than a cold start of `evaluate`, because a question that is received after its end is never asked. */
const EXPIRES_AFTER_MS = 15_000;

/** Does not throw for a failed check: the answer lists all checks. */
export const handler = withTelemetry<unknown, CanaryReport>(async (event) => {
  const report = await runCanary(
    {
      deployment: env.DEPLOYMENT,
      queueUrl: env.PROPOSALS_QUEUE_URL,
      auditTable: env.AUDIT_TABLE,
      redeemFunction: env.REDEEM_FUNCTION,
      outcomesQueueUrl: env.OUTCOMES_QUEUE_URL,
    },
    waitsForExpiry(event) ? { expiresAfterMs: EXPIRES_AFTER_MS } : {},
  );
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

/** Whether the run also lets a question expire: the first scheduled run of each hour does, and each run that somebody asks for. */
function waitsForExpiry(event: unknown): boolean {
  const { time } = (event ?? {}) as { readonly time?: unknown };
  return typeof time !== 'string' || new Date(time).getUTCMinutes() < 5;
}

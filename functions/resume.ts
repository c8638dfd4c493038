/**
 * Ends the wait of an approval: decides again with what people answered.
 * Never believes its input beyond the pid.
 */
import { resolveApproval, StillWaiting } from '../shared/use-cases/approvals/resolve-approval.ts';
import { readEnv } from './runtime/env.ts';
import { resolveDependencies } from './runtime/finish.ts';
import { withTelemetry } from './runtime/observing.ts';
import { lazy } from './runtime/once.ts';
import { count, log } from './runtime/telemetry/observe.ts';
import { traced } from './runtime/trace.ts';
import { lazyUnsealer } from './runtime/wiring.ts';

const env = readEnv('resume');
const unsealer = lazy(() => lazyUnsealer(env));

/** @throws StillWaiting, which the workflow catches by name, to wait on. */
export const handler = withTelemetry<{ readonly pid: string }, { readonly state: string }>(
  async ({ pid }) => {
    const finished = await traced('resume', pid, async () =>
      resolveApproval(pid, { ...(await resolveDependencies(env)), unsealer: unsealer() }),
    );
    if (finished.state === 'waiting') throw new StillWaiting();
    // A row outlasts its execution by months: somebody took it away, and nobody will answer its sender.
    if (finished.state === 'missing') {
      count('RowsOrphaned');
      log('error', 'an execution waits for an approval that is not there', { pid });
    }
    return finished;
  },
  ({ pid }) => ({ pid }),
);

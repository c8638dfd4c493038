/**
 * Ends the wait of an approval: decides again with what people answered.
 * Never believes its input beyond the pid.
 */
import type { ResumeEvent } from '../shared/adapters/lambda/resumer.ts';
import { resolveApproval, StillWaiting } from '../shared/use-cases/approvals/resolution/resolve-approval.ts';
import { resolveBeside } from '../shared/use-cases/approvals/resolution/resolve-beside.ts';
import { readEnv } from './runtime/env.ts';
import { lazy } from './runtime/lazy.ts';
import { count, log } from './runtime/telemetry/observe.ts';
import { traced } from './runtime/telemetry/trace.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { lazyUnsealer } from './runtime/wiring/base.ts';
import { lazyWaits } from './runtime/wiring/lazy-workflow.ts';
import { resolveDependencies } from './runtime/wiring/resolve-approvals.ts';

const env = readEnv('resume');
const workflow = lazyWaits();
const unsealer = lazy(() => lazyUnsealer(env));

/** @throws StillWaiting, which the workflow catches by name and goes back to its wait. A call from beside the workflow gets an answer instead. */
export const handler = withTelemetry<ResumeEvent, { readonly state: string }>(
  async ({ pid, beside }) => {
    const finished = await traced('resume', pid, async () => {
      const deps = { ...(await resolveDependencies(env)), unsealer: unsealer() };
      return beside ? resolveBeside(pid, { ...deps, workflow }) : resolveApproval(pid, deps);
    });
    if (finished.state === 'waiting' && !beside) throw new StillWaiting();
    // Rows outlast executions by months: somebody deleted this one, so nobody will answer its sender.
    if (finished.state === 'missing') {
      count('RowsOrphaned');
      log('error', 'an execution waits for an approval that is not there', { pid });
    }
    return finished;
  },
  ({ pid }) => ({ pid }),
);

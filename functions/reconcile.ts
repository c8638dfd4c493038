/** Repairs each minute what a crash or an outage left. */
import { recountWaiting } from '../shared/adapters/dynamodb/approvals/waiting-slots.ts';
import { CANARY } from '../shared/domain/canary.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { storePolicy } from '../shared/use-cases/audit/proposal-text.ts';
import { oldestByGroup, oldestPause, withoutCard } from '../shared/use-cases/reconcile/ages.ts';
import { reconcile } from '../shared/use-cases/reconcile/reconcile.ts';
import { dynamo } from './runtime/clients/aws.ts';
import { readEnv } from './runtime/env.ts';
import { lazyAsync } from './runtime/lazy.ts';
import { count, log, logFault } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { guardedDependencies } from './runtime/wiring/guarded-runs.ts';
import { lazyResumer } from './runtime/wiring/lazy-resumer.ts';
import { lazyWorkflow } from './runtime/wiring/lazy-workflow.ts';
import { resolveDependencies } from './runtime/wiring/resolve-approvals.ts';

const env = readEnv('reconcile');
/** Time kept back for the rows that are in work when the time is nearly over, and to count what waits. */
const RESERVE_MS = 10_000;

const resumer = lazyResumer(env.RESUME_FUNCTION);

/** The newest version of the row of pauses that this process has read. The row never goes back by itself, nor is it ever removed. */
let newestControl = 0;

/** A process has one policy file. */
const policySince = systemClock.now();

/** Once a process: a new policy file comes with a new process, and its text stands in the record within a minute. */
const policyStored = lazyAsync(storePolicy);

export const handler = withTelemetry<unknown, void>(async (_event, context) => {
  const workflow = lazyWorkflow(env.STATE_MACHINE_ARN);
  const deps = { ...(await guardedDependencies(env)), ...(await resolveDependencies(env)), workflow, resumer };
  await policyStored(deps).catch((error: unknown) =>
    logFault('the text of the policy could not be stored', error, { run: true }),
  );
  const until = deps.clock.now() + context.getRemainingTimeInMillis() - RESERVE_MS;
  const { looked, failed, orphans, oldestMs, listFault } = await reconcile(deps, until);
  for (const { pid, error } of failed) logFault('an approval could not be repaired', error, { pid });
  for (const pid of orphans) log('error', 'a row that was due belongs to nothing', { pid });
  count('OldestDue', oldestMs);
  if (orphans.length) count('RowsOrphaned', orphans.length);
  if (failed.length) count('RepairsFailed', failed.length);
  const control = await deps.control.read();
  if (control.version < newestControl) {
    // Without it no pause holds, and permits that were made void count again.
    count('RowsOrphaned');
    log('error', 'the row of pauses is gone, or as it was before', { run: true });
  }
  newestControl = control.version;
  count('OldestPause', oldestPause(control, deps.clock.now()));
  const { agents, approvers } = deps.policy.settings;
  const names = { agents: Object.keys(agents), groups: [...Object.keys(approvers), CANARY] };
  const waiting = await recountWaiting(dynamo(), env.STATE_TABLE, names, deps.clock.now());
  count('ApprovalsWaiting', waiting.rows);
  for (const { group, ms } of oldestByGroup(waiting.oldest, names.groups, deps.clock.now()))
    count('OldestWaiting', ms, { group });
  count('WaitingWithoutCard', await withoutCard(waiting.soon, deps));
  if (waiting.corrected) count('PlacesRecounted', waiting.corrected);
  const { strays, listed } = waiting;
  if (strays.length || listed.length) {
    const { endAbandoned } = await import('../shared/use-cases/reconcile/end-abandoned.ts');
    const unended = await endAbandoned({ lost: strays, listed }, { ...deps, policySince });
    for (const { pid, error } of unended)
      logFault('a question that nobody can answer could not be ended', error, { pid });
    if (unended.length) count('RepairsFailed', unended.length);
  }
  if (listFault !== undefined) throw listFault;
  // Last: its silence is an alarm, also on the figures above.
  count('ApprovalsLookedAfter', looked);
});

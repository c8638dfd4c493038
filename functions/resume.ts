/** Ends the wait of an approval: decides again with what people answered. Never believes its input beyond the pid. */
import { finish, StillWaiting } from '../shared/use-cases/approvals/resolve-approval.ts';
import { readEnv } from './runtime/env.ts';
import { finishGate } from './runtime/finish.ts';
import { observing } from './runtime/observing.ts';
import { once } from './runtime/once.ts';
import { traced } from './runtime/trace.ts';
import { lazyUnsealer } from './runtime/wiring.ts';

const env = readEnv('resume');
const unsealer = once(() => lazyUnsealer(env));

/** @throws StillWaiting, which the workflow catches by name, to wait on. */
export const handler = observing<{ readonly pid: string }, { readonly state: string }>(async ({ pid }) => {
  const finished = await traced('resume', pid, async () =>
    finish(pid, { ...(await finishGate(env)), unsealer: unsealer() }),
  );
  if (finished.state === 'waiting') throw new StillWaiting();
  return finished;
});

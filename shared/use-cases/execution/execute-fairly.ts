/** Runs approved calls within their agent's share; those beyond it wait in the queue. */
import type { CarriedMessage } from '../../ports/carried-message.ts';
import type { SlotStore } from '../../ports/stores/guardrail-state.ts';
import { EXECUTIONS_SHARE, withinShare } from '../fair-share.ts';
import { resolveSender } from '../identity.ts';
import { delayByAge } from '../intake/resend.ts';
import type { ExecutionDependencies, ExecutionMessage } from './dependencies.ts';
import { execute, isInTime } from './execute.ts';

export interface RunDependencies {
  readonly slots: SlotStore;
  /** Sends a message to its own queue anew, after so many seconds: its receipts count from one. */
  readonly runs: { carry(message: CarriedMessage, agent: string, delaySeconds: number): Promise<void> };
}

/** The record is read for those only that have waited so long: a share is mostly full for less. */
const READ_FROM_MS = 15 * 60_000;

export async function executeFairly(
  message: ExecutionMessage & CarriedMessage,
  deps: ExecutionDependencies,
  { slots, runs }: RunDependencies,
): Promise<void> {
  const now = deps.clock.now();
  const agent = await resolveSender(message.principal, deps.agents, deps);
  if (agent === undefined) return execute(message, deps);
  const { messageId } = message;
  if (await withinShare(EXECUTIONS_SHARE, { agent, messageId }, slots, () => execute(message, deps))) return;
  // A call whose permit has expired waits no more: `execute` refuses it at once, without running it.
  if (now - message.firstSentAt >= READ_FROM_MS && !(await isInTime(message, agent, deps)))
    return execute(message, deps);
  const { principal, firstSentAt, raw } = message;
  await runs.carry({ messageId, principal, firstSentAt, raw }, agent, delayByAge(message, now));
}

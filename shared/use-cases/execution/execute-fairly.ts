/** Runs approved calls within the share of their agent; those beyond it wait in the queue, and hold up nobody. */
import type { Carried } from '../../ports/carried.ts';
import type { SlotStore } from '../../ports/guardrail-state.ts';
import { EXECUTIONS_SHARE, withinShare } from '../fair-share.ts';
import { whoSent } from '../identity.ts';
import { delayByAge } from '../intake/resend.ts';
import type { ExecuteGate, ExecutionMessage } from './dependencies.ts';
import { execute } from './execute.ts';

export interface RunDependencies {
  readonly slots: SlotStore;
  /** Sends a message to its own queue anew, after so many seconds: its receipts count from one. */
  readonly runs: { carry(message: Carried, agent: string, delaySeconds: number): Promise<void> };
}

/** Permits last minutes: what waited so long is refused by its permit, which takes no time. */
const MAX_WAIT_MS = 60 * 60_000;

export async function executeFairly(
  message: ExecutionMessage & Carried,
  gate: ExecuteGate,
  { slots, runs }: RunDependencies,
): Promise<void> {
  const now = gate.clock.now();
  const agent = await whoSent(message.principal, gate.agents, gate);
  if (agent === undefined || now - message.firstSentAt >= MAX_WAIT_MS) return execute(message, gate);
  const { messageId } = message;
  if (await withinShare(EXECUTIONS_SHARE, { agent, messageId }, slots, () => execute(message, gate))) return;
  const { principal, firstSentAt, raw } = message;
  await runs.carry({ messageId, principal, firstSentAt, raw }, agent, delayByAge(message, now));
}

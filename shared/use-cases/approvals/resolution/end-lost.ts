/** Ends a question whose row is gone: no vote and no time ends it any more. */
import { decisionOf, recordOf, type Subject } from '../../audit/audit-entry.ts';
import type { BaseDependencies } from '../../dependencies.ts';
import type { KernelAnswer } from '../../kernel/calls/run.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { replyOrComeAgain } from '../reply.ts';

/**
 * Only for a claim that asks and an approval that was read after it, and is not there: both were written together, so that somebody removed the row
 * since, as by restoring a table. An end that the record has stands, and nobody is told again.
 */
export async function endLost(
  subject: Subject,
  answer: KernelAnswer,
  deps: Pick<ResolveDependencies, 'audit' | 'replies' | keyof BaseDependencies>,
  stated: { readonly detail?: string } = {},
): Promise<void> {
  const decision = decisionOf(answer, subject, deps);
  const end = recordOf(deps, subject, 'decided', { type: 'decided', ...stated }, decision);
  if (await deps.audit.put(end)) await replyOrComeAgain(subject.agent, decision, deps);
}

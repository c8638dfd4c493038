/** Brings dead letters back for an operator. */
import type { RedriveOperation } from '../../contract/operation.ts';
import { MAX_REDRIVEN } from '../../contract/redrive.ts';
import type { OperatorDependencies } from './dependencies.ts';
import type { OperationResult } from './refusal.ts';

/** Harmless when its message is delivered twice: the second time finds what is left. The figures are those of the time that is recorded. */
export async function redrive(
  { queue, limit = MAX_REDRIVEN }: RedriveOperation,
  { deadLetters }: Pick<OperatorDependencies, 'deadLetters'>,
): Promise<OperationResult> {
  const { moved, left } = await deadLetters.redrive(queue, limit);
  return { accepted: true, code: 'redriven', redriven: { moved, left } };
}

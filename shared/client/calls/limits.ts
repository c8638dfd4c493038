/** Checks the limits and the fallback that a call states, before people are asked about it. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { fieldOf, jsonWords } from '../../domain/issue-messages.ts';
import { fn, record } from '../../domain/settings.ts';
import type { CallOptions } from './call-options.ts';

/** The gate would refuse them once people have approved the call. @throws InvalidSettingError that names the limit */
export async function checkLimits({
  limits,
  fallback,
}: Pick<CallOptions<unknown>, 'limits' | 'fallback'>): Promise<void> {
  if (fallback !== undefined) fn(fallback, 'fallback');
  if (limits === undefined) return;
  record(limits, 'limits');
  // Most calls state none, and the schema is large to load.
  const { invocationLimits } = await import('../../guardrails/settings/settings.ts');
  const { error } = invocationLimits.safeParse(limits, { error: jsonWords });
  const issue = error?.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(invocationLimits.shape).join(', ');
    throw new InvalidSettingError(`limits.${issue.keys[0]}`, `is no limit of a call: there are ${known}`);
  }
  if (issue) throw new InvalidSettingError(`limits.${fieldOf(issue.path)}`, issue.message);
}

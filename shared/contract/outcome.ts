/** Declares the outcome of a run: reported under its permit by the runner, or recorded by the gate. */
import * as z from 'zod';
import { digest, errorCategory, identifier, instant, schemaVersion, text } from './primitives.ts';

export const outcomeStatus = z.enum(['succeeded', 'failed', 'unknown']);

/** Checks a report on the run of an approved action. A property that is not known is refused. */
export const outcome = z.strictObject({
  schemaVersion: schemaVersion.optional(),
  proposalId: identifier,
  callId: identifier,
  permitId: identifier,
  actionDigest: digest,
  status: outcomeStatus.describe('`unknown`: it may have happened (G32).'),
  startedAt: instant,
  durationMs: z.number().nonnegative().max(1e12),
  cost: z
    .number()
    .nonnegative()
    .max(1e9)
    .optional()
    .describe('What it cost, in the unit of the budgets; never negative (G29).'),
  error: z
    .strictObject({
      category: errorCategory
        .optional()
        .describe(
          '`ExecutionError` if absent. A `ContractError` or an `AuthError` does not count against the tool (R3-049).',
        ),
      code: identifier,
      message: text(1000).describe('Stands in the record, without secrets. Empty: nothing is said.'),
    })
    .optional(),
});
/** The end of the run of an approved action. */
export type Outcome = z.infer<typeof outcome>;

/** A report of the process that redeemed the permit. Only that process knows the redemption's id. */
export const outcomeReport = outcome.extend({ agent: identifier, redemptionId: identifier });

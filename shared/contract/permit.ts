/** The right to run one approved call once (A19). */
import * as z from 'zod';
import { digest, effect, identifier, instant } from './primitives.ts';

export const permit = z.strictObject({
  permitId: identifier.describe('Keyed: who can name it has read the decision.'),
  actionDigest: digest.describe('The call that may run; any other is refused.'),
  definition: digest.optional().describe('Of the MCP tool as it was listed then: under another one it is void.'),
  permitEpoch: z.int().nonnegative().describe('Permits of an older epoch are void (A26).'),
  issuedAt: instant,
  expiresAt: instant,
  guardrails: z
    .strictObject({ effect, timeoutMs: z.number().nonnegative(), maxRetries: z.int().nonnegative() })
    .optional()
    .describe('As resolved when the call was approved; at execution the tighter of these and the present ones hold.'),
});
export type Permit = z.infer<typeof permit>;

/** The right to run one approved call once (A19). */
import * as z from 'zod';
import { digest, identifier, instant } from './primitives.ts';

export const permit = z.strictObject({
  permitId: identifier,
  actionDigest: digest.describe('The call that may run; any other is refused.'),
  permitEpoch: z.int().nonnegative().describe('Permits of an older epoch are void (A26).'),
  issuedAt: instant,
  expiresAt: instant,
});
export type Permit = z.infer<typeof permit>;

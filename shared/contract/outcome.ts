/** What happened when an approved action ran. */
import * as z from 'zod';
import { digest, identifier, instant, schemaVersion, text } from './primitives.ts';

export const outcome = z.strictObject({
  schemaVersion: schemaVersion.optional(),
  proposalId: identifier,
  callId: identifier,
  permitId: identifier,
  actionDigest: digest,
  status: z.enum(['succeeded', 'failed', 'unknown']),
  startedAt: instant,
  durationMs: z.number().nonnegative(),
  error: z.strictObject({ code: identifier, message: text(1000) }).optional(),
});
export type Outcome = z.infer<typeof outcome>;

/** What a run of the kernel cannot compute again: the answers of people and models, and the time it began (A16). */
import * as z from 'zod';
import { person } from './approval.ts';
import { digest, identifier, instant, text } from './primitives.ts';

const entry = { place: identifier, round: z.int().min(0).max(64), at: instant };

export const journalEntry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('now'), ...entry }),
  z.strictObject({
    type: z.literal('human'),
    ...entry,
    digest: digest.describe('Of the question that was asked.'),
    stagesDigest: digest,
    calls: z.array(identifier).min(1).max(20).describe('The calls that were asked about.'),
    result: z.enum(['approved', 'rejected', 'expired', 'cancelled']),
    by: z.array(z.strictObject({ person, name: text(200) })),
    reason: text(1000).optional(),
  }),
]);
export type JournalEntry = z.infer<typeof journalEntry>;
export type HumanAnswer = Extract<JournalEntry, { type: 'human' }>;

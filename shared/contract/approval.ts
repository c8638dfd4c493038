/** One wait for people: what they are asked, who may answer, what they said, how it ended. */
import * as z from 'zod';
import { digest, identifier, instant, severity, text } from './primitives.ts';

/** A Slack user. Both ids come from the signed request, never from a display name. */
export const person = z.strictObject({ team: identifier, user: identifier });
export type Person = z.infer<typeof person>;

/** Who has to answer, frozen when the question was asked. */
export const stage = z.strictObject({
  group: identifier,
  quorum: z.int().min(1),
  team: identifier.describe('Slack workspace of the channel.'),
  channel: identifier.describe('Slack channel id.'),
});
export type Stage = z.infer<typeof stage>;

/** One call that waits; its arguments are in the proposal, kept once beside the row. */
export const askedCall = z.strictObject({
  id: identifier,
  toolName: text(128),
  actionDigest: digest,
  why: text(1000),
  rule: z.strictObject({ id: text(200), pattern: text(1000), source: text(32) }).optional(),
  severity,
});
export type AskedCall = z.infer<typeof askedCall>;

/** The question that a run of the kernel could not answer by itself (A16). */
export const question = z.strictObject({
  place: identifier.describe('Where in the run it was asked; the journal is keyed by it.'),
  digest: digest.describe('Of exactly what is asked: an answer to another digest does not count.'),
  calls: z.array(askedCall).min(1).max(20),
  stages: z.array(stage).min(1),
  stagesDigest: digest,
});
export type Question = z.infer<typeof question>;

export const vote = z.strictObject({
  by: person,
  name: text(200).describe('As Slack knew the person; for display only.'),
  choice: z.enum(['approve', 'reject']),
  reason: text(1000).optional(),
  remember: z
    .enum(['session', 'session-all-tools'])
    .optional()
    .describe('Approves the same call, or all calls of the tool, for the rest of the session (D22).'),
  at: instant,
  via: z.enum(['slack', 'operators']),
});
export type Vote = z.infer<typeof vote>;

export const approvalStatus = z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled']);
export type ApprovalStatus = z.infer<typeof approvalStatus>;

export const approval = z.strictObject({
  pid: digest,
  proposalId: identifier,
  agent: identifier,
  owner: person,
  sessionId: identifier,
  version: z
    .int()
    .nonnegative()
    .describe('Every change is written on the condition that it is still the one read (A7).'),
  round: z.int().min(1).max(20),
  status: approvalStatus,
  question,
  votes: z.array(vote),
  requestedAt: instant,
  expiresAt: instant,
  endedAt: instant.optional(),
  policyVersion: digest,
});
export type Approval = z.infer<typeof approval>;

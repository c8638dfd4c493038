/** Declares the terminal answer to the agent. */
import * as z from 'zod';
import { permit } from './permit.ts';
import { digest, identifier, instant, jsonObject, text, writtenVersion } from './primitives.ts';

export const outcomeOfDecision = z.enum([
  'approved',
  'denied',
  'expired',
  'cancelled',
  'superseded',
  'answered',
  'error',
]);
/** How a proposal ended. */
export type DecisionOutcome = z.infer<typeof outcomeOfDecision>;

export const decidedBy = z.strictObject({
  type: z.enum(['rule', 'classifier', 'policy', 'human', 'system']),
  id: text(300).min(1).describe('The rule, stage, policy or person that decided.'),
});
/** The rule, classifier, policy, person or part of the gate that decided. */
export type DecidedBy = z.infer<typeof decidedBy>;

const answer = {
  outcome: outcomeOfDecision,
  message: text(4000).min(1).describe('Written for the model that asked.'),
  reasonCode: identifier,
  decidedBy,
};

export const callDecision = z.strictObject({
  id: identifier,
  ...answer,
  actionDigest: digest.nullable().describe('Of what may run: the effective action, if the call has one.'),
  effective: z
    .strictObject({
      input: jsonObject.describe('Run the call with these arguments, not with those that were proposed.'),
      proposedDigest: digest.describe('Of the call as it was proposed.'),
    })
    .optional()
    .describe(
      'Present exactly when a person edited the call (D23), or a rule allows its command as the gate prints it (D44).',
    ),
  permit: permit.optional().describe('Present exactly when the outcome is approved.'),
});
export type CallDecision = z.infer<typeof callDecision>;

export const decision = z.strictObject({
  schemaVersion: writtenVersion,
  proposalId: identifier
    .nullable()
    .describe('null: the message could not be read that far (D35), or its id holds a secret.'),
  ...answer,
  policyVersion: digest,
  actionDigest: digest.nullable().describe('Of the one call; of the list of digests for several; null without a call.'),
  decidedAt: instant,
  calls: z.array(callDecision).max(20),
  answer: z.unknown().optional().describe('What a person answered an input request with, or the chosen action.'),
  state: text(4096).optional(),
  messageId: text(200).optional().describe('The queue message that could not be read, or whose proposalId is null.'),
  rawDigest: digest.optional().describe('SHA-256 of the bytes that could not be read.'),
});
/** The terminal answer to a proposal: an outcome, who decided, why, and for exactly which action. */
export type Decision = z.infer<typeof decision>;

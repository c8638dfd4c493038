/** What an operator may tell the gate through the operators queue (A5, A18). */
import * as z from 'zod';
import { identifier, instant, schemaVersion, text } from './primitives.ts';

const envelope = {
  schemaVersion: schemaVersion.optional(),
  operationId: identifier,
  reason: text(1000).min(1, 'must not be empty'),
};

/** The emergency brake: holds at once, for everything, one agent or one tool, until a time or until it is lifted. */
export const pauseOperation = z.strictObject({
  kind: z.literal('pause'),
  ...envelope,
  scope: z.union([
    z.strictObject({ all: z.literal(true) }),
    z.strictObject({ agent: identifier }),
    z.strictObject({ tool: identifier }),
  ]),
  effect: z.enum(['deny', 'ask', 'lift']),
  until: instant.optional(),
});

/** Break-glass: one vote by an operator, through the machine's own identity instead of Slack. Never lifts a deny. */
export const decideOperation = z.strictObject({
  kind: z.literal('decide'),
  ...envelope,
  agent: identifier,
  proposalId: identifier,
  choice: z.enum(['approve', 'reject']),
});

export const operation = z.discriminatedUnion('kind', [pauseOperation, decideOperation]);
export type Operation = z.infer<typeof operation>;
export type PauseOperation = z.infer<typeof pauseOperation>;
export type DecideOperation = z.infer<typeof decideOperation>;

/** What an operator may tell the gate through the operators queue (A5, A18). */
import * as z from 'zod';
import { identifier, instant, mode, schemaVersion, text } from './primitives.ts';

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
  remember: z.enum(['session', 'session-all-tools']).optional(),
});

const ofSession = { ...envelope, agent: identifier, session: identifier };

/** The mode of one session; `agent` gives it back to the agent's own. Only an operator loosens (A3). */
export const setModeOperation = z.strictObject({
  kind: z.literal('set-mode'),
  ...ofSession,
  mode: z.union([mode, z.literal('agent')]),
});

/** Takes back what people approved for the rest of a session: grants and allow rules, of one tool or of all. */
export const revokeOperation = z.strictObject({
  kind: z.literal('revoke'),
  ...ofSession,
  tool: text(128).min(1).optional(),
});

export const operation = z.discriminatedUnion('kind', [
  pauseOperation,
  decideOperation,
  setModeOperation,
  revokeOperation,
]);
export type Operation = z.infer<typeof operation>;
export type PauseOperation = z.infer<typeof pauseOperation>;
export type SessionOperation = z.infer<typeof setModeOperation> | z.infer<typeof revokeOperation>;
export type DecideOperation = z.infer<typeof decideOperation>;

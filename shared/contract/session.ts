/** Declares the session row: mode, rules, denials, grants, refusals, recent calls, parent. */
import * as z from 'zod';
import { added } from './additions.ts';
import { grantScope, person, voter } from './approval.ts';
import { operationOrder } from './operation-order.ts';
import { digest, identifier, instant, LIMITS, mode, text } from './primitives.ts';

/** Names the row of all sessions of an agent, which holds its user rules. A message cannot name it, because it is no identifier. */
export const EVERY_SESSION = '*';

/** The most people in whose name one session may be started. All of them are remembered, because none may approve its calls. */
export const MAX_STARTED_FOR = 50;

/** The agent's name is part of every key. */
export const sessionName = z.strictObject({ agentId: identifier, sessionId: identifier });
/** A session of an agent. */
export type SessionName = z.infer<typeof sessionName>;

/** A rule that came after deployment. The source is never that of the policy file's own rules. */
export const sessionRule = z.strictObject({
  effect: z.enum(['deny', 'ask', 'allow']),
  pattern: text(1000).min(1),
  source: z.enum(['session', 'user']),
  reason: text(300).optional(),
  expiresAt: instant.optional().describe('Compared on read (D36).'),
  by: text(200),
  at: added(instant.optional().describe('When it was added; absent in rules of earlier releases.')),
});
export type SessionRule = z.infer<typeof sessionRule>;

const ids = text(300).describe('Slack ids. Names in rows of earlier releases.');

/** A remembered approval. `key` is keyed and covers every bound field: nothing else of the call is kept. */
export const storedGrant = z.strictObject({
  key: digest,
  scope: grantScope,
  toolName: text(128),
  approvedBy: ids,
  givenBy: z
    .array(voter)
    .max(LIMITS.givers)
    .optional()
    .describe('Each of them may revoke it. It answers a call only if one of them could approve that call now (D52).'),
  approvedAt: instant,
  expiresAt: instant,
});
export type StoredGrant = z.infer<typeof storedGrant>;

/** A person's refusal of exactly this action. */
export const storedRefusal = z.strictObject({ key: digest, by: ids, reason: text(1000).optional(), at: instant });
export type StoredRefusal = z.infer<typeof storedRefusal>;

/** One call that the gate judged, for a classifier's context. */
export const recentCall = z.strictObject({
  key: digest,
  toolName: text(128),
  verdict: z.enum(['allow', 'deny', 'ask', 'error']),
  files: z.array(text(300)).max(5),
  at: instant,
});
export type RecentCall = z.infer<typeof recentCall>;

export const session = z.strictObject({
  agent: identifier,
  sessionId: z.union([identifier, z.literal(EVERY_SESSION)]),
  version: z
    .int()
    .nonnegative()
    .describe('0: not stored yet. Every change is written on the condition of the one read.'),
  mode: mode
    .optional()
    .describe(
      "Only if somebody set it; else the agent's mode counts. Set for every session too, the stricter holds (D58).",
    ),
  rules: z.array(sessionRule).max(100),
  consecutive: z.int().nonnegative(),
  total: z.int().nonnegative(),
  lastDeniedAt: instant.optional(),
  denied: z.array(digest).max(100).describe('Keyed digests of calls that were denied, blanks collapsed; newest last.'),
  grants: z.array(storedGrant).max(100),
  revoked: added(
    z
      .array(z.strictObject({ toolName: text(128).optional(), at: instant }))
      .max(50)
      .optional()
      .describe('Grants until then are void; in the row of all sessions all. No tool: those of every tool.'),
  ),
  refusals: z.array(storedRefusal).max(50),
  recent: z.array(recentCall).max(20),
  parent: sessionName.optional(),
  startedFor: added(
    z
      .array(person)
      .max(MAX_STARTED_FOR)
      .optional()
      .describe('The people in whose name it was started: none of them may approve its calls (G19).'),
  ),
  done: z
    .array(text(16))
    .max(20)
    .optional()
    .describe('The last operations on it with their results: one that is delivered again is done once.'),
  order: added(
    operationOrder
      .optional()
      .describe('The newest operations on it, by the time of sending: an older operation that loosens has no effect.'),
  ),
  updatedAt: instant,
});
export type SessionRow = z.infer<typeof session>;

/** The facts of one level of a chain of sessions: the agent's own first, then its parent's, up to the root. */
export const levelFacts = z.strictObject({
  agent: identifier,
  sessionId: identifier,
  mode,
  agentMode: added(
    mode
      .optional()
      .describe(
        'The mode set for all sessions of the agent, where the session has a mode of its own: the stricter holds (D58).',
      ),
  ),
  rules: z.array(sessionRule).max(200).describe('Those of the session, and those of every session of its agent.'),
  rulesDigest: added(
    digest.optional().describe('Of all rules, where `rules` holds those that may concern the proposal (A15).'),
  ),
  consecutive: z.int().nonnegative(),
  total: z.int().nonnegative(),
  calls: z
    .array(
      z.strictObject({
        id: identifier,
        grant: z.strictObject({ scope: grantScope, approvedBy: text(300), key: added(digest.optional()) }).optional(),
        refusal: z.strictObject({ by: text(300), reason: text(1000).optional() }).optional(),
        deniedBefore: z.boolean().optional(),
      }),
    )
    .max(20),
});
export type LevelFacts = z.infer<typeof levelFacts>;

/** `cycle`: the parents form a loop, or are too many. `unlisted`: the policy file no longer allows one of them. */
export const chainEnd = z.enum(['root', 'cycle', 'unlisted']);
export type ChainEnd = z.infer<typeof chainEnd>;

/** A chain that may stand above a session whose start is unknown. Only its denials and questions count. */
export const possibleParent = z.strictObject({ levels: z.array(levelFacts).min(1).max(34), end: chainEnd });
export type PossibleParent = z.infer<typeof possibleParent>;

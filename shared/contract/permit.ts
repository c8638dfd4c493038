/** Declares the right to run one approved call once. */
import * as z from 'zod';
import { person, voter } from './approval.ts';
import { agentFolders, digest, effect, identifier, instant, LIMITS, mode, text } from './primitives.ts';

/** The grounds that allowed a call. A redemption requires that all of them still hold. */
export const allowedBy = z.strictObject({
  people: z
    .array(voter)
    .max(LIMITS.votes + 20)
    .optional()
    .describe('The people who approved or edited it: each of them must still be allowed to.'),
  folders: agentFolders
    .optional()
    .describe(
      'The folders of its agent when it was judged: if the policy file names others later, the permit is void (D22, D52).',
    ),
  yes: z
    .enum(['silence', 'confirmation'])
    .optional()
    .describe(
      '`silence`: nobody answered in time, and the policy counts that as a yes (D32). `confirmation`: the requester confirmed it (D34).',
    ),
  rules: z.array(digest).max(40).optional().describe('Digests of the rules.'),
  grants: z.array(digest).max(40).optional().describe('Keys of what people approved for later (D22).'),
  requester: person.optional().describe('With grants: in whose name the agent asked.'),
  mode: mode.optional().describe('The mode that the proposal stated.'),
  idempotencyKey: identifier
    .optional()
    .describe('As the proposal stated it: the tool gets it on every run. Absent: one of the call.'),
  answers: z
    .array(
      z.strictObject({
        type: z.enum(['classifier', 'hook']),
        at: text(300).describe('The level of the chain of sessions, and the name of a hook.'),
        decision: z.enum(['block', 'deny', 'allow', 'ask', 'pass']),
        mode: mode.optional(),
      }),
    )
    .max(60)
    .optional()
    .describe('Answers of classifiers and hooks, which are not asked again.'),
});
export type AllowedBy = z.infer<typeof allowedBy>;

export const permit = z.strictObject({
  permitId: identifier.describe('Keyed: only a reader of the decision can name it.'),
  actionDigest: digest.describe('The call that may run; any other is refused.'),
  definition: digest
    .optional()
    .describe('Digest of the MCP tool’s definition: under another definition the permit is void.'),
  allowedBy: allowedBy.optional().describe('Absent in permits of earlier versions.'),
  permitEpoch: z.int().nonnegative().describe('Permits of an older epoch are void (A26).'),
  issuedAt: instant,
  expiresAt: instant,
  guardrails: z
    .strictObject({ effect, timeoutMs: z.number().nonnegative(), maxRetries: z.int().nonnegative() })
    .optional()
    .describe('As resolved when the call was approved; at execution the tighter of these and the present ones hold.'),
});
/** The right to run exactly one approved action, once, before `expiresAt`. */
export type Permit = z.infer<typeof permit>;

/** Declares one line of the record: put once, never changed. */
import * as z from 'zod';
import { added } from './additions.ts';
import { person } from './approval.ts';
import { decidedBy, outcomeOfDecision } from './decision.ts';
import { outcomeStatus } from './outcome.ts';
import { digest, identifier, instant, mode, place, text } from './primitives.ts';
import { MAX_REDRIVEN } from './redrive.ts';

const ruleRef = z.strictObject({
  id: text(200),
  pattern: text(1000),
  source: text(32),
  effect: z.enum(['deny', 'ask', 'allow']),
});

/** How one call fared: the fields of the contract, and the rest of a complete record (G38). */
export const callRecord = z.strictObject({
  id: identifier,
  toolName: text(128),
  argsHash: text(8).describe('A label only: 8 hex digits (D21, D24).'),
  auditDigest: digest.nullable(),
  effectiveDigest: digest
    .optional()
    .describe('Of the call as it may run, if the gate prints its command from its own reading (D44).'),
  verdict: z.enum(['allow', 'deny', 'ask', 'error']),
  reason: identifier,
  source: identifier.describe('The stage that decided.'),
  rule: ruleRef.optional(),
});
export type CallRecord = z.infer<typeof callRecord>;

const count = z.int().nonnegative();
const usage = { calls: count, inputTokens: count, outputTokens: count };

export const choiceRecord = z.strictObject({
  policy: identifier,
  stages: z.array(
    z.strictObject({
      place,
      outcome: identifier,
      flowId: text(128).nullable(),
      by: text(300).optional(),
      detail: text(300).optional(),
      usage: z.strictObject(usage).optional(),
    }),
  ),
  exchanges: z
    .array(z.strictObject({ place, by: text(200), asked: text(300), answered: text(300) }))
    .optional()
    .describe(
      'The beginning of what models were asked last and answered, without secrets; as many as there is room for.',
    ),
  omitted: count.optional().describe('Stages that are left out because the entry would be too long.'),
  usage: z
    .strictObject({ ...usage, costMicroUsd: count.optional(), models: z.array(text(200)) })
    .optional()
    .describe('All calls of models together.'),
});

export const auditEntry = z.strictObject({
  type: z.enum(['evaluated', 'decided', 'click', 'vote', 'pass', 'stage', 'cancel', 'operation', 'refused', 'ran']),
  pid: digest.nullable(),
  proposalId: identifier.nullable(),
  agent: identifier,
  sessionId: identifier.optional(),
  recordedAt: instant.describe("The server's time; what a message states is a claim (AU-020)."),
  claimedSentAt: instant.optional(),
  policyVersion: digest,
  mode: mode.optional(),
  proposal: added(
    z
      .string()
      .describe(
        'The proposal as JSON: without its secrets, where marks stand, and without the fields that stand beside it. Absent where the entry has no room for it.',
      )
      .optional(),
  ),
  proposalDigest: added(
    digest
      .describe('SHA-256 of that text, which is stored once by its digest: the entry has no room for it.')
      .optional(),
  ),
  asked: added(
    z
      .string()
      .describe('The question as JSON, from which cards are drawn. Absent where the entry has no room for it.')
      .optional(),
  ),
  askedDigest: added(
    digest.describe('SHA-256 of that text, where it is stored once by its digest instead.').optional(),
  ),
  shown: added(
    z
      .string()
      .describe(
        'The message or form as JSON (`blocks`), as Slack showed it to the person who answered there. Absent where the entry has no room for it.',
      )
      .optional(),
  ),
  shownDigest: added(
    digest.describe('SHA-256 of that text, where it is stored once by its digest instead.').optional(),
  ),
  rulesDigest: added(
    digest
      .describe('Keyed, of the rules besides those of the policy file: of its session, and of the message.')
      .optional(),
  ),
  waitedMs: added(
    z.int().nonnegative().describe('From the question to the answer, where people were asked.').optional(),
  ),
  calls: z.array(callRecord).optional(),
  classifiers: z
    .array(
      z.strictObject({
        place: identifier,
        by: text(200),
        shouldBlock: z.boolean().optional(),
        confidence: z.number().optional(),
        reason: text(100).optional(),
        failed: text(100).optional(),
      }),
    )
    .optional()
    .describe('What classifiers answered, and who they were (G38).'),
  hooks: z
    .array(
      z.strictObject({
        place: identifier,
        by: text(200),
        decision: text(16).optional(),
        mode: mode.optional(),
        reason: text(100).optional(),
        failed: text(100).optional(),
      }),
    )
    .optional()
    .describe('What permission hooks answered (R4-156).'),
  choice: choiceRecord.optional().describe('Of an action choice: who decided what, stage by stage (R0-108).'),
  task: z
    .strictObject({
      timestamp: instant,
      conversation_id: z.string(),
      user_id: z.string(),
      input_message: z.string(),
      classified_intent: identifier,
      decision_type: identifier,
      tool_calls: z.array(z.unknown()).readonly().nullable(),
      response_preview: z.string(),
    })
    .optional()
    .describe('The record that the contract of the task agent asks for, of one message.'),
  invocations: z
    .array(
      z.strictObject({
        tool_name: text(128),
        success: z.boolean(),
        error_message: text(200)
          .nullable()
          .describe('What a guardrail or the tool said; the user is told less (R2-136).'),
        invoked_at: instant,
        duration_ms: z.number().nonnegative(),
      }),
    )
    .max(3)
    .optional()
    .describe("Tools that the gate ran for a message to the task agent; their parameters are the record's (R2-134)."),
  operation: z
    .strictObject({
      operationId: identifier.optional().describe('Absent where it could not be read.'),
      kind: identifier.optional(),
      about: text(1000).optional().describe('The operation in words, without secrets.'),
      agent: identifier.optional(),
      session: identifier.optional(),
      tool: identifier.optional(),
      proposalId: identifier.optional(),
      person: identifier.optional(),
      to: identifier.optional(),
      from: instant.optional(),
      until: instant.optional(),
      problem: text(1000).optional().describe('Of a refusal: the field, and what is wrong with it.'),
      queue: added(identifier.optional().describe('Whose dead letters were to be brought back.')),
      moved: added(z.int().nonnegative().optional().describe('Dead letters that were brought back.')),
      left: added(
        z.array(text(200)).max(MAX_REDRIVEN).optional().describe('Ids of messages that could not be brought back.'),
      ),
      stillNamed: added(
        z
          .int()
          .nonnegative()
          .optional()
          .describe('Of somebody who was forgotten: entries that hold their id, at most 1,000.'),
      ),
      stillNamedUntil: added(instant.optional().describe('When the last of these goes.')),
    })
    .optional()
    .describe('What an operator wanted, and why it was refused if it was (D47).'),
  outcome: outcomeOfDecision.optional(),
  decidedBy: decidedBy.optional(),
  reasonCode: identifier.optional(),
  person: person.optional(),
  standsFor: added(
    person.optional().describe('Of a vote: the owner of the seat in which it was cast, if it is not the voter.'),
  ),
  accepted: z.boolean().optional().describe('Of a click or an operation: whether it changed anything.'),
  detail: text(1000).optional(),
  voteDigest: digest
    .optional()
    .describe('Of a vote: keyed, of the question and of what was answered to it. Absent in earlier releases.'),
  ran: z
    .strictObject({
      callId: identifier,
      toolName: text(128),
      auditDigest: digest,
      status: outcomeStatus,
      by: z.enum(['gate', 'holder']).describe('Who ran it: the gate itself, or whoever redeemed the permit.'),
      startedAt: instant,
      durationMs: z.number().nonnegative(),
      errorCode: identifier.optional(),
    })
    .optional()
    .describe('What happened when an approved call ran (G35).'),
  durationUs: z.int().nonnegative().optional(),
});
/** One line of the record. */
export type AuditEntry = z.infer<typeof auditEntry>;

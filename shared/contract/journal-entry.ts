/** Declares the journal: inputs that a run of the kernel cannot compute again. */
import * as z from 'zod';
import { added } from './additions.ts';
import { callVote, grantScope, voter } from './approval.ts';
import { agentFolders, digest, identifier, instant, jsonObject, LIMITS, mode, place, text } from './primitives.ts';
import { chainEnd, levelFacts, possibleParent } from './session.ts';

const entry = { place, round: z.int().min(0).max(64), at: instant };

const tokens = z.int().nonnegative();

/** The answer of a model, or the reason that there is none. A failure is an answer, too: a later run must not ask again. */
export const modelResult = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    text: text(LIMITS.modelAnswer).describe('A longer one is a failure.'),
    usage: z.strictObject({ inputTokens: tokens, outputTokens: tokens }),
    isCut: added(z.literal(true).optional().describe('The answer was cut off: its text decides nothing.')),
  }),
  z.strictObject({
    ok: z.literal(false),
    error: z.enum(['network', 'api', 'parse', 'unexpected']),
    status: z.int().optional(),
    message: text(1000),
  }),
]);

export const journalEntry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('now'), ...entry }),
  z.strictObject({
    type: z.literal('human'),
    ...entry,
    digest: digest.describe('Of the question that was asked.'),
    stagesDigest: digest,
    calls: z.array(identifier).max(20).describe('The calls that were asked about; empty if it was no call.'),
    result: z.enum(['approved', 'rejected', 'edited', 'substituted', 'answered', 'expired', 'cancelled']),
    by: z.array(z.strictObject({ person: voter, name: text(200) })),
    decisions: z
      .array(callVote.extend({ by: added(z.array(z.int().nonnegative()).optional()) }))
      .max(20)
      .optional()
      .describe(
        'The answer about each call, where people did not all answer alike about all calls (A24), and who gave it, by the position in `by`. With `expired`: only the calls that were rejected.',
      ),
    edit: z
      .strictObject({ callId: identifier, input: jsonObject, actionDigest: digest })
      .optional()
      .describe('With `edited`: what a person wants to run instead (D23).'),
    substitute: z
      .strictObject({ index: z.int().nonnegative(), actionDigest: digest })
      .optional()
      .describe('With `substituted`: which action of the action space.'),
    answer: text(3000).optional().describe('With `answered`: the text, or the text of the choice.'),
    timeoutApproves: z
      .literal(true)
      .optional()
      .describe('With `expired`: the question said so, and it was shown to people (D32).'),
    reason: text(1000).optional(),
    remember: grantScope.optional().describe('The scope in which the approval holds for later calls.'),
  }),
  z.strictObject({
    type: z.literal('session'),
    ...entry,
    levels: z.array(levelFacts).min(1).max(17),
    end: chainEnd,
    folders: added(agentFolders.optional()),
    possible: added(z.array(possibleParent).max(LIMITS.possibleParents).optional()),
  }),
  z.strictObject({
    type: z.literal('classifier'),
    ...entry,
    by: text(200).describe('`patterns`, or the provider and model that answered.'),
    answer: z.discriminatedUnion('state', [
      z.strictObject({
        state: z.literal('answered'),
        shouldBlock: z.boolean(),
        reason: text(1000),
        confidence: z.number().min(0).max(1),
      }),
      z.strictObject({ state: z.literal('failed'), why: text(300) }),
    ]),
  }),
  z.strictObject({
    type: z.literal('hook'),
    ...entry,
    by: text(200).describe('Its name in the policy file.'),
    answer: z.discriminatedUnion('state', [
      z.strictObject({
        state: z.literal('answered'),
        decision: z.enum(['block', 'deny', 'allow', 'ask', 'pass']),
        reason: text(1000).optional(),
        mode: mode.optional().describe('For this call only (R4-158).'),
      }),
      z.strictObject({ state: z.literal('failed'), why: text(300) }),
    ]),
  }),
  z.strictObject({
    type: z.literal('model'),
    ...entry,
    round: z.int().min(0).max(63).describe('How many questions of the run were answered before this one.'),
    digest: digest.describe('Of the question that was asked.'),
    by: text(200).describe('The client and the model that answered.'),
    asked: text(LIMITS.modelPrompt)
      .optional()
      .describe('The last message that the model was sent, without secrets and cut; the digest is of all of it.'),
    result: modelResult,
    costMicroUsd: z.int().nonnegative().optional().describe('Only if the policy file says what tokens cost.'),
  }),
]);
export type JournalEntry = z.infer<typeof journalEntry>;
export type HumanAnswer = Extract<JournalEntry, { type: 'human' }>;
export type SessionEntry = Extract<JournalEntry, { type: 'session' }>;
export type ClassifierEntry = Extract<JournalEntry, { type: 'classifier' }>;
export type HookEntry = Extract<JournalEntry, { type: 'hook' }>;
export type ModelEntry = Extract<JournalEntry, { type: 'model' }>;
/** The answer from outside to a need of a run. */
export type AnswerEntry = ClassifierEntry | HookEntry | ModelEntry;

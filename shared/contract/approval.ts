/** Declares an approval, one wait for people: its question, approvers, votes and end. */
import * as z from 'zod';
import { added } from './additions.ts';
import { digest, effect, identifier, instant, jsonObject, LIMITS, place, severity, text } from './primitives.ts';

/** A Slack user. Both ids come from the signed request, never from a display name. */
export const person = z.strictObject({ team: identifier, user: identifier });
export type Person = z.infer<typeof person>;

/** A person who voted: in which groups, and in whose seat. The right to vote is compared again whenever the vote is used. */
export const voter = person.extend({
  groups: added(z.array(identifier).max(2).optional().describe('The groups that were asked in that stage.')),
  standsFor: added(person.optional().describe('The owner of the seat, if it is not their own.')),
  passed: added(
    z.literal(true).optional().describe('The seat was passed on to them in this approval. Absent: it was delegated.'),
  ),
  edited: added(z.literal(true).optional().describe('They edited the call, and did not vote on the edited call.')),
});
export type Voter = z.infer<typeof voter>;

/** The answers that a question allows. */
export const humanChoice = z.enum(['approve', 'edit', 'reject', 'substitute', 'respond']);
export type HumanChoice = z.infer<typeof humanChoice>;

/** The people who have to answer, frozen when the question was put. Stages run in order. */
export const stage = z.strictObject({
  group: identifier,
  by: z.enum(['group', 'requester']).optional().describe('`requester`: a self-confirmation (D34). Default: group.'),
  quorum: z.int().min(1).max(20).describe('How many different people have to approve.'),
  team: identifier.describe('Slack workspace of the channel.'),
  channel: identifier.describe('Slack channel id.'),
  timeoutMs: z.int().min(1).optional().describe('The stage escalates, or the wait ends, this long after it began.'),
  remindMs: z.int().min(1).optional(),
  escalateTo: z
    .strictObject({ group: identifier, team: identifier, channel: identifier })
    .optional()
    .describe('The group that may vote, too, once the stage timed out.'),
  rejectEnds: z.literal(false).optional().describe('Present: a rejection only makes the quorum harder to reach.'),
  eligible: z.int().min(0).optional().describe('How many people could vote when it was asked; absent: not known.'),
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
  touches: z
    .strictObject({
      effect: effect.optional().describe('As the policy file declares the tool; absent: it does not say.'),
      paths: z.array(text(200)).max(5).optional(),
      hosts: z.array(text(200)).max(5).optional(),
      amounts: z.array(text(200)).max(5).optional(),
      outside: z.literal(true).optional().describe('Some of the paths lie outside the project root.'),
      more: z.int().positive().optional().describe('How many are left out.'),
    })
    .optional()
    .describe(
      'What the call would touch, as far as the analysis of the rules sees it: for people, never for a verdict.',
    ),
  input: jsonObject
    .optional()
    .describe('Only if a person edited it: what would run instead of the arguments in the proposal (D23).'),
});
export type AskedCall = z.infer<typeof askedCall>;

const asked = {
  place: place.describe('Where in the run it was asked; the journal is keyed by it.'),
  digest: digest.describe('Of exactly what is asked: an answer to another digest does not count.'),
  offers: z.array(humanChoice).min(1).max(5).describe('What may be answered; `reject` is always among them.'),
  severity: severity.describe('The highest of what is asked about.'),
  stages: z.array(stage).min(1).max(LIMITS.stages),
  stagesDigest: digest,
  onTimeout: z.literal('approve').optional().describe('Present: no answer approves it (D32). Default: it expires.'),
};

/** The question that a run of the kernel could not answer by itself. */
export const question = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('calls'), ...asked, calls: z.array(askedCall).min(1).max(20) }),
  z.strictObject({
    kind: z.literal('choice'),
    ...asked,
    policy: identifier,
    why: text(1000),
    proposed: z
      .strictObject({ index: z.int().nonnegative(), digest, flowId: identifier, personaId: identifier })
      .describe('The action that the policy chose; `index` counts in the action space of the proposal.'),
  }),
  z.strictObject({
    kind: z.literal('input'),
    ...asked,
    question: text(3000),
    choices: z.array(text(75)).min(1).max(20).optional().describe('Without choices the answer is free text.'),
  }),
]);
export type Question = z.infer<typeof question>;
export type CallsQuestion = Extract<Question, { kind: 'calls' }>;
export type ChoiceQuestion = Extract<Question, { kind: 'choice' }>;
export type InputQuestion = Extract<Question, { kind: 'input' }>;

export const grantScope = z.enum(['session', 'session-all-tools']);
export type GrantScope = z.infer<typeof grantScope>;

/** An answer about one call of a batch. The id names the call, never its position. */
export const callVote = z.strictObject({
  id: identifier,
  choice: z.enum(['approve', 'reject']),
  reason: text(LIMITS.voteReason).optional(),
});
export type CallVote = z.infer<typeof callVote>;

const cast = {
  by: person,
  name: text(200).describe('The id of the person. Rows of earlier releases hold the name in Slack.'),
  standsFor: person
    .optional()
    .describe('The owner of the seat in which the vote was cast, by delegation or because it was passed on.'),
  passed: added(z.literal(true).optional().describe('It was passed on to them in this approval.')),
  stage: z.int().nonnegative().describe('The stage in which it was cast.'),
  reason: text(LIMITS.voteReason).optional(),
  at: instant,
  via: z.enum(['slack', 'operators']),
};

export const vote = z.discriminatedUnion('choice', [
  z.strictObject({
    choice: z.literal('approve'),
    ...cast,
    calls: z.array(callVote).min(1).max(20).optional().describe('Absent: all that was asked about.'),
    remember: grantScope
      .optional()
      .describe('Approves the same call, or all calls of the tool, for the rest of the session (D22).'),
  }),
  z.strictObject({ choice: z.literal('reject'), ...cast }),
  z.strictObject({
    choice: z.literal('edit'),
    ...cast,
    callId: identifier,
    input: jsonObject.describe('All arguments as they would run; at most 8 KB.'),
    actionDigest: digest,
  }),
  z.strictObject({
    choice: z.literal('substitute'),
    ...cast,
    index: z.int().nonnegative().describe('Which action of the action space runs instead.'),
    actionDigest: digest,
  }),
  z.strictObject({ choice: z.literal('respond'), ...cast, answer: text(LIMITS.voteAnswer).min(1) }),
]);
export type Vote = z.infer<typeof vote>;

/** All but `pending` end a round of the wait. */
export const approvalStatus = z.enum([
  'pending',
  'approved',
  'rejected',
  'edited',
  'substituted',
  'answered',
  'expired',
  'cancelled',
]);
export type ApprovalStatus = z.infer<typeof approvalStatus>;

export const approval = z.strictObject({
  pid: digest,
  proposalId: identifier,
  agent: identifier,
  owner: person,
  requester: person.optional().describe('The person in whose name the agent acts, where the gate knows one.'),
  sessionId: identifier,
  above: added(
    z
      .strictObject({
        agents: z.array(identifier).max(1000),
        owners: z.array(person).max(1000),
        requesters: z.array(person).max(1000),
      })
      .optional()
      .describe('The agents above the session: their owners and requesters cannot approve its calls (D52).'),
  ),
  version: z
    .int()
    .nonnegative()
    .describe('A change is written only if the stored version is still the one that was read (A7).'),
  round: z.int().min(1).max(20).describe('A new question of the same run is another round (A9).'),
  status: approvalStatus,
  question,
  stage: z.int().nonnegative().optional().describe('The stage that is asked now. Default: the first.'),
  stageSince: instant.optional().describe('When it began. Default: when the question was asked.'),
  escalated: z.literal(true).optional(),
  reminders: z.int().nonnegative().optional().describe('How many the stage has sent.'),
  passed: z
    .array(
      z.strictObject({ by: person, name: text(200), standsFor: person.optional(), to: person.optional(), at: instant }),
    )
    .max(50)
    .optional()
    .describe('Who said "not me" in this stage, in whose seat, and who may vote in it now.'),
  votes: z.array(vote).max(LIMITS.votes).describe('Of this round; earlier ones are in the journal.'),
  editors: z
    .array(person)
    .max(20)
    .optional()
    .describe('Who edited, in an earlier round, the call that is asked about now (D23).'),
  askedAs: digest.optional().describe('The primary of an approval that took its answer (A24).'),
  followedRound: added(
    z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('The round of the primary that was answered: a refusal there counts as one denial, of the primary.'),
  ),
  follows: digest
    .optional()
    .describe('The primary: the approval of an identical waiting call, whose card asks for both (A24).'),
  countedUnder: identifier
    .optional()
    .describe('The group against whose limit of waiting questions it counts (A14). Default: the first stage’s.'),
  deliberating: z
    .literal(true)
    .optional()
    .describe('A round has ended, and the run waits for the answer of a model or a hook (A18b).'),
  withdrawn: z
    .literal(true)
    .optional()
    .describe('The agent cancelled it after a round had ended: no other round begins.'),
  withdrawnWhy: added(text(1000).optional().describe('Why the agent cancelled it, in its words.')),
  requestedAt: instant,
  expiresAt: instant,
  endedAt: instant.optional(),
  policyVersion: digest,
});
/** One wait for people: its question, its votes and its end. */
export type Approval = z.infer<typeof approval>;

/** Declares the messages of the operators queue: operations, and requests of people in Slack. */
import * as z from 'zod';
import { grantScope, person } from './approval.ts';
import { identifier, instant, jsonObject, mode, schemaVersion, text } from './primitives.ts';
import { MAX_REDRIVEN, REDRIVEN_QUEUES } from './redrive.ts';

const envelope = {
  schemaVersion: schemaVersion.optional(),
  operationId: identifier.describe('The result stands in the record under this id: choose one that nobody can guess.'),
  sentAt: instant.optional().describe("The sender's own time. Refused if it is more than 5 minutes in the future."),
  reason: text(1000).min(1, 'must not be empty'),
};

/** The emergency brake: holds at once, for everything, one agent or one tool, until a time or until it is lifted. */
export const pauseOperation = z
  .strictObject({
    kind: z.literal('pause'),
    ...envelope,
    scope: z.union([
      z.strictObject({ all: z.literal(true) }),
      z.strictObject({ agent: identifier }),
      z.strictObject({ tool: identifier }),
    ]),
    effect: z.enum(['deny', 'ask', 'lift']),
    until: instant.optional().describe('When it ends by itself; not with `lift`, which ends it now.'),
  })
  .refine(({ effect, until }) => effect !== 'lift' || until === undefined, {
    path: ['until'],
    error: 'ends a pause by itself, and lift ends it now',
  });

/**
 * After a restore: permits that were issued before it are void, and approvals for later and allow rules of operators that were given before
 * it count no more. Never taken back.
 */
export const voidPermitsOperation = z.strictObject({ kind: z.literal('void-permits'), ...envelope });

/** Break-glass: one vote by an operator, through the machine's own identity instead of Slack. Never lifts a deny. */
const deciding = {
  kind: z.literal('decide'),
  ...envelope,
  agent: identifier,
  proposalId: identifier,
  round: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'The question that is meant, counted from 1, which is the default: after an edit another one is asked (D23).',
    ),
};
const onlyCalls = z
  .array(identifier)
  .min(1)
  .max(20)
  .optional()
  .describe('Single calls of a batch by their ids (A24). Absent: all that is asked about.');

export const decideOperation = z.discriminatedUnion('choice', [
  z.strictObject({ ...deciding, choice: z.literal('approve'), calls: onlyCalls, remember: grantScope.optional() }),
  z.strictObject({ ...deciding, choice: z.literal('reject'), calls: onlyCalls }),
  z.strictObject({
    ...deciding,
    choice: z.literal('edit'),
    input: jsonObject.describe('All arguments as they would run; the changed call goes through all rules again (D23).'),
  }),
  z.strictObject({
    ...deciding,
    choice: z.literal('substitute'),
    flow: text(128).min(1).describe('The action of the proposal with this flow_id runs instead.'),
  }),
  z.strictObject({ ...deciding, choice: z.literal('respond'), answer: text(3000).min(1, 'must not be empty') }),
]);

/**
 * The mode of one session, or of every session of the agent; `agent` gives back what the policy file says. Where both are set, the stricter
 * holds. Only an operator loosens.
 */
export const setModeOperation = z.strictObject({
  kind: z.literal('set-mode'),
  ...envelope,
  agent: identifier,
  session: identifier.optional().describe('Without it the mode is that of every session of the agent.'),
  mode: z.union([mode, z.literal('agent')]),
});

/** One grant of a session, as `countersign grants list` and `/countersign grants` name it. */
const grantId = z.string().regex(/^[0-9a-f]{12}$/, 'must be the id of a grant, 12 hex digits');

const everySession = identifier
  .optional()
  .describe('Without it what holds in every session of the agent is meant: its user rules.');

/** Takes back what people approved for the rest of a session: grants and allow rules, one, those of one tool, or all. */
export const revokeOperation = z
  .strictObject({
    kind: z.literal('revoke'),
    ...envelope,
    agent: identifier,
    session: everySession,
    tool: text(128).min(1).optional(),
    grant: grantId.optional(),
  })
  .refine(({ tool, grant }) => tool === undefined || grant === undefined, {
    path: ['tool'],
    error: 'is not given with a grant, which is of one tool already',
  });

/** While somebody is away another person takes their place, until a date; both are people of the policy file. */
export const delegateOperation = z.strictObject({
  kind: z.literal('delegate'),
  ...envelope,
  person: identifier,
  to: identifier,
  from: instant.optional(),
  until: instant,
});

export const undelegateOperation = z.strictObject({ kind: z.literal('undelegate'), ...envelope, person: identifier });

/** A session, or every session of the agent: an "always". */
const ofRule = {
  ...envelope,
  agent: identifier,
  session: identifier
    .optional()
    .describe('Without it the rule is a user rule: it holds in every session of the agent.'),
  effect: z.enum(['deny', 'ask', 'allow']),
  pattern: text(300).min(1),
};

/** A rule besides those of the policy file, until a time. The source of such a rule is session or user, never managed. */
export const addRuleOperation = z.strictObject({
  kind: z.literal('add-rule'),
  ...ofRule,
  until: instant.optional().describe('An allow for every session needs one, at most 90 days ahead (D36).'),
});

/** Takes back a rule that was added so; rules of the policy file are not touched. */
export const removeRuleOperation = z.strictObject({ kind: z.literal('remove-rule'), ...ofRule });

/** Sends the events of a time to one webhook again, as far as entries of the record tell of them, under the ids that they had. */
export const replayOperation = z.strictObject({
  kind: z.literal('replay'),
  ...envelope,
  webhook: identifier.describe('A name of the policy file, which also says which events it is sent.'),
  from: instant.describe('Events of entries from this time on.'),
  until: instant,
  event: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the id of an event, 32 hex digits')
    .optional()
    .describe('One event alone: its `id`, which a webhook is sent as `webhook-id`.'),
});

/** Brings the dead letters of a queue back as they were: only of queues whose messages decide nothing. */
export const redriveOperation = z.strictObject({
  kind: z.literal('redrive'),
  ...envelope,
  queue: z.enum(REDRIVEN_QUEUES),
  limit: z.int().min(1).max(MAX_REDRIVEN).optional().describe(`At most so many; default: ${MAX_REDRIVEN}.`),
});

/** Makes the alias of a person nobody's: entries stay, and nobody can tell any more whom they name. Never taken back. */
export const forgetOperation = z.strictObject({
  kind: z.literal('forget'),
  ...envelope,
  person: z
    .string()
    .regex(/^[UW][A-Z0-9]{1,20}$/, 'must be the Slack id of a person, such as U012ABCDEF')
    .describe('Whom the policy file lists no more.'),
});

/** Checks an order of an operator. A property that is not known is refused. */
export const operation = z.discriminatedUnion('kind', [
  pauseOperation,
  decideOperation,
  setModeOperation,
  revokeOperation,
  addRuleOperation,
  removeRuleOperation,
  delegateOperation,
  undelegateOperation,
  voidPermitsOperation,
  replayOperation,
  redriveOperation,
  forgetOperation,
]);

/**
 * A request of a person in Slack. Only the function that verified Slack's signature may send it. `person` is the signed user; `groups` are the
 * groups in which that function found the person, some of them known to Slack alone.
 */
export const askedInSlack = z.strictObject({
  kind: z.literal('asked-in-slack'),
  operationId: identifier,
  person,
  name: text(200),
  groups: z.array(identifier).max(1_000),
  wanted: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('revoke'), agent: identifier, session: everySession, grant: grantId }),
    z.strictObject({ kind: z.literal('delegate'), to: person, until: instant }),
    z.strictObject({ kind: z.literal('undelegate') }),
  ]),
});
export type AskedInSlack = z.infer<typeof askedInSlack>;

/** An order of an operator to the gate. */
export type Operation = z.infer<typeof operation>;
export type PauseOperation = z.infer<typeof pauseOperation>;
export type RedriveOperation = z.infer<typeof redriveOperation>;
export type ForgetOperation = z.infer<typeof forgetOperation>;
export type ReplayOperation = z.infer<typeof replayOperation>;
export type VoidPermitsOperation = z.infer<typeof voidPermitsOperation>;
export type SessionOperation = z.infer<typeof setModeOperation> | z.infer<typeof revokeOperation>;
export type DelegationOperation = z.infer<typeof delegateOperation> | z.infer<typeof undelegateOperation>;
export type RuleOperation = z.infer<typeof addRuleOperation> | z.infer<typeof removeRuleOperation>;
export type DecideOperation = z.infer<typeof decideOperation>;

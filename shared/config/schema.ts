/** The schema of countersign.yaml: what a deployment decides, in one file that loads whole or not at all (G11). */
import ms from 'ms';
import * as z from 'zod';
import { humanChoice } from '../contract/approval.ts';
import { effect, identifier, mode, severity, text } from '../contract/primitives.ts';
import { DEFAULT_RATE } from './defaults.ts';
import { guardrails } from './guardrails.ts';
import { hooks } from './hooks.ts';
import { modelAccess, models } from './models.ts';
import { policies } from './policies.ts';
import { redaction } from './redaction.ts';
import { asks, delegations, group, timeoutBehavior } from './stages.ts';
import { mcpServers, runFields } from './targets.ts';
import { taskAgent } from './task-agent.ts';
import { duration, name, section, slackId, toolName } from './words.ts';

const absolutePath = text(1000).regex(/^\//, 'must be an absolute path');

/** IAM's unique id of who sends: the part of SQS's SenderId before the colon, or all of it for a shared role (A2). */
const senderId = z
  .string()
  .regex(/^(A[A-Z0-9]{15,24}(:.{1,64})?|\d{12})$/, 'must be a unique id such as AROA… or AIDA…');

const permission = z.enum(['Read', 'Write', 'Network', 'Execute', 'Sensitive']);

const ONE_MATCHER = 'a rule has one of: rule, permission';

const rule = z.union([
  text(1000).min(1),
  section({
    rule: text(1000).min(1).optional(),
    permission: permission.optional().describe('Every tool that has this permission, instead of a `rule`.'),
    source: z.enum(['managed', 'user', 'project', 'local', 'default']).optional(),
    description: text(300).optional(),
    reason: text(300).optional(),
    severity: severity.optional(),
    ...asks,
  }).refine(({ rule, permission }) => (rule === undefined) !== (permission === undefined), ONE_MATCHER),
]);

const tool = section({
  permissions: z.array(permission),
  severity: severity.optional(),
  effect: effect.optional(),
  shell: z.boolean().optional(),
  subject: z.array(identifier).min(1).optional(),
  argsSchema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the arguments: what a person who edits a call is held to (D23).'),
  allowedDecisions: z
    .array(humanChoice)
    .min(1)
    .optional()
    .describe('What people may do with its calls; a proposal may only narrow it. Rejecting is always possible.'),
  timeoutBehavior,
  ...asks,
  ...runFields,
});

const agent = section({
  owner: name.describe('The person who answers for the agent; may not approve its calls (G19).'),
  requesters: z
    .array(name)
    .default([])
    .describe('People in whose name it may act besides its owner; its proposals say which (`requester`).'),
  senders: z.array(senderId).default([]).describe('Besides those that grantPropose registers.'),
  mode: mode.default('default'),
  projectRoot: absolutePath.default('/workspace'),
  home: absolutePath.default('/home/agent'),
  parents: z.array(name).default([]),
  unattended: z.boolean().default(false),
  ...asks,
  policies: z.array(name).optional().describe('The only policies that it may name; absent: all that are declared.'),
  rate: section({
    perSecond: z.number().positive().max(10_000).default(DEFAULT_RATE.perSecond),
    burst: z.int().min(10).max(100_000).default(DEFAULT_RATE.burst),
  }).prefault({}),
});

export const policySchema = section({
  people: z.record(name, section({ team: slackId, user: slackId, name: text(80).min(1) })).default({}),
  agents: z.record(name, agent),
  operators: z.record(name, section({ person: name, senders: z.array(senderId).default([]) })).default({}),
  channels: z.record(name, section({ team: slackId, id: slackId })).default({}),
  approvers: z
    .record(name, group)
    .default({})
    .describe('Groups of people who may approve, and where their cards are posted.'),
  delegations,
  approvals: section({
    ...asks,
    timeoutBehavior,
    timeout: duration
      .default(ms('1h'))
      .describe('How long people have at most, from when the proposal was first sent (A10).'),
    remember: duration
      .default(ms('30m'))
      .describe('How long an approval for the session answers the same call without people (D22).'),
  }).prefault({}),
  rules: section({
    deny: z.array(rule).default([]),
    ask: z.array(rule).default([]),
    allow: z.array(rule).default([]),
  }).prefault({}),
  tools: z.record(toolName, tool).default({}),
  guardrails,
  mcpServers,
  redaction,
  bypass: section({ enabled: z.boolean().default(false), honoursRules: z.boolean().default(true) }).prefault({}),
  protectedPaths: section({
    enabled: z.boolean().default(true),
    add: z.array(text(300).min(1)).default([]),
    remove: z.array(text(300).min(1)).default([]),
  }).prefault({}),
  classifier: section({
    allow: z.array(text(1000).min(1)).default([]),
    deny: z.array(text(1000).min(1)).default([]),
    model: section({ ...modelAccess, model: text(200).min(1) })
      .optional()
      .describe('Asked about what no pattern decides.'),
  })
    .optional()
    .describe('Who judges in auto mode what no rule matches (D8); without it a person does.'),
  models,
  policies,
  hooks,
  taskAgent,
  managedRulesOnly: z.boolean().default(false),
  workspaceTrusted: z.boolean().default(true),
});

export type PolicyFile = z.infer<typeof policySchema>;
export type AgentSettings = PolicyFile['agents'][string];
export type RuleSetting = z.infer<typeof rule>;

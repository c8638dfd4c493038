/** Declares the schema of countersign.yaml, which loads whole or not at all. */
import ms from 'ms';
import * as z from 'zod';
import { humanChoice } from '../../contract/approval.ts';
import { effect, identifier, mode, severity, text } from '../../contract/primitives.ts';
import { tooManyToCarry, WAITING } from '../../domain/approval/waiting-limits.ts';
import { MIN_RATE } from '../../guardrails/settings/settings.ts';
import { STAGE_SETTINGS } from '../../permissions/model/stages.ts';
import { isBuiltInTool } from '../../permissions/model/tools.ts';
import { DEFAULT_MAX_CONSECUTIVE, DEFAULT_MAX_TOTAL, PRESETS } from '../../permissions/model/types.ts';
import { duration, laterTime, name, section, slackChannel, slackTeam, slackUser, toolName } from './common-fields.ts';
import { DEFAULT_NEW_CARDS, DEFAULT_RATE } from './defaults.ts';
import { guardrails } from './guardrails.ts';
import { hooks } from './hooks.ts';
import { lint } from './lint.ts';
import { modelBounds, modelSettings, models } from './models.ts';
import { policies } from './policies.ts';
import { record } from './record.ts';
import { redaction } from './redaction.ts';
import { asks, delegations, group, timeoutBehavior } from './stages.ts';
import { mcpServers, runFields } from './targets.ts';
import { taskAgent } from './task-agent.ts';
import { webhooks } from './webhooks.ts';

const absolutePath = text(1000).regex(/^\//, 'must be an absolute path');

/** IAM's unique id of who sends: the part of SQS's SenderId before the colon, or all of it for a shared role. */
const senderId = z
  .string()
  .regex(/^(A[A-Z0-9]{15,24}(:.{1,64})?|\d{12})$/, 'must be a unique id such as AROA… or AIDA…');

const permission = z.enum(['Read', 'Write', 'Network', 'Execute', 'Sensitive']);

const ONE_MATCHER = 'a rule has one of: rule, permission';

const rule = z.union([
  text(1000).min(1),
  section({
    rule: text(1000)
      .min(1)
      .optional()
      .describe('Tool, or Tool(what): `Bash(git push:*)`, `Edit(src/**)`, `WebFetch(domain:x.org)`.'),
    permission: permission.optional().describe('Every tool that has this permission, instead of a `rule`.'),
    source: z
      .enum(['managed', 'user', 'project', 'local', 'default'])
      .optional()
      .describe('Who stands behind the rule; default: project. See managedRulesOnly and workspaceTrusted.'),
    description: text(300).optional().describe('For whoever reads this file.'),
    reason: text(300).optional().describe('What agents and approvers are told when the rule decides.'),
    severity: severity.optional().describe('Of what it asks about; the higher of this and the tool’s counts.'),
    ...asks,
  }).refine(({ rule, permission }) => (rule === undefined) !== (permission === undefined), ONE_MATCHER),
]);

const tool = section({
  permissions: z
    .array(permission)
    .optional()
    .describe('What the tool can do; modes and rules go by it. Only a built-in tool may leave it out.'),
  title: text(200)
    .min(1)
    .optional()
    .describe(
      'How one of its calls is called wherever people read of it, with fields of its input in braces: `Refund {amount} {currency} for {orderId}`. Default: the tool and its subject, or the plain values of its input where it has none.',
    ),
  severity: severity.optional().describe('How bad a wrong call is: high and critical need two people (D16).'),
  effect: effect
    .optional()
    .describe('What a call does to the world; only IdempotentWrite is retried. Default: NonIdempotentWrite.'),
  shell: z
    .union([
      z.boolean(),
      section({
        canonical: z
          .boolean()
          .describe(
            'Whether a call that a rule allows runs with its command printed from what the gate has read (D44).',
          ),
      }),
    ])
    .optional()
    .describe(
      'Whether its field `command` is a shell command, and is read as one. `{ canonical: true }` is the recommended setting.',
    ),
  subject: z
    .array(identifier)
    .min(1)
    .optional()
    .describe(
      'Fields of the input that rules such as `Tool(what)` look at; a call needs one of them, as text. A shell tool needs `command`.',
    ),
  comments: z
    .array(identifier)
    .max(20)
    .optional()
    .describe(
      "Fields of the input that hold the agent's own words about its call: the classifier's model is not shown them (D54). Default: `description` of Bash and Task.",
    ),
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

/** A built-in tool is known without them; nothing is known of another one. */
function needsPermissions(
  tools: Readonly<Record<string, { readonly permissions?: unknown }>>,
  context: z.RefinementCtx,
): void {
  for (const [name, { permissions }] of Object.entries(tools)) {
    if (permissions === undefined && !isBuiltInTool(name))
      context.addIssue({ code: 'custom', path: [name, 'permissions'], message: PERMISSIONS_NEEDED });
  }
}
const PERMISSIONS_NEEDED =
  'a tool that is not built in has to list what it can do: Read, Write, Network, Execute, Sensitive';

const agent = section({
  owner: name.describe('The person who answers for the agent; may not approve its calls (G19).'),
  requesters: z
    .array(name)
    .default([])
    .describe('People in whose name it may act besides its owner; its proposals say which (`requester`).'),
  senders: z.array(senderId).default([]).describe('Besides those that grantPropose registers.'),
  mode: mode
    .default('default')
    .describe('Of its sessions, until an operator sets another one, for one session or for all.'),
  projectRoot: absolutePath
    .default('/workspace')
    .describe('Where it works: relative paths and `Edit(src/**)` start here.'),
  projectType: text(60)
    .min(1)
    .optional()
    .describe('What it works on, such as `rust` or `terraform`: a fact for the model of the classifier.'),
  home: absolutePath.default('/home/agent').describe('What `~` stands for.'),
  parents: z
    .array(name)
    .default([])
    .describe(
      'Agents whose sessions may start one of its own, and answer for it in mode bubble, in the order of trust.',
    ),
  unattended: z.boolean().default(false).describe('Nobody is asked: what would ask is denied.'),
  maxWaiting: z
    .int()
    .min(1)
    .max(WAITING.agent.most, tooManyToCarry('agent'))
    .optional()
    .describe(`So many of its questions may wait for people at once. Default: ${WAITING.agent.usual}.`),
  ...asks,
  policies: z.array(name).optional().describe('The only policies that it may name; absent: all that are declared.'),
  rate: section({
    perSecond: z.number().min(MIN_RATE).max(10_000).default(DEFAULT_RATE.perSecond).describe('Messages a second.'),
    burst: z.int().min(10).max(100_000).default(DEFAULT_RATE.burst).describe('Messages at once, after a quiet time.'),
  })
    .prefault({})
    .describe('How many messages of it are worked; what is more waits.'),
});

export const policySchema = section({
  people: z
    .record(
      name,
      section({
        team: slackTeam.describe('Id of the Slack workspace: T….'),
        user: slackUser.describe('Id of the person in it: U… or W….'),
        name: text(80).min(1).describe('As they are called in records and on cards.'),
        notify: z
          .enum(['mention', 'dm', 'none'])
          .optional()
          .describe(
            'How they learn that they can answer: mentioned on the card (the default), by a direct message, or not at all.',
          ),
      }),
    )
    .default({})
    .describe('Everybody whom the other sections name.'),
  agents: z.record(name, agent).describe('Who may propose; a message of anybody else is refused.'),
  operators: z
    .record(
      name,
      section({
        person: name.describe('Who that is, of people.'),
        senders: z.array(senderId).default([]).describe('Besides those that grantOperate registers.'),
      }),
    )
    .default({})
    .describe('Who may pause, loosen sessions and break the glass from a terminal.'),
  channels: z
    .record(
      name,
      section({
        team: slackTeam.describe('Id of the Slack workspace: T….'),
        id: slackChannel.describe('Id of the channel: C….'),
      }),
    )
    .default({})
    .describe('Slack channels that the other sections name.'),
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
      .describe('How long people have at most, from when the proposal was first sent (A10). 1s to 30d.'),
    remember: laterTime
      .default(ms('30m'))
      .describe('How long an approval for the session answers the same call without people (D22). At most 90d.'),
    rejectReasons: z
      .array(text(75).min(1))
      .min(1)
      .max(10)
      .optional()
      .describe(
        'Reasons to choose from for whoever rejects; free text is always possible. Default: "Not now", "Wrong target", "Do it by pull request".',
      ),
    newCards: section({
      burst: z.int().min(1).max(1_000).default(DEFAULT_NEW_CARDS.burst).describe('Cards at once, after a quiet time.'),
      perMinute: z.int().min(1).max(600).default(DEFAULT_NEW_CARDS.perMinute).describe('Cards a minute after that.'),
      listFrom: z
        .int()
        .min(2)
        .max(1_000)
        .default(DEFAULT_NEW_CARDS.listFrom)
        .describe(
          'From this waiting card of an agent in a channel within a minute on, one card lists the calls; each is still read and decided by itself. Calls of high and critical severity, and questions, always have a card of their own.',
        ),
    })
      .prefault({})
      .describe(
        "How many of one agent's questions are posted; what is more waits in line, so that others' are seen (A22). One that it withdraws counts twice.",
      ),
  })
    .prefault({})
    .describe('Who is asked where no rule, tool or agent says otherwise, and how long that waits.'),
  rules: section({
    deny: z.array(rule).default([]).describe('What is refused; stronger than ask and allow.'),
    ask: z.array(rule).default([]).describe('What people are asked about; stronger than allow.'),
    allow: z.array(rule).default([]).describe('What runs without people.'),
    presets: z
      .array(z.enum(PRESETS))
      .default([])
      .describe(
        'Built-in allow rules. read-only: programs that only read, on unprotected paths inside the project root, run without a rule of their own (D43).',
      ),
  })
    .prefault({})
    .describe('Rules on calls: a pattern, or a pattern with what belongs to it.'),
  tools: z
    .record(toolName, tool)
    .superRefine(needsPermissions)
    .default({})
    .describe(
      'Tools besides the built-in ones, and what differs from a built-in one. No two names, built-in ones included, may differ only in case (D15).',
    ),
  guardrails,
  mcpServers,
  redaction,
  record,
  bypass: section({
    enabled: z.boolean().default(false).describe('Whether a session may be in mode bypass at all.'),
    honoursRules: z
      .boolean()
      .default(true)
      .describe(
        'Whether deny and ask rules hold there; false allows every call but protected paths and critical deletes.',
      ),
  })
    .prefault({})
    .describe('The mode bypass.'),
  protectedPaths: section({
    enabled: z.boolean().default(true).describe('Whether any path is protected, those of `add` included.'),
    add: z.array(text(300).min(1)).default([]).describe('Path patterns besides the built-in ones.'),
    remove: z.array(text(300).min(1)).default([]).describe('Built-in patterns that are not protected here.'),
  })
    .prefault({})
    .describe(
      'Files such as .env and .git, which are neither read nor written in any mode, and no approval changes that.',
    ),
  classifier: section({
    allow: z.array(text(1000).min(1)).default([]).describe('Patterns of calls that it lets through.'),
    deny: z.array(text(1000).min(1)).default([]).describe('Patterns of calls that it refuses.'),
    model: section({ ...modelSettings, ...modelBounds })
      .optional()
      .describe('Asked about what no pattern decides.'),
  })
    .optional()
    .describe('Who judges in auto mode what no rule matches (D8); without it a person does.'),
  denials: section({
    inARow: z.int().min(1).max(1_000).default(DEFAULT_MAX_CONSECUTIVE).describe('So many denials one after the other.'),
    total: z
      .int()
      .min(1)
      .max(10_000)
      .default(DEFAULT_MAX_TOTAL)
      .describe('So many in all, of one session or of one UTC day.'),
  })
    .prefault({})
    .describe('From when on a person is asked instead of the classifier (D12).'),
  models,
  policies,
  hooks,
  webhooks,
  taskAgent,
  ...STAGE_SETTINGS,
  lint,
});

/** The content of a policy file after its check, defaults filled in. */
export type PolicyFile = z.infer<typeof policySchema>;
/** An agent of the policy file. */
export type AgentSettings = PolicyFile['agents'][string];
/** A rule of the policy file. */
export type RuleSetting = z.infer<typeof rule>;

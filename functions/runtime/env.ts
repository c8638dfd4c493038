/** Declares the environment of each function, in the words that `cdk/` sets, and checks it once. */
import * as z from 'zod';
import { REDRIVEN_QUEUES } from '../../shared/contract/redrive.ts';

const text = z.string().min(1);
const optionalUrl = z.url().optional();

/** A value that is stated as JSON. */
const json = <Schema extends z.ZodType>(schema: Schema) =>
  text
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Settings that every function has. */
const base = {
  DEPLOYMENT: text.describe('Name of the deployment: part of every key.'),
  STATE_TABLE: text,
  AUDIT_TABLE: text,
  INPUT_BUCKET: text,
  DIGEST_KEY_SECRET: text.describe('Name of the secret that keys stored digests.'),
  EVENT_BUS: text
    .optional()
    .describe('ARN of the bus that is told of events, or `log` for log lines; absent: nothing tells of them.'),
};

const decides = {
  ...base,
  CARD_QUEUE_URL: text,
  SENDERS_PATH: text.describe('SSM path of the registered senders.'),
};
const seals = { SEAL_KEY: text.describe('The KMS key that wraps the keys of sealed originals.') };
const slack = { SLACK_SECRET: text.describe('Name of the secret with botToken.'), SLACK_API_URL: optionalUrl };

const intake = {
  ...decides,
  ...seals,
  STATE_MACHINE_ARN: text,
  DEFERRED_QUEUE_ARN: text,
  DEFERRED_QUEUE_URL: text,
  ACCOUNTS_ALLOWED: z.literal('loopback').optional(),
};

const RESUME_FUNCTION = text.describe('Decides what people have answered.');
const ARCHIVE_BUCKET = text.describe('The bucket of the archived record.');
const LLM_BASE_URL = optionalUrl.describe("Where the model's API is, instead of what the policy file says.");

export const ENV = {
  evaluate: z.object(intake),
  deliberate: z.object({ ...intake, LLM_BASE_URL, PROPOSALS_DEAD_ARN: text, DEFERRED_DEAD_ARN: text }),
  requestApproval: z.object({ ...base, CARD_QUEUE_URL: text }),
  resume: z.object({ ...decides, ...seals, DEFERRED_QUEUE_URL: text }),
  slackOut: z.object({
    ...base,
    ...slack,
    CARD_QUEUE_URL: text,
    NEW_CARDS_BURST: text.describe('New cards of one agent at once.'),
    NEW_CARDS_PER_MINUTE: text,
    NEW_CARDS_LIST_FROM: text,
  }),
  slack: z.object({
    ...base,
    ...slack,
    CARD_QUEUE_URL: text,
    TALK_QUEUE_URL: text,
    OPERATORS_QUEUE_URL: text,
    RESUME_FUNCTION,
    SLACK_APP_ID: text,
    SLACK_SIGNING_SECRET: text.describe('Name of the secret with signingSecret, which no other function reads.'),
  }),
  converse: z.object({ ...base, ...slack, TALK_QUEUE_URL: text, TALK_DEAD_ARN: text, LLM_BASE_URL }),
  operate: z.object({
    ...decides,
    RESUME_FUNCTION,
    SLACK_ROLE_ID: text.describe("IAM's id of the role of `slack`, which passes on what people ask for there."),
    OPERATORS_QUEUE_URL: text,
    OPERATORS_DEAD_ARN: text,
    WEBHOOK_QUEUE_URL: text,
    REDRIVE_FUNCTION: text.describe('Moves dead letters back, which only it may take.'),
    ACCOUNTS_ALLOWED: z.literal('loopback').optional(),
  }),
  redeem: z.object({ ...base, ...seals, CARD_QUEUE_URL: text }),
  recordOutcome: z.object({ ...base, CARD_QUEUE_URL: text }),
  collectOutcomes: z.object({
    ...decides,
    OUTCOMES_QUEUE_URL: text,
    OUTCOMES_DEAD_ARN: text,
    ACCOUNTS_ALLOWED: z.literal('loopback').optional(),
  }),
  redrive: z.object({
    DEPLOYMENT: base.DEPLOYMENT,
    QUEUES: json(z.record(z.enum(REDRIVEN_QUEUES), z.object({ live: z.url(), dead: z.url() }))).describe(
      'JSON: the addresses of each queue and of its dead letters.',
    ),
  }),
  archiveAudit: z.object({ DEPLOYMENT: base.DEPLOYMENT, ARCHIVE_BUCKET, EVENT_BUS: base.EVENT_BUS }),
  seal: z.object({
    DEPLOYMENT: base.DEPLOYMENT,
    ARCHIVE_BUCKET,
    SIGNING_KEY: text.describe('The KMS key that signs seals of the record.'),
    CARD_QUEUE_URL: text,
    EVENT_BUS: base.EVENT_BUS,
  }),
  canary: z.object({
    DEPLOYMENT: base.DEPLOYMENT,
    AUDIT_TABLE: text,
    PROPOSALS_QUEUE_URL: text,
    OUTCOMES_QUEUE_URL: text,
    REDEEM_FUNCTION: text,
  }),
  sendWebhooks: z.object({ DEPLOYMENT: base.DEPLOYMENT, WEBHOOK_QUEUE_URL: text }),
  executeTool: z.object({
    ...decides,
    ...seals,
    EXECUTIONS_QUEUE_URL: text,
    EXECUTIONS_DEAD_ARN: text,
    CARRIER: text.describe(
      "IAM's id of its own role, which sends requests anew: see `shared/ports/carried-message.ts`.",
    ),
    ACCOUNTS_ALLOWED: z.literal('loopback').optional(),
  }),
  reconcile: z.object({
    ...decides,
    DEFERRED_QUEUE_URL: text,
    STATE_MACHINE_ARN: text,
    RESUME_FUNCTION,
  }),
} as const;

export type FunctionName = keyof typeof ENV;
export type Env<Name extends FunctionName> = z.infer<(typeof ENV)[Name]>;
/** The same as texts, as a deployment sets them. */
export type EnvText<Name extends FunctionName> = z.input<(typeof ENV)[Name]>;

/** Reads the environment of one function. @throws Error that names each variable that is missing or wrong, and never its value. */
export function readEnv<Name extends FunctionName>(name: Name, source: NodeJS.ProcessEnv = process.env): Env<Name> {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = ENV[name].safeParse(given);
  if (parsed.success) return parsed.data as Env<Name>;
  const wrong = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new Error(`the environment of ${name} lacks or misstates: ${wrong}`);
}

/** Reads and checks the settings of a deployment from the CDK context. */
import { RemovalPolicy } from 'aws-cdk-lib';
import type { Node } from 'constructs';
import * as z from 'zod';
import { METRIC_MODES } from '../shared/config/metric-names.ts';
import { SEAL_KEYS } from '../shared/domain/archive/seal-key.ts';
import { fieldOf, jsonWords } from '../shared/domain/issue-messages.ts';
import { nearestSpelling } from '../shared/domain/text/nearest.ts';
import type { CountersignProps } from './constructs/countersign.ts';
import { ARCHIVE_LOCKS } from './constructs/data/record-archive.ts';
import { SHIFTS, TRACINGS } from './constructs/props/props.ts';
import type { CountersignStackProps } from './countersign-stack.ts';

/** A text on the command line, with commas between; in cdk.json a list. */
const names = z
  .union(
    [z.string().transform((text) => text.split(',').map((one) => one.trim())), z.array(z.string())],
    'must be names with commas between, or a list of them',
  )
  .pipe(z.array(z.string().min(1, 'has an empty part')));
const arns = names;
/** By name as JSON on the command line, or as an object in cdk.json. */
const principals = z.preprocess(
  (given, { addIssue }) => {
    if (typeof given !== 'string' || !given.startsWith('{')) return given;
    try {
      return JSON.parse(given) as unknown;
    } catch {
      addIssue('is no JSON');
      return z.NEVER;
    }
  },
  z.union(
    [arns, z.record(z.string(), arns)],
    'must be ARNs with commas between, a list of them, or one of both for each name',
  ),
);

const APP_ID = 'must be the Slack app id, such as A0123ABCD: cdk deploy -c slackAppId=A0123ABCD';
const flag = z.union([z.boolean(), z.stringbool()], 'must be true or false');
const topicArn = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
    'must be the ARN of a topic, such as arn:aws:sns:eu-west-1:111122223333:oncall',
  );

const settings = z.object({
  policyFile: z.string().min(1).default('countersign.yaml'),
  slackAppId: z.string(APP_ID).regex(/^A[A-Z0-9]+$/, APP_ID),
  deployment: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,60}$/, 'must begin with a letter, and have letters, digits and - alone, at most 61')
    .optional(),
  slackApiUrl: z.url().optional(),
  llmBaseUrl: z.url().optional(),
  development: flag.optional(),
  archiveLock: z.enum(ARCHIVE_LOCKS).optional(),
  archiveKey: z.enum(SEAL_KEYS).optional(),
  archiveRetentionDays: z.coerce.number().int().min(1).optional(),
  archiveCopyArn: z
    .string()
    // Buckets of before 2018 have capitals, _ and longer names.
    .regex(/^arn:aws[a-z-]*:s3:::[A-Za-z0-9._-]{3,255}$/, 'must be the ARN of a bucket, such as arn:aws:s3:::my-copy')
    .optional(),
  canary: flag.optional(),
  shift: z.enum(SHIFTS).optional(),
  metrics: z.enum(METRIC_MODES).optional(),
  tracing: z.enum(TRACINGS).optional(),
  logReaders: flag.optional(),
  slackConcurrency: z
    .union([z.literal('unreserved'), z.coerce.number().int().min(1)], 'must be a whole number from 1 on, or unreserved')
    .optional(),
  alarmTopicArn: topicArn.optional(),
  pageTopicArn: topicArn.optional(),
  ticketTopicArn: topicArn.optional(),
  eventBusName: z
    .string()
    .regex(/^[A-Za-z0-9._/-]{1,256}$/, 'must be the name of an event bus, log or none')
    .optional(),
  redeem: names.optional(),
  accountsAllowed: z.literal('loopback').optional(),
  operatorPrincipals: principals.optional(),
  agentPrincipals: principals.optional(),
  auditorPrincipals: arns.optional(),
});

/** The name of the stack, which the app reads itself. */
export const STACK_NAME = 'stackName';

/** @throws Error that names each setting that is missing or wrong. */
export function contextOf(node: Node): CountersignStackProps {
  const given = Object.fromEntries(Object.keys(settings.shape).map((key) => [key, node.tryGetContext(key) as unknown]));
  const unknown = Object.keys(node.getAllContext() as object).flatMap((key) => problemOf(key) ?? []);
  if (unknown.length) throw new Error(unknown.join('\n'));
  const parsed = settings.safeParse(given, { error: jsonWords });
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `context ${fieldOf(path)}: ${message}`).join('\n'));
  }
  const { development, pageTopicArn: page, ticketTopicArn: ticket, ...props } = parsed.data;
  if ((page === undefined) !== (ticket === undefined))
    throw new Error('context pageTopicArn: goes together with ticketTopicArn');
  const topics = page !== undefined && ticket !== undefined ? { alarmTopicArns: { page, ticket } } : {};
  const removal = development ? { removalPolicy: RemovalPolicy.DESTROY } : {};
  return Object.fromEntries(
    Object.entries({ ...props, ...topics, ...removal }).filter(([, value]) => value !== undefined),
  ) as unknown as CountersignStackProps;
}

const SETTABLE = [...Object.keys(settings.shape), STACK_NAME];
/** A shorter word may be somebody's own key. */
const MIN_PART = 5;

/**
 * CDK takes any key: a setting under another name would be as good as not given, and the default would be deployed in its place. Keys of
 * CDK and of others have a place before their name.
 */
function problemOf(key: string): string | undefined {
  if (SETTABLE.includes(key) || /[^A-Za-z_-]/.test(key)) return undefined;
  if (new Map(Object.entries(PROPS_ALONE)).get(key))
    return `context ${key}: is a prop of the construct, and no setting of this app`;
  // A part first: `archiveCopy` is nearer to `archiveLock` than to `archiveCopyArn`.
  const nearest = SETTABLE.find((setting) => isPart(key, setting)) ?? nearestSpelling(key, SETTABLE);
  return nearest === undefined ? undefined : `context ${key}: there is no such setting; did you mean ${nearest}?`;
}

/** `policy` for `policyFile`, `appId` for `slackAppId`. */
function isPart(key: string, setting: string): boolean {
  const [part, whole] = [key.replaceAll(/[_-]/g, '').toLowerCase(), setting.toLowerCase()];
  return part.length >= MIN_PART && setting !== 'accountsAllowed' && (whole.startsWith(part) || whole.endsWith(part));
}

/** Objects, which no text stands for. The others are given by a setting of nearly their name. */
const PROPS_ALONE = {
  slackSecret: true,
  slackSigningSecret: true,
  encryptionKey: true,
  logRetention: true,
  removalPolicy: true,
  alarmTopic: false,
  alarmTopics: false,
  archiveCopy: false,
  archiveRetention: false,
  eventBus: false,
} as const satisfies Record<Exclude<keyof CountersignProps, keyof typeof settings.shape>, boolean>;

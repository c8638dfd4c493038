/** Declares the properties of the construct. */
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { MetricMode } from '../../../shared/config/metric-names.ts';
import type { ArchiveKey } from '../../../shared/domain/archive/seal-key.ts';
import type { ArchiveLock } from '../data/record-archive.ts';

/** The topics of a gate's alarms. */
export interface AlarmTopics {
  /** Wakes somebody. */
  readonly page: ITopic;
  /** Is read on the next working day. */
  readonly ticket: ITopic;
}

export const SHIFTS = ['decisions', 'decisions-at-once', 'linear', 'at-once', 'none'] as const;
/** The way in which a new version of a function takes its calls. */
export type Shift = (typeof SHIFTS)[number];

export const TRACINGS = ['pass-through', 'active'] as const;
/** Whether the gate begins traces of its own. */
export type GateTracing = (typeof TRACINGS)[number];

/** Settings of a gate. */
export interface CountersignProps {
  /** Path of the policy file; it has to load, or synthesis fails with each problem's line. */
  readonly policyFile: string;
  /**
   * Name of the deployment, part of every key; never change it later. SSM keeps names that begin with `aws` or `ssm`.
   * Default: a name made of the construct's path; `CountersignStack` takes the stack's name.
   */
  readonly deployment?: string;
  /** The Slack app's id (`A…`): requests signed for another app are refused. */
  readonly slackAppId: string;
  /**
   * A secret of JSON with `botToken`. One that has a KMS key of yours is imported together with it, by `Secret.fromSecretAttributes`: by name or
   * ARN alone its readers could not decrypt it. Default: one is made, and the Slack endpoint stays shut until it is filled.
   */
  readonly slackSecret?: ISecret;
  /**
   * The same with `signingSecret`, for the function that verifies requests alone: whoever holds it can vote as anyone. Another secret than
   * `slackSecret`, which two functions more read.
   */
  readonly slackSigningSecret?: ISecret;
  /** Where Slack's Web API is, with a slash at its end; plain HTTP for loopback only. Default: Slack's own. */
  readonly slackApiUrl?: string;
  /** Where the API of the classifier's model is, instead of what the policy file says; plain http on loopback only. */
  readonly llmBaseUrl?: string;
  /**
   * How many requests of Slack, forged ones included, may be worked at once. `'unreserved'`: no function of the gate reserves any,
   * for an account whose whole concurrency is too small to reserve from. Default: 20.
   */
  readonly slackConcurrency?: number | 'unreserved';
  /**
   * The fate of tables, inputs, keys and logs when the stack is deleted. `DESTROY` is for development: they go with the stack, inputs after
   * seven days, and logs may be kept for less than six months. Default: `RemovalPolicy.RETAIN`, with tables that cannot be deleted.
   */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;
  /**
   * One key for tables, queues, logs, inputs, secrets and the workflow's history. An imported key has to allow
   * `logs.<region>.amazonaws.com` by its own policy, and `events.amazonaws.com` where the policy file has webhooks. An alias is refused. Default:
   * keys that AWS manages.
   */
  readonly encryptionKey?: IKey;
  /** At least six months, unless `removalPolicy` is `DESTROY`. Default: six months. */
  readonly logRetention?: RetentionDays;
  /**
   * The people who may delete objects of the archived record before `archiveRetention` is over: nobody (`compliance`), or whoever has
   * `s3:BypassGovernanceRetention` (`governance`). `none`: the rights of the account alone protect them. Default: `compliance`; `none` where
   * `removalPolicy` is `DESTROY`.
   */
  readonly archiveLock?: ArchiveLock;
  /**
   * The kind of the KMS key that signs seals: `p256` (ECDSA with SHA-256) is for a region or an endpoint whose KMS has no Ed25519 keys. Never
   * change it later: the gate would get another key, and seals from before would not verify with it. Default: `ed25519`.
   */
  readonly archiveKey?: ArchiveKey;
  /** How long objects of the archived record are locked: 183 to 36,500 days. Default: 400 days. */
  readonly archiveRetention?: Duration;
  /**
   * S3 copies each object of the archived record to this bucket. The bucket needs versions, and Object Lock where the archive is locked. A bucket of
   * another account is best; its policy has to let the role of the copy write. Default: none.
   */
  readonly archiveCopy?: IBucket;
  /**
   * Makes a trail of CloudTrail that logs who reads the record's table and its archive, in a bucket of its own, for `archiveRetention`. The
   * gate's own functions are left out. Default: false, for accounts whose trails log these data events already.
   */
  readonly logReaders?: boolean;
  /**
   * Is told of every event (`source: countersign`). `'log'`: events are log lines. `'none'`: the record and the metrics are all that tells of
   * decisions. EventBridge bills each event, whether or not anybody listens. Default: the account's default bus where the policy file has
   * webhooks, which need one, and else `'none'`.
   */
  readonly eventBus?: IEventBus | 'log' | 'none';
  /**
   * X-Ray. `pass-through`: the gate goes on with the traces of senders that have one, and begins none. `active`: functions and the workflow
   * begin traces of their own, the first of each second and one in twenty of the others. Default: `pass-through`.
   */
  readonly tracing?: GateTracing;
  /**
   * Whether the canary proposes calls of its own every five minutes, without asking anybody: calls to be allowed, denied, redeemed, or asked
   * about and withdrawn, and once an hour one that is left to expire. Without the schedule `countersign doctor` runs it. Default: true, and false
   * where `removalPolicy` is `DESTROY`.
   */
  readonly canary?: boolean;
  /**
   * The metrics that the functions write. `lean`: totals, and all that alarms and objectives read; the dashboard then shows all tools, models,
   * hooks, budgets and groups as one. `full`: each of them is a series too, and CloudWatch bills each. Default: `full`.
   */
  readonly metrics?: MetricMode;
  /**
   * The way that a new version takes its calls. `decisions`: `evaluate`, which the queue calls, takes a tenth more each minute, until an alarm on
   * decisions or clicks stands; the others change in place. `linear`: `slack` and `redeem` do so as well, by other addresses: a change from or to
   * it changes Slack's request URL. `decisions-at-once`, `at-once`: the same functions take all at once, whatever stands. `none`: no versions.
   * Default: `decisions`, and `none` where `removalPolicy` is `DESTROY`.
   */
  readonly shift?: Shift;
  /**
   * `page` is told of what agents and people wait for, also when it is over; `ticket` of the rest. A topic in the region of the gate; the imported
   * key of one has to allow `cloudwatch.amazonaws.com`. Default: nobody is told; `alarms` holds them.
   */
  readonly alarmTopics?: AlarmTopics;
  /** Instead of `alarmTopics`: one topic for both. */
  readonly alarmTopic?: ITopic;
  /**
   * Takes messages whose sender is a bare account id; only for an endpoint on loopback that has no IAM, and only for agents whose
   * `senders` name the account. Default: never.
   */
  readonly accountsAllowed?: 'loopback';
}

/** Undefined where nobody is told. */
export const topicsOf = ({ alarmTopics, alarmTopic }: CountersignProps): AlarmTopics | undefined =>
  alarmTopics ?? (alarmTopic && { page: alarmTopic, ticket: alarmTopic });

/**
 * The gate as a construct: put it into a stack of your own, or deploy `cdk/app.ts`. It names things and wires rights; what they do is
 * in `functions/` and `shared/`.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as RuleTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type FunctionUrl, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Env, FunctionName } from '../../functions/runtime/env.ts';
import { loadPolicy, type PolicyDocument } from '../../shared/config/load.ts';
import type { GateFunctionName } from '../function-names.ts';
import { ApprovalWorkflow } from './approval-workflow.ts';
import { GateFunction } from './gate-function.ts';
import { type GrantOptions, grantAudit, grantOperate, grantPropose } from './grants.ts';
import { GateQueues } from './queues.ts';
import { grantDueIndex, grantRecord, grantRows, type RowRights } from './rights.ts';
import { GateTables } from './tables.ts';

export interface CountersignProps {
  /** Path of the policy file; it has to load, or synthesis fails with each problem's line. */
  readonly policyFile: string;
  /** Name of the deployment, part of every key; never change it later. Default: the stack's name. */
  readonly deployment?: string;
  /** The Slack app's id (`A…`): requests signed for another app are refused. */
  readonly slackAppId: string;
  /** A secret of JSON with `signingSecret` and `botToken`. Default: one is made, and the Slack endpoint stays shut until it is filled. */
  readonly slackSecret?: ISecret;
  /** Where Slack's Web API is, with a slash at its end; for a local Slack. Default: Slack's own. */
  readonly slackApiUrl?: string;
  /** Tables may be deleted and go with the stack. Default: false. */
  readonly development?: boolean;
  /** One key for tables, queues, logs, inputs and secrets. Default: keys that AWS manages. */
  readonly encryptionKey?: IKey;
  /** Default: six months (G38). */
  readonly logRetention?: RetentionDays;
  /**
   * Takes messages whose sender is a bare account id; only for an endpoint on loopback that has no IAM, and only for agents whose
   * `senders` name the account (A2). Default: never.
   */
  readonly accountsAllowed?: 'loopback';
}

/** The verbs of the approval row's owners, beside reading it. */
const READS = ['Query'] as const;
const FINISHES: RowRights = {
  'approval#': ['Query', 'UpdateItem'],
  'journal#': ['Query', 'PutItem'],
  'waiting#': ['UpdateItem'],
  control: ['GetItem'],
};

export class Countersign extends Construct {
  readonly deployment: string;
  readonly policy: PolicyDocument;
  readonly tables: GateTables;
  readonly queues: GateQueues;
  /** Inputs too large for a row (A15). */
  readonly inputs: Bucket;
  readonly workflow: ApprovalWorkflow;
  readonly slackUrl: FunctionUrl;
  readonly slackSecret: ISecret;
  readonly functions: Readonly<Record<GateFunctionName, GateFunction>>;
  /** Give them an action, such as a topic that somebody reads. */
  readonly alarms: readonly Alarm[];
  readonly sendersPath: string;

  constructor(scope: Construct, id: string, props: CountersignProps) {
    super(scope, id);
    const { encryptionKey, development = false, logRetention = RetentionDays.SIX_MONTHS } = props;
    this.deployment = props.deployment ?? Stack.of(this).stackName;
    this.policy = loadPolicy(readFileSync(props.policyFile, 'utf8'), basename(props.policyFile));
    this.sendersPath = `/${this.deployment}/senders`;
    this.tables = new GateTables(this, 'Tables', { development, encryptionKey });
    this.queues = new GateQueues(this, 'Queues', { encryptionKey });
    this.inputs = new Bucket(this, 'Inputs', {
      encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      ...(encryptionKey ? { encryptionKey } : {}),
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      lifecycleRules: [{ expiration: Duration.days(400) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const digestKey = new Secret(this, 'DigestKey', {
      description: 'Keys the digests that the record holds (never rotate: old digests could not be compared)',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(encryptionKey ? { encryptionKey } : {}),
    });
    this.slackSecret =
      props.slackSecret ??
      (new Secret(this, 'SlackSecret', {
        description:
          'JSON with signingSecret and botToken of the Slack app; until it is filled the Slack endpoint answers nobody',
        ...(encryptionKey ? { encryptionKey } : {}),
      }) as ISecret);

    const base = {
      DEPLOYMENT: this.deployment,
      STATE_TABLE: this.tables.state.tableName,
      AUDIT_TABLE: this.tables.audit.tableName,
      INPUT_BUCKET: this.inputs.bucketName,
      DIGEST_KEY_SECRET: digestKey.secretArn,
    };
    const decides = { ...base, CARD_QUEUE_URL: this.queues.cards.queueUrl, SENDERS_PATH: this.sendersPath };
    const slack = {
      SLACK_SECRET: this.slackSecret.secretArn,
      ...(props.slackApiUrl ? { SLACK_API_URL: props.slackApiUrl } : {}),
    };
    const accounts = props.accountsAllowed ? { ACCOUNTS_ALLOWED: props.accountsAllowed } : {};
    const fn = <Name extends FunctionName>(
      name: GateFunctionName,
      _words: Name,
      environment: Env<Name>,
      limits: { seconds: number; memoryMb: number; reservedConcurrency?: number },
    ): GateFunction =>
      new GateFunction(this, pascal(name), {
        name,
        policy: this.policy,
        timeout: Duration.seconds(limits.seconds),
        memoryMb: limits.memoryMb,
        environment: environment as Readonly<Record<string, string>>,
        logRetention,
        encryptionKey,
        reservedConcurrency: limits.reservedConcurrency,
      });

    const requestApproval = fn(
      'request-approval',
      'requestApproval',
      { ...base, CARD_QUEUE_URL: this.queues.cards.queueUrl },
      { seconds: 10, memoryMb: 256 },
    );
    const resume = fn('resume', 'resume', decides, { seconds: 30, memoryMb: 512 });
    this.workflow = new ApprovalWorkflow(this, 'Workflow', {
      requestApproval: requestApproval.function,
      resume: resume.function,
      resumeTimeout: Duration.seconds(60),
      logRetention,
      encryptionKey,
    });
    const STATE_MACHINE_ARN = this.workflow.stateMachine.stateMachineArn;
    const intake = {
      ...decides,
      STATE_MACHINE_ARN,
      DEFERRED_QUEUE_ARN: this.queues.deferred.queueArn,
      DEFERRED_QUEUE_URL: this.queues.deferred.queueUrl,
      ...accounts,
    };
    const evaluate = fn('evaluate', 'evaluate', intake, { seconds: 10, memoryMb: 1024 });
    const deliberate = fn('deliberate', 'evaluate', intake, { seconds: 60, memoryMb: 1024 });
    const slackOut = fn(
      'slack-out',
      'slackOut',
      { ...base, ...slack, CARD_QUEUE_URL: this.queues.cards.queueUrl },
      { seconds: 20, memoryMb: 256 },
    );
    const slackIn = fn(
      'slack',
      'slack',
      {
        ...base,
        ...slack,
        CARD_QUEUE_URL: this.queues.cards.queueUrl,
        STATE_MACHINE_ARN,
        SLACK_APP_ID: props.slackAppId,
      },
      // A flood of forged requests takes at most this much of the account's concurrency (A23).
      { seconds: 10, memoryMb: 1024, reservedConcurrency: 20 },
    );
    const operate = fn(
      'operate',
      'operate',
      { ...decides, STATE_MACHINE_ARN, ...accounts },
      { seconds: 30, memoryMb: 256 },
    );
    const reconcile = fn('reconcile', 'reconcile', { ...decides, STATE_MACHINE_ARN }, { seconds: 50, memoryMb: 512 });
    this.functions = {
      evaluate,
      deliberate,
      'request-approval': requestApproval,
      resume,
      'slack-out': slackOut,
      slack: slackIn,
      operate,
      reconcile,
    };

    this.grantState();
    for (const one of Object.values(this.functions)) {
      if (one !== requestApproval && one !== slackOut) digestKey.grantRead(one.role);
      one.allow(['s3:GetObject'], [this.inputs.arnForObjects('input/*')]);
      if (encryptionKey) encryptionKey.grantEncryptDecrypt(one.role);
    }
    for (const one of [evaluate, deliberate]) one.allow(['s3:PutObject'], [this.inputs.arnForObjects('input/*')]);
    for (const one of [slackOut, slackIn]) this.slackSecret.grantRead(one.role);
    for (const one of [evaluate, deliberate, resume, reconcile, operate]) {
      one.allow(['ssm:GetParametersByPath'], [this.parameterArn()]);
    }
    for (const one of [evaluate, deliberate, reconcile]) this.workflow.stateMachine.grantStartExecution(one.role);
    for (const one of [evaluate, deliberate, slackIn, operate, reconcile])
      this.workflow.stateMachine.grantTaskResponse(one.role);
    for (const one of [requestApproval, resume, reconcile, slackIn, operate])
      this.queues.cards.grantSendMessages(one.role);
    for (const one of [evaluate, deliberate]) this.queues.deferred.grantSendMessages(one.role);

    // A batch of ten costs one read; the most that the tables and Step Functions' start quota carry at once (A11).
    evaluate.function.addEventSource(
      new SqsEventSource(this.queues.proposals, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 50 }),
    );
    const single = { batchSize: 1, reportBatchItemFailures: true };
    deliberate.function.addEventSource(new SqsEventSource(this.queues.deferred, { ...single, maxConcurrency: 20 }));
    operate.function.addEventSource(new SqsEventSource(this.queues.operators, { ...single, maxConcurrency: 2 }));
    slackOut.function.addEventSource(new SqsEventSource(this.queues.cards, single));
    new Rule(this, 'EachMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new RuleTarget(reconcile.function, { retryAttempts: 0 })],
    });
    // Slack signs its requests; the function verifies them before anything else (A23).
    this.slackUrl = slackIn.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    this.alarms = [...this.queues.alarms, ...this.workflow.alarms];
  }

  /** Who may touch which rows of the state table, and who may add to the record. */
  private grantState(): void {
    const { evaluate, deliberate, resume, reconcile, operate, slack } = this.functions;
    for (const one of [evaluate, deliberate]) {
      grantRows(one, this.tables, {
        control: ['BatchGetItem'],
        'approval#': ['Query', 'PutItem', 'UpdateItem'],
        'journal#': ['PutItem'],
        'waiting#': ['UpdateItem'],
        'rate#': ['UpdateItem'],
        'token#': ['GetItem'],
      });
      grantRecord(one, this.tables, ['BatchGetItem', 'PutItem']);
    }
    grantRows(this.functions['request-approval'], this.tables, { 'approval#': READS, 'token#': ['PutItem'] });
    grantRows(resume, this.tables, FINISHES);
    grantRows(reconcile, this.tables, { ...FINISHES, 'token#': ['GetItem'] });
    grantDueIndex(reconcile, this.tables);
    grantRows(this.functions['slack-out'], this.tables, { 'approval#': ['Query', 'PutItem'] });
    for (const one of [slack, operate]) {
      grantRows(one, this.tables, { 'approval#': ['Query', 'UpdateItem', 'PutItem'], 'token#': ['GetItem'] });
    }
    grantRows(operate, this.tables, { control: ['GetItem', 'PutItem'] });
    for (const one of [resume, reconcile, slack, operate]) grantRecord(one, this.tables, ['PutItem']);
  }

  /** `GetParametersByPath` is asked about the path itself. */
  private parameterArn(): string {
    return Stack.of(this).formatArn({ service: 'ssm', resource: 'parameter', resourceName: this.sendersPath.slice(1) });
  }

  /** Lets `role` propose as `agent` and read that agent's decisions; registers the role as the agent's identity (A2, A13). */
  grantPropose(role: IRole, agent: string, options?: GrantOptions): void {
    grantPropose(this, role, agent, options);
  }

  /** Lets `role` pause the gate and vote through the operators queue as `operator` (A5). */
  grantOperate(role: IRole, operator: string, options?: Pick<GrantOptions, 'roleId'>): void {
    grantOperate(this, role, operator, options);
  }

  /** Lets `role` read the record and what waits. */
  grantAudit(role: IRole): void {
    grantAudit(this, role);
  }

  /** The functions that decide may send to `queue` (A13). */
  allowReplies(queue: IQueue): void {
    const { evaluate, deliberate, resume, reconcile } = this.functions;
    for (const one of [evaluate, deliberate, resume, reconcile]) queue.grantSendMessages(one.role);
  }
}

const pascal = (name: string): string => name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

/** Defines the gate as a construct: put it into a stack of your own, or deploy `cdk/app.ts`. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm, CfnAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarmPrefix } from '../../shared/config/alarm-names.ts';
import type { PolicyDocument } from '../../shared/config/document.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { targetSecrets } from '../../shared/config/readers/target-resources.ts';
import { gateAlarms, replyAlarm } from './alarms.ts';
import type { ApprovalWorkflow } from './approval-workflow.ts';
import { gateDashboard } from './dashboard.ts';
import { allowLogs } from './encryption.ts';
import { type GateFunctions, gateFunctions } from './gate-functions.ts';
import { type GrantedGate, type GrantOptions, grantAudit, grantOperate, grantPropose, grantRedeem } from './grants.ts';
import { type CountersignProps, checkProps } from './props.ts';
import { GateQueues } from './queues.ts';
import { RETENTION, RecordArchive } from './record-archive.ts';
import { giveRights } from './rights.ts';
import { GateTables } from './tables.ts';
import { connect } from './triggers.ts';

export type { CountersignProps } from './props.ts';

/** Inputs outlive every record that is kept for a year; in development they go soon, so that the bucket can. */
const INPUT_DAYS = { production: 400, development: 7 };
const DAY_MS = 24 * 60 * 60_000;

/** An input is read for as long as its approval may wait, and for the permit that follows. */
const inputDays = (longestMs: number, development: boolean): number =>
  Math.max(INPUT_DAYS[development ? 'development' : 'production'], Math.ceil(longestMs / DAY_MS) + 2);
const MAX_NAME = 60;

export class Countersign extends Construct implements GrantedGate {
  readonly deployment: string;
  readonly policy: PolicyDocument;
  readonly tables: GateTables;
  readonly queues: GateQueues;
  /** Inputs too large for a row. */
  readonly inputs: Bucket;
  /** The archived record, and the key that signs it. */
  readonly record: RecordArchive;
  readonly workflow: ApprovalWorkflow;
  readonly slackUrl: FunctionUrl;
  readonly slackSecret: ISecret;
  readonly functions: GateFunctions;
  /** `alarmTopic` is told of each; give them other actions as you like. */
  readonly alarms: Alarm[];
  readonly dashboard: Dashboard;
  readonly sendersPath: string;
  readonly encryptionKey: IKey | undefined;
  private readonly alarmTopic: CountersignProps['alarmTopic'];

  constructor(scope: Construct, id: string, props: CountersignProps) {
    super(scope, id);
    checkProps(props);
    const { encryptionKey, development = false, logRetention = RetentionDays.SIX_MONTHS } = props;
    this.encryptionKey = encryptionKey;
    this.deployment = props.deployment ?? Names.uniqueResourceName(this, { separator: '-', maxLength: MAX_NAME });
    this.refuseTwins();
    this.policy = loadPolicy(readFileSync(props.policyFile, 'utf8'), basename(props.policyFile));
    this.sendersPath = `/${this.deployment}/senders`;
    if (encryptionKey) allowLogs(encryptionKey, this);
    this.tables = new GateTables(this, 'Tables', { development, encryptionKey });
    this.queues = new GateQueues(this, 'Queues', { encryptionKey });
    this.inputs = new Bucket(this, 'Inputs', {
      encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      // With a key of the bucket's own KMS is asked once in a while, and not for each input.
      ...(encryptionKey ? { encryptionKey, bucketKeyEnabled: true } : {}),
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      lifecycleRules: [{ expiration: Duration.days(inputDays(this.policy.policy.approvals.timeout, development)) }],
      // Emptying a bucket would take a custom resource, which the local endpoints do not run: one that holds inputs stops the removal.
      removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    this.record = new RecordArchive(this, 'Record', {
      development,
      encryptionKey,
      lock: props.archiveLock ?? (development ? 'none' : 'compliance'),
      retention: props.archiveRetention ?? RETENTION,
    });
    const digestKey = this.secret('DigestKey', {
      // Digests of the record, which outlives the stack, are compared with its help.
      removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      description: 'Keys the digests that the record holds (never rotate: old digests could not be compared)',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    // A key of its own, whatever `encryptionKey` is: with that one every function may decrypt, with this one only who runs calls.
    const sealKey = new Key(this, 'SealKey', {
      description: 'Wraps the keys of sealed proposals that hold secrets',
      enableKeyRotation: true,
      removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    this.slackSecret =
      props.slackSecret ??
      this.secret('SlackSecret', {
        description:
          'JSON with signingSecret and botToken of the Slack app; until it is filled the Slack endpoint answers nobody',
      });
    const parts = {
      deployment: this.deployment,
      sendersPath: this.sendersPath,
      tables: this.tables,
      queues: this.queues,
      inputs: this.inputs,
      record: this.record,
      digestKey,
      sealKey,
      slackSecret: this.slackSecret,
      taskModelSecret: this.taskModelSecret(),
      hookSecrets: this.hookSecrets(),
      targetSecrets: targetSecrets(this.policy.policy).map((name, index) =>
        Secret.fromSecretNameV2(this, `TargetSecret${index}`, name),
      ),
      eventBus: this.eventBus(props.eventBus),
      modelSecrets: this.modelSecrets(),
      props,
      shared: { policy: this.policy, logRetention, development, encryptionKey },
    };
    const { functions, workflow } = gateFunctions(this, parts);
    this.functions = functions;
    this.workflow = workflow;
    giveRights(functions, workflow, parts);
    this.slackUrl = connect(this, functions, this.queues, this.tables);
    this.alarms = [...this.queues.alarms, ...workflow.alarms, ...gateAlarms(this, this.deployment, functions)];
    this.dashboard = gateDashboard(this, this.deployment, this.queues, this.alarms);
    this.alarmTopic = props.alarmTopic;
    for (const alarm of this.alarms) this.register(alarm);
  }

  /** Names it, so that `countersign status` finds it, and tells the topic of it. */
  private register(alarm: Alarm): void {
    const path = alarm.node.path.slice(this.node.path.length + 1);
    (alarm.node.defaultChild as CfnAlarm).alarmName = `${alarmPrefix(this.deployment)}${path}`;
    if (this.alarmTopic) alarm.addAlarmAction(new SnsAction(this.alarmTopic));
  }

  private secret(id: string, props: ConstructorParameters<typeof Secret>[2]): ISecret {
    return new Secret(this, id, {
      ...props,
      ...(this.encryptionKey ? { encryptionKey: this.encryptionKey } : {}),
    }) as ISecret;
  }

  private eventBus(given: CountersignProps['eventBus']): IEventBus | undefined {
    if (given === 'log') return undefined;
    return given ?? EventBus.fromEventBusName(this, 'DefaultBus', 'default');
  }

  /** Made and filled by hand: a key that synthesis knew would be in the template. */
  private modelSecrets(): ISecret[] {
    const { classifier, models, taskAgent } = this.policy.policy;
    const used = [classifier?.model, taskAgent.model, ...Object.values(models)];
    const names = used.map((model) => model?.secret);
    return [...new Set(names.filter((name) => name !== undefined))].map((name, index) =>
      Secret.fromSecretNameV2(this, `ModelSecret${index || ''}`, name),
    );
  }

  private taskModelSecret(): ISecret | undefined {
    const name = this.policy.policy.taskAgent.model?.secret;
    return name === undefined ? undefined : Secret.fromSecretNameV2(this, 'TaskModelSecret', name);
  }

  private hookSecrets(): ISecret[] {
    const names = new Set(Object.values(this.policy.policy.hooks).flatMap(({ secret }) => secret ?? []));
    return [...names].map((name) => Secret.fromSecretNameV2(this, `HookSecret${name}`, name));
  }

  /** Two gates under one name would know each other's senders. */
  private refuseTwins(): void {
    const others = Stack.of(this).node.findAll();
    if (others.some((other) => other !== this && other instanceof Countersign && other.deployment === this.deployment))
      throw new Error(`deployment: another gate of this stack is named ${this.deployment} too`);
  }

  /** Lets `role` propose as `agent` and read that agent's decisions; registers the role as the agent's identity. */
  grantPropose(role: IRole, agent: string, options?: GrantOptions): void {
    grantPropose(this, role, agent, options);
  }

  /**
   * Lets `role`, a tool server's or an agent's own tool runner's, redeem permits and report outcomes. A permit is known to those who
   * can read its decision only, so this right alone runs nothing.
   */
  grantRedeem(role: IRole): void {
    grantRedeem(this, role);
  }

  /**
   * Lets `role` pause the gate and vote through the operators queue as `operator`, and read what operators change: results of operations,
   * pauses, delegations, sessions, what waits, queues and alarms.
   */
  grantOperate(role: IRole, operator: string, options?: Pick<GrantOptions, 'roleId'>): void {
    grantOperate(this, role, operator, options);
  }

  /** Lets `role` read the record, what waits and what `countersign status` shows. */
  grantAudit(role: IRole): void {
    grantAudit(this, role);
  }

  /** The functions that decide may send to `queue`, and an alarm tells if it takes nothing. */
  allowReplies(queue: IQueue, agent: string): void {
    const { evaluate, deliberate, resume, reconcile } = this.functions;
    for (const one of [evaluate, deliberate, resume, reconcile]) queue.grantSendMessages(one.role);
    if (this.node.tryFindChild(`Replies${agent}`)) return;
    const alarm = replyAlarm(new Construct(this, `Replies${agent}`), this.deployment, agent);
    this.alarms.push(alarm);
    this.register(alarm);
  }
}

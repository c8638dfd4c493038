/** Defines the gate as a construct: put it into a stack of your own, or deploy `cdk/app.ts`. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Annotations, Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { AlarmBase, CfnAlarm, CfnCompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarmPrefix } from '../../shared/config/alarm-names.ts';
import { withCanary } from '../../shared/config/canary.ts';
import type { PolicyDocument } from '../../shared/config/document.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { recordSettings } from '../../shared/config/readers/record-settings.ts';
import { targetSecrets } from '../../shared/config/readers/target-resources.ts';
import type { PolicyFile } from '../../shared/config/schema/policy-file.ts';
import { UNWRITTEN } from '../../shared/config/unwritten-secret.ts';
import { CANARY } from '../../shared/domain/canary.ts';
import { descriptionOf, textOf } from './alarm/alarm.ts';
import { allowAlarms, allowLogs, allowSenders, allowThrough } from './data/encryption.ts';
import { GateQueues } from './data/queues.ts';
import { RETENTION, RecordArchive } from './data/record-archive.ts';
import { RecordReaders } from './data/record-readers.ts';
import { GateTables } from './data/tables.ts';
import type { GateFunction } from './functions/gate-function.ts';
import { functionNames, type GateFunctions, gateFunctions, logGroupNames } from './functions/gate-functions.ts';
import { publishEntrances, shiftCalls } from './functions/shift.ts';
import { connect as connectTriggers, mayAnswer } from './functions/triggers.ts';
import { arnsOf, settingsOf } from './gate-arns.ts';
import { GateBase, type ICountersign } from './gate-base.ts';
import { rememberInternals } from './internals.ts';
import { gateAlarms, replyAlarm } from './monitoring/alarms.ts';
import { gateDashboard } from './monitoring/dashboard.ts';
import { SavedQueries } from './monitoring/saved-queries.ts';
import {
  checkEnvironments,
  checkReplyQueue,
  isSameEnvironment,
  mayBeSameEnvironment,
} from './props/check-environments.ts';
import { checkDeployment, checkedAlarmName, checkProps } from './props/check-props.ts';
import { checkSecrets } from './props/check-secrets.ts';
import { type AlarmTopics, type CountersignProps, topicsOf } from './props/props.ts';
import { type GateSettings, publish, published } from './published.ts';
import { type GateAccess, grantCanary } from './rights/grants.ts';
import { giveRights } from './rights/rights.ts';
import { eventBusOf, WebhookRules } from './webhook-rules.ts';

export type { CountersignProps } from './props/props.ts';

/** Inputs outlive every record that is kept for a year; in development they go soon, so that the bucket can. */
const INPUT_DAYS = { production: 400, development: 7 };
const DAY_MS = 24 * 60 * 60_000;

/** An input is read for as long as its approval may wait, and for the permit that follows. */
const inputDays = (longestMs: number, development: boolean): number =>
  Math.max(INPUT_DAYS[development ? 'development' : 'production'], Math.ceil(longestMs / DAY_MS) + 2);
/** A text is stored as long as the entries that name it, in development too: `verify` misses one that goes before. */
const textDays = ({ record }: PolicyFile): number =>
  Math.ceil(Math.max(...Object.values(recordSettings(record).retention)) / DAY_MS) + 2;
const MAX_NAME = 60;

/**
 * A gate with all that it needs: tables, queues, functions, the approval workflow, alarms and a dashboard.
 *
 * @example
 * const gate = new Countersign(stack, 'Gate', { policyFile: 'countersign.yaml', slackAppId: 'A0123ABCD' });
 * gate.connect(billing, 'billing'); // a function of this or another stack; its handler uses CountersignClient.fromEnvironment()
 */
export class Countersign extends GateBase {
  readonly deployment: string;
  /** Slack sends requests there: the app's request URL. */
  readonly slackUrl: FunctionUrl;
  /** JSON with `botToken`. */
  readonly slackSecret: ISecret;
  /** JSON with `signingSecret`. */
  readonly slackSigningSecret: ISecret;
  /** `alarmTopics` are told of pages and tickets; a cause raises a page and tells nobody itself. Give them other actions as you like. */
  readonly alarms: AlarmBase[];
  readonly dashboard: Dashboard;
  /** @internal */
  protected readonly access: GateAccess;
  /** @internal */
  protected readonly settings: GateSettings;
  readonly #topics: AlarmTopics | undefined;
  readonly #encryptionKey: IKey | undefined;

  /**
   * A gate that was deployed before, by this app or another one, to the same account and region.
   *
   * @param deployment its name, the output `Deployment`
   * @param options the key that it was given, if any; agents and operators then may use it through SQS and DynamoDB
   * @example
   * const gate = Countersign.fromDeployment(stack, 'Gate', 'Countersign');
   * gate.connect(billing, 'billing');
   */
  static fromDeployment(
    scope: Construct,
    id: string,
    deployment: string,
    { encryptionKey }: { readonly encryptionKey?: IKey } = {},
  ): ICountersign {
    return new DeployedGate(scope, id, deployment, encryptionKey);
  }

  constructor(scope: Construct, id: string, props: CountersignProps) {
    super(scope, id);
    checkProps(props);
    checkEnvironments(this, props);
    checkSecrets(this, props);
    const { encryptionKey, removalPolicy, logRetention = RetentionDays.SIX_MONTHS } = props;
    const development = removalPolicy === RemovalPolicy.DESTROY;
    this.#encryptionKey = encryptionKey;
    this.deployment = props.deployment ?? Names.uniqueResourceName(this, { separator: '-', maxLength: MAX_NAME });
    checkDeployment(this.deployment, props);
    this.#refuseTwins();
    const metrics = props.metrics ?? 'full';
    const tracing = props.tracing ?? 'pass-through';
    const shift = props.shift ?? (development ? 'none' : 'decisions');
    const hasCanary = props.canary ?? !development;
    const document = loadPolicy(readFileSync(props.policyFile, 'utf8'), basename(props.policyFile));
    const { policy } = document;
    const sendersPath = `/${this.deployment}/senders`;
    if (encryptionKey) allowLogs(encryptionKey, this);
    const tables = new GateTables(this, 'Tables', { development, encryptionKey });
    const queues = new GateQueues(this, 'Queues', { encryptionKey, development });
    const inputs = new Bucket(this, 'Inputs', {
      encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      // With a key of the bucket's own KMS is asked once in a while, and not for each input.
      ...(encryptionKey ? { encryptionKey, bucketKeyEnabled: true } : {}),
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      lifecycleRules: [
        { prefix: 'input/', expiration: Duration.days(inputDays(policy.approvals.timeout, development)) },
        ...['record/', 'shown/'].map((prefix) => ({
          prefix,
          expiration: Duration.days(textDays(policy)),
        })),
      ],
      // Emptying a bucket would take a custom resource, which the local endpoints do not run: one that holds inputs stops the removal.
      removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    const archiveRetention = props.archiveRetention ?? RETENTION;
    const record = new RecordArchive(this, 'Record', {
      development,
      encryptionKey,
      lock: props.archiveLock ?? (development ? 'none' : 'compliance'),
      key: props.archiveKey ?? 'ed25519',
      retention: archiveRetention,
      copy: props.archiveCopy,
    });
    const digestKey = this.#secret('DigestKey', {
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
      this.#secret('SlackSecret', {
        description: 'JSON with botToken of the Slack app; until it is filled the Slack endpoint answers nobody',
      });
    this.slackSigningSecret =
      props.slackSigningSecret ??
      this.#secret('SlackSigningSecret', {
        description: 'JSON with signingSecret of the Slack app; until it is filled the Slack endpoint answers nobody',
        // Until somebody writes it, the signing secret that a release before kept with the token counts.
        generateSecretString: { secretStringTemplate: '{}', generateStringKey: UNWRITTEN },
      });
    const parts = {
      deployment: this.deployment,
      sendersPath,
      tables,
      queues,
      inputs,
      record,
      digestKey,
      sealKey,
      slackSecret: this.slackSecret,
      slackSigningSecret: this.slackSigningSecret,
      taskModelSecret: this.#taskModelSecret(policy),
      hookSecrets: this.#secretsOf(policy.hooks, 'Hook'),
      webhookSecrets: this.#secretsOf(policy.webhooks, 'Webhook'),
      targetSecrets: targetSecrets(policy).map((name, index) =>
        Secret.fromSecretNameV2(this, `TargetSecret${index}`, name),
      ),
      eventBus: eventBusOf(this, props.eventBus, policy),
      modelSecrets: this.#modelSecrets(policy),
      props,
      shared: { policy: withCanary(document), logRetention, development, encryptionKey, metrics, tracing },
    };
    const { functions, workflow } = gateFunctions(this, parts);
    giveRights(functions, workflow, parts);
    const webhooks = new WebhookRules(this, 'Webhooks', {
      deployment: this.deployment,
      webhooks: policy.webhooks,
      bus: parts.eventBus,
      queue: queues.webhooks,
      development,
    });
    if (props.logReaders)
      new RecordReaders(this, 'Readers', {
        deployment: this.deployment,
        audit: tables.audit as ITable,
        archive: record.bucket,
        without: Object.values(functions).map(({ role }) => role),
        retention: archiveRetention,
        development,
      });
    publishEntrances(functions, shift);
    this.slackUrl = connectTriggers(this, functions, queues, tables, hasCanary);
    this.alarms = gateAlarms(
      this,
      { deployment: this.deployment, development, hasCanary },
      { functions, tables, others: [...queues.alarms, ...workflow.alarms, ...webhooks.alarms, ...record.alarms] },
    );
    shiftCalls(this, functions, this.alarms, shift);
    this.dashboard = gateDashboard(this, { deployment: this.deployment, metrics }, { queues, functions }, this.alarms);
    // Local endpoints carry no saved queries.
    if (!development) new SavedQueries(this, 'Queries', this.deployment, Object.values(functions));
    this.#topics = topicsOf(props);
    for (const key of topicKeys(this.#topics)) allowAlarms(key);
    for (const alarm of this.alarms) this.#register(alarm);
    if (!this.#topics && !development) {
      const nobody = `no alarmTopics: nobody is told of ${this.alarms.length} alarms`;
      Annotations.of(this).addWarningV2('countersign:alarmTopics', nobody);
    }
    this.settings = settingsOf(this.deployment, tables, queues, functions, { record, inputs, digestKey });
    this.access = {
      deployment: this.deployment,
      ...environmentOf(this),
      arns: arnsOf(tables, queues, functions, { record, inputs, digestKey, workflow }),
      encryptionKey,
      mayDeclare: (kind, name) => Object.hasOwn(policy[kind], name),
      allowReplies: (queue, agent) => this.#allowReplies(queue, agent, functions),
      redeems: functions.redeem.callee,
    };
    // Nobody else may be it: for all others the policy file declares no such agent.
    grantCanary(this.access, functions.canary.function);
    functions.canary.function.addEnvironment('REDEEM_FUNCTION', functions.redeem.calleeName);
    publish(this, { settings: this.settings, arns: this.access.arns }, functionNames(functions), {
      stateMachine: workflow.stateMachine.stateMachineName,
      logGroups: logGroupNames(functions),
    });
    rememberInternals(this, {
      policy: document,
      tables,
      queues,
      functions,
      workflow,
      inputs,
      record,
      digestKey,
      access: this.access,
    });
  }

  /** Names and describes it, so that `countersign status` and whoever is told find it, and tells its topic of it. */
  #register(alarm: AlarmBase): void {
    const text = textOf(alarm);
    const path = alarm.node.path.slice(this.node.path.length + 1);
    const resource = alarm.node.defaultChild as CfnAlarm | CfnCompositeAlarm;
    resource.alarmName = checkedAlarmName(`${alarmPrefix(this.deployment)}${text.tier}/${path}`);
    resource.alarmDescription = descriptionOf(this.deployment, text);
    if (!this.#topics || text.tier === 'cause') return;
    const action = new SnsAction(this.#topics[text.tier]);
    alarm.addAlarmAction(action);
    // A person who was woken has to hear that it is over.
    if (text.tier === 'page') alarm.addOkAction(action);
  }

  #secret(id: string, props: ConstructorParameters<typeof Secret>[2]): ISecret {
    return new Secret(this, id, {
      ...props,
      ...(this.#encryptionKey ? { encryptionKey: this.#encryptionKey } : {}),
    }) as ISecret;
  }

  /** Made and filled by hand: a key that synthesis knew would be in the template. */
  #modelSecrets({ classifier, models, taskAgent }: Settings): ISecret[] {
    const used = [classifier?.model, taskAgent.model, ...Object.values(models)];
    const names = used.map((model) => model?.secret);
    return [...new Set(names.filter((name) => name !== undefined))].map((name, index) =>
      Secret.fromSecretNameV2(this, `ModelSecret${index || ''}`, name),
    );
  }

  #taskModelSecret({ taskAgent }: Settings): ISecret | undefined {
    const name = taskAgent.model?.secret;
    return name === undefined ? undefined : Secret.fromSecretNameV2(this, 'TaskModelSecret', name);
  }

  #secretsOf(users: Readonly<Record<string, { readonly secret?: string | undefined }>>, kind: string): ISecret[] {
    const names = new Set(Object.values(users).flatMap(({ secret }) => secret ?? []));
    // By number: in an id of the CDK `a/b` and `a--b` are one.
    return [...names].map((name, index) => Secret.fromSecretNameV2(this, `${kind}Secret${index}`, name));
  }

  /** Two gates under one name would know each other's senders, and AWS has each parameter of that name once. */
  #refuseTwins(): void {
    const own = Stack.of(this);
    for (const other of this.node.root.node.findAll()) {
      if (other === this || !(other instanceof Countersign) || other.deployment !== this.deployment) continue;
      const stack = Stack.of(other);
      const where = stack === own ? 'this stack' : `the stack ${stack.node.path}, in the same account and region,`;
      if (isSameEnvironment(stack, own))
        throw new Error(`deployment: another gate of ${where} is named ${this.deployment} too`);
      if (mayBeSameEnvironment(stack, own))
        Annotations.of(this).addWarningV2(
          'countersign:twin',
          `deployment: the gate of the stack ${stack.node.path} is named ${this.deployment} too, and AWS refuses the second of them in one ` +
            'account and region: give them two names, or each stack its env',
        );
    }
  }

  /** The functions that decide may send to `queue`, and an alarm tells if it takes nothing. */
  #allowReplies(queue: IQueue, agent: string, { evaluate, deliberate, resume, reconcile }: GateFunctions): void {
    checkReplyQueue(this, queue);
    const senders = [evaluate, deliberate, resume, reconcile];
    if (Stack.of(queue) === Stack.of(this)) for (const one of senders) mayAnswer(one, queue);
    else this.#allowRepliesTo(queue, senders);
    if (this.node.tryFindChild(`Replies${agent}`)) return;
    const alarm = replyAlarm(new Construct(this, `Replies${agent}`), this.deployment, agent);
    this.alarms.push(alarm);
    this.#register(alarm);
  }

  /** By the queue's own policy: were the functions' roles to name it, its stack and this one would need each other. */
  #allowRepliesTo(queue: IQueue, senders: readonly GateFunction[]): void {
    const roles = senders.map(({ role }) => role);
    const principals = roles.map(({ roleArn }) => new ArnPrincipal(roleArn));
    const statement = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn], principals });
    const { encryptionMasterKey: key } = queue;
    // The gate's stack needs that of its own key, which therefore may not need the gate's.
    if (key && key === this.#encryptionKey) for (const role of roles) allowThrough(key, role, 'sqs');
    else if (key) allowSenders(key, queue, roles);
    if (!queue.addToResourcePolicy(statement).statementAdded)
      throw new Error(
        `replyQueue: ${queue.node.path} is imported: make it in the stack of the gate, or in that of the agent`,
      );
  }
}

/** A gate of another app, by the names that it published. */
class DeployedGate extends GateBase {
  readonly deployment: string;
  /** @internal */
  protected readonly access: GateAccess;
  /** @internal */
  protected readonly settings: GateSettings;

  constructor(scope: Construct, id: string, deployment: string, encryptionKey: IKey | undefined) {
    super(scope, id);
    const { settings, arns } = published(this, deployment);
    this.deployment = deployment;
    this.settings = settings;
    this.access = {
      deployment,
      ...environmentOf(this),
      arns,
      encryptionKey,
      mayDeclare: (_, name) => name !== CANARY,
      allowReplies: () => {
        throw new Error('replyQueue: grant it in the app that makes the gate, whose functions send to it');
      },
    };
  }
}

/** Both tiers may be one topic, or have one key. */
const topicKeys = (topics: AlarmTopics | undefined): ReadonlySet<IKey> =>
  new Set([topics?.page.masterKey, topics?.ticket.masterKey].filter((key) => key !== undefined));

function environmentOf(scope: Construct): Pick<GateAccess, 'account' | 'region'> {
  const { account, region } = Stack.of(scope);
  return { account, region };
}

type Settings = PolicyDocument['policy'];

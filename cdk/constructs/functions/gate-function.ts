/** Makes one function of the gate: its bundle, the policy beside it, its log, its limits. */
import { rmSync } from 'node:fs';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  Code,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { LIVE_ALIAS } from '../../../shared/config/live-alias.ts';
import type { MetricMode } from '../../../shared/config/metric-names.ts';
import type { GateTracing } from '../props/props.ts';
import { folderOf, stayingFolderOf } from './function-folder.ts';
import type { GateFunctionName } from './function-names.ts';
import { packageVersion } from './package-root.ts';

export interface GateFunctionProps {
  readonly name: GateFunctionName;
  readonly policy: PolicyDocument;
  readonly timeout: Duration;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
  readonly metrics: MetricMode;
  readonly tracing: GateTracing;
  /** The function's log is removed with the stack. */
  readonly development: boolean;
  readonly encryptionKey: IKey | undefined;
  readonly reservedConcurrency?: number;
  /** Sends to the queue that calls it: Lambda would stop that after 16 rounds; the gate has a bound of its own, 100 rounds (A12). */
  readonly feedsItself?: boolean;
  /** Some of its errors are answers to its caller. */
  readonly answersByThrowing?: boolean;
}

export class GateFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly name: GateFunctionName;
  readonly answersByThrowing: boolean;
  readonly timeout: Duration;
  #callee: LambdaFunction | Alias;
  #qualifier = '';

  /** By the function's own attributes: what another stack imports of it is the same with an alias and without one. */
  get calleeName(): string {
    return `${this.function.functionName}${this.#qualifier}`;
  }
  get calleeArn(): string {
    return `${this.function.functionArn}${this.#qualifier}`;
  }

  /** The one that callers name: the alias of a function that has versions. */
  get callee(): LambdaFunction | Alias {
    return this.#callee;
  }

  constructor(scope: Construct, id: string, props: GateFunctionProps) {
    super(scope, id);
    const { name, policy, timeout, memoryMb, environment, logRetention, encryptionKey, reservedConcurrency } = props;
    this.name = name;
    this.timeout = timeout;
    this.answersByThrowing = props.answersByThrowing ?? false;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: logRetention,
      removalPolicy: props.development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      ...(encryptionKey ? { encryptionKey } : {}),
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(role);
    this.role = role;
    // The assembly has its own copy, unless it is told to point at the source.
    const isCopied = !this.node.tryGetContext(DISABLE_ASSET_STAGING_CONTEXT);
    const folder = isCopied ? folderOf(name, policy) : stayingFolderOf(name, policy);
    this.function = new LambdaFunction(this, 'Function', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(folder),
      role,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Lambda's lines of runs that fail; those of all others would be a third of what the log costs.
      systemLogLevelV2: SystemLogLevel.WARN,
      timeout,
      memorySize: memoryMb,
      tracing: props.tracing === 'active' ? Tracing.ACTIVE : Tracing.PASS_THROUGH,
      environment: {
        POWERTOOLS_LOG_LEVEL: 'INFO',
        METRICS: props.metrics,
        ...versionsOf(name, policy),
        ...environment,
      },
      ...(props.feedsItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...(encryptionKey ? { environmentEncryption: encryptionKey } : {}),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    });
    this.#callee = this.function;
    if (isCopied) rmSync(folder, { recursive: true, force: true });
  }

  /** Makes a version of each deployment, and the alias `live` on one of them. */
  publish(): void {
    const version = this.function.currentVersion as IVersion;
    this.#callee = new Alias(this, 'Live', { aliasName: LIVE_ALIAS, version });
    this.#qualifier = `:${LIVE_ALIAS}`;
  }

  allow(
    actions: readonly string[],
    resources: readonly string[],
    conditions?: Record<string, Record<string, unknown>>,
  ): void {
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
        ...(conditions ? { conditions } : {}),
      }),
    );
  }
}

/** The first log line of each process states these; `function` is in every line. */
const versionsOf = (name: GateFunctionName, { policyVersion }: PolicyDocument) => ({
  GATE_FUNCTION: name,
  COUNTERSIGN_VERSION: packageVersion(),
  POLICY_VERSION: policyVersion,
});

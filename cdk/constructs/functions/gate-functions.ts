/** Makes the functions of the gate with their limits and environment. */
import { Duration, Stack } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { EnvText, FunctionName } from '../../../functions/runtime/env.ts';
import { REDRIVEN_QUEUES, type RedrivenQueue } from '../../../shared/contract/redrive.ts';
import type { GateQueues } from '../data/queues.ts';
import type { RecordArchive } from '../data/record-archive.ts';
import type { GateTables } from '../data/tables.ts';
import type { CountersignProps } from '../props/props.ts';
import { ApprovalWorkflow } from '../workflow/approval-workflow.ts';
import { FUNCTIONS, type GateFunctionName } from './function-names.ts';
import { GateFunction, type GateFunctionProps } from './gate-function.ts';

export type GateFunctions = Readonly<Record<GateFunctionName, GateFunction>>;

export interface GateParts {
  readonly deployment: string;
  readonly sendersPath: string;
  readonly tables: GateTables;
  readonly queues: GateQueues;
  readonly inputs: Bucket;
  readonly record: RecordArchive;
  readonly digestKey: ISecret;
  /** Wraps the keys of sealed originals. */
  readonly sealKey: IKey;
  readonly slackSecret: ISecret;
  readonly slackSigningSecret: ISecret;
  /** The key of the task agent's model, if the policy file names one. */
  readonly taskModelSecret?: ISecret | undefined;
  /** Secrets that sign the requests to hooks. */
  readonly hookSecrets: readonly ISecret[];
  /** Secrets that sign the events for webhooks. */
  readonly webhookSecrets: readonly ISecret[];
  /** Secrets that targets of tools send along. */
  readonly targetSecrets: readonly ISecret[];
  readonly eventBus: IEventBus | 'log' | 'none';
  /** The keys of the models that the policy file names. */
  readonly modelSecrets: readonly ISecret[];
  readonly props: CountersignProps;
  /** Properties that all functions share. */
  readonly shared: Pick<
    GateFunctionProps,
    'policy' | 'logRetention' | 'development' | 'encryptionKey' | 'metrics' | 'tracing'
  >;
}

interface Limits {
  readonly seconds: number;
  readonly memoryMb: number;
}

/** The longest that one approved call may take, retries included. */
const EXECUTE_SECONDS = 300;
const RESUME_TIMEOUT = Duration.seconds(60);
/** A flood of forged requests takes at most this much of the account's concurrency. */
const SLACK_CONCURRENCY = 20;
/**
 * Every function that callers outside of the gate invoke reserves concurrency. Tool servers that ask in a loop then cannot keep `evaluate` from
 * deciding, and a flood of proposals cannot keep them from redeeming. A function that only queues call is bounded by its mapping (`triggers.ts`)
 * and reserves nothing: an account has a concurrency of 1,000 for all its functions.
 */
const REDEEM_CONCURRENCY = 40;
/** Reports of tool servers; agents' own come over a queue, to a function of its own. */
const OUTCOME_CONCURRENCY = 20;

export function gateFunctions(
  scope: Construct,
  parts: GateParts,
): { readonly functions: GateFunctions; readonly workflow: ApprovalWorkflow } {
  const { tables, queues, props, shared } = parts;
  const { eventBus } = parts;
  const bus = eventBus === 'none' ? {} : { EVENT_BUS: eventBus === 'log' ? eventBus : eventBus.eventBusArn };
  const base = {
    DEPLOYMENT: parts.deployment,
    STATE_TABLE: tables.state.tableName,
    AUDIT_TABLE: tables.audit.tableName,
    INPUT_BUCKET: parts.inputs.bucketName,
    DIGEST_KEY_SECRET: parts.digestKey.secretArn,
    ...bus,
  };
  const cards = { CARD_QUEUE_URL: queues.cards.queueUrl };
  const decides = { ...base, ...cards, SENDERS_PATH: parts.sendersPath };
  const slack = {
    SLACK_SECRET: parts.slackSecret.secretArn,
    ...(props.slackApiUrl ? { SLACK_API_URL: props.slackApiUrl } : {}),
  };
  const accounts = props.accountsAllowed ? { ACCOUNTS_ALLOWED: props.accountsAllowed } : {};
  /** `_words` names the schema of the environment, so that the compiler compares the two. */
  const fn = <Name extends FunctionName>(
    name: GateFunctionName,
    _words: Name,
    environment: EnvText<Name>,
    { seconds, memoryMb }: Limits,
    more: Partial<Pick<GateFunctionProps, 'reservedConcurrency' | 'feedsItself' | 'answersByThrowing'>> = {},
  ): GateFunction =>
    new GateFunction(scope, pascal(name), {
      ...shared,
      ...more,
      name,
      timeout: Duration.seconds(seconds),
      memoryMb,
      environment: environment as Readonly<Record<string, string>>,
    });

  const answers = { answersByThrowing: true };
  const requestApproval = fn(
    'request-approval',
    'requestApproval',
    { ...base, ...cards },
    { seconds: 10, memoryMb: 256 },
    answers,
  );
  const seals = { SEAL_KEY: parts.sealKey.keyArn };
  const handsOver = { ...decides, DEFERRED_QUEUE_URL: queues.deferred.queueUrl };
  const resume = fn('resume', 'resume', { ...handsOver, ...seals }, { seconds: 30, memoryMb: 512 }, answers);
  const workflow = new ApprovalWorkflow(scope, 'Workflow', {
    requestApproval: requestApproval.function,
    resume: resume.function,
    resumeTimeout: RESUME_TIMEOUT,
    ...shared,
  });
  const STATE_MACHINE_ARN = workflow.stateMachine.stateMachineArn;
  const RESUME_FUNCTION = resume.function.functionName;
  const intake = {
    ...decides,
    ...seals,
    STATE_MACHINE_ARN,
    DEFERRED_QUEUE_ARN: queues.deferred.queueArn,
    DEFERRED_QUEUE_URL: queues.deferred.queueUrl,
    ...accounts,
  };
  const { burst, perMinute, listFrom } = shared.policy.policy.approvals.newCards;
  // A function is told what it needs in words.
  const newCards = {
    NEW_CARDS_BURST: `${burst}`,
    NEW_CARDS_PER_MINUTE: `${perMinute}`,
    NEW_CARDS_LIST_FROM: `${listFrom}`,
  };
  const talk = { TALK_QUEUE_URL: queues.conversation.queueUrl };
  const model = props.llmBaseUrl ? { LLM_BASE_URL: props.llmBaseUrl } : {};
  const reserve = (most: number) => (props.slackConcurrency === 'unreserved' ? {} : { reservedConcurrency: most });
  const slackMost = typeof props.slackConcurrency === 'number' ? props.slackConcurrency : SLACK_CONCURRENCY;
  const operators = { OPERATORS_QUEUE_URL: queues.operators.queueUrl };
  const slackFunction = fn(
    'slack',
    'slack',
    {
      ...{ ...base, ...slack, ...cards, ...talk, ...operators, RESUME_FUNCTION, SLACK_APP_ID: props.slackAppId },
      SLACK_SIGNING_SECRET: parts.slackSigningSecret.secretArn,
    },
    { seconds: 10, memoryMb: 1024 },
    reserve(slackMost),
  );
  const redrive = fn(
    'redrive',
    'redrive',
    { DEPLOYMENT: parts.deployment, QUEUES: Stack.of(scope).toJsonString(addressesOf(queues)) },
    { seconds: 60, memoryMb: 256 },
  );
  const executeTool = fn(
    'execute-tool',
    'executeTool',
    {
      ...decides,
      ...seals,
      ...accounts,
      CARRIER: TOLD_LATER,
      EXECUTIONS_QUEUE_URL: queues.executions.queueUrl,
      EXECUTIONS_DEAD_ARN: queues.deadOf(queues.executions).queueArn,
    },
    { seconds: EXECUTE_SECONDS, memoryMb: 512 },
    { feedsItself: true },
  );
  // `deliberate` carries requests that wait for their agent's share, under the role of this function.
  executeTool.function.addEnvironment('CARRIER', executeTool.role.roleId);
  const operates = {
    ...decides,
    ...operators,
    OPERATORS_DEAD_ARN: queues.deadOf(queues.operators).queueArn,
    WEBHOOK_QUEUE_URL: queues.webhooks.queueUrl,
    REDRIVE_FUNCTION: redrive.function.functionName,
    RESUME_FUNCTION,
    SLACK_ROLE_ID: slackFunction.role.roleId,
    ...accounts,
  };
  const archives = { DEPLOYMENT: parts.deployment, ARCHIVE_BUCKET: parts.record.bucket.bucketName, ...bus };
  const functions = {
    'request-approval': requestApproval,
    resume,
    evaluate: fn('evaluate', 'evaluate', intake, { seconds: 10, memoryMb: 1024 }),
    deliberate: fn(
      'deliberate',
      'deliberate',
      {
        ...intake,
        ...model,
        PROPOSALS_DEAD_ARN: queues.deadOf(queues.proposals).queueArn,
        DEFERRED_DEAD_ARN: queues.deadOf(queues.deferred).queueArn,
      },
      { seconds: 60, memoryMb: 1024 },
      { feedsItself: true },
    ),
    'slack-out': fn(
      'slack-out',
      'slackOut',
      { ...base, ...slack, ...cards, ...newCards },
      { seconds: 20, memoryMb: 256 },
    ),
    slack: slackFunction,
    converse: fn(
      'converse',
      'converse',
      { ...base, ...slack, ...talk, ...model, TALK_DEAD_ARN: queues.deadOf(queues.conversation).queueArn },
      { seconds: 30, memoryMb: 1024 },
    ),
    operate: fn('operate', 'operate', operates, { seconds: 30, memoryMb: 256 }),
    redeem: fn(
      'redeem',
      'redeem',
      { ...base, ...cards, ...seals },
      { seconds: 60, memoryMb: 512 },
      reserve(REDEEM_CONCURRENCY),
    ),
    'record-outcome': fn(
      'record-outcome',
      'recordOutcome',
      { ...base, ...cards },
      { seconds: 30, memoryMb: 256 },
      reserve(OUTCOME_CONCURRENCY),
    ),
    'collect-outcomes': fn(
      'collect-outcomes',
      'collectOutcomes',
      {
        ...decides,
        ...accounts,
        OUTCOMES_QUEUE_URL: queues.outcomes.queueUrl,
        OUTCOMES_DEAD_ARN: queues.deadOf(queues.outcomes).queueArn,
      },
      { seconds: 30, memoryMb: 256 },
    ),
    redrive,
    'archive-audit': fn('archive-audit', 'archiveAudit', archives, { seconds: 60, memoryMb: 256 }),
    seal: fn(
      'seal',
      'seal',
      { ...archives, ...cards, SIGNING_KEY: parts.record.signingKey.keyArn },
      { seconds: 120, memoryMb: 512 },
    ),
    'send-webhooks': fn(
      'send-webhooks',
      'sendWebhooks',
      { DEPLOYMENT: parts.deployment, WEBHOOK_QUEUE_URL: queues.webhooks.queueUrl },
      { seconds: 30, memoryMb: 256 },
    ),
    canary: fn(
      'canary',
      'canary',
      {
        DEPLOYMENT: parts.deployment,
        AUDIT_TABLE: tables.audit.tableName,
        PROPOSALS_QUEUE_URL: queues.proposals.queueUrl,
        OUTCOMES_QUEUE_URL: queues.outcomes.queueUrl,
        REDEEM_FUNCTION: TOLD_LATER,
      },
      { seconds: 60, memoryMb: 256 },
    ),
    'execute-tool': executeTool,
    reconcile: fn(
      'reconcile',
      'reconcile',
      { ...handsOver, STATE_MACHINE_ARN, RESUME_FUNCTION },
      { seconds: 50, memoryMb: 512 },
    ),
  };
  return { functions, workflow };
}

const byName = (functions: GateFunctions, read: (of: GateFunction) => string): Record<GateFunctionName, string> =>
  Object.fromEntries(FUNCTIONS.map((name) => [name, read(functions[name])])) as Record<GateFunctionName, string>;

/** By the name within the gate. */
export const functionNames = (functions: GateFunctions): Record<GateFunctionName, string> =>
  byName(functions, ({ function: { functionName } }) => functionName);

export const logGroupNames = (functions: GateFunctions): Record<GateFunctionName, string> =>
  byName(functions, ({ logGroup }) => logGroup.logGroupName);

/** Stands where a word of the environment is set once the function is there. */
const TOLD_LATER = '-';

const addressesOf = (queues: GateQueues): Record<RedrivenQueue, { readonly live: string; readonly dead: string }> =>
  Object.fromEntries(
    REDRIVEN_QUEUES.map((name) => [name, { live: queues[name].queueUrl, dead: queues.deadOf(queues[name]).queueUrl }]),
  ) as Record<RedrivenQueue, { readonly live: string; readonly dead: string }>;

const pascal = (name: string): string => name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

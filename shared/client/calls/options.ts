/** Reads the settings of a client from arguments or the environment, and checks them first. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AwsAgentSide,
  type AwsCredentials,
  type AwsOptions,
  awsAgentSide,
} from '../../adapters/aws/agent-side.ts';
import { DEFAULT_SESSION, isIdentifier } from '../../contract/bounds.ts';
import { AGENT_VARIABLE, STACK_SETTINGS, type StackSetting } from '../../domain/aws/stack-settings.ts';
import { InvalidSettingError } from '../../domain/errors.ts';
import { ownValue } from '../../domain/own.ts';
import {
  type Checks,
  checkedElsewhere,
  checkSettings,
  fn,
  having,
  record,
  shown,
  text,
} from '../../domain/settings.ts';
import type { DecisionReader, ProposalQueue, Redeemer } from '../../ports/agent-side.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { ResultReader } from '../../ports/stores/result-store.ts';
import { type RealPath, realPathHere } from './folder.ts';

/** The deployment, the agent, and which of the gate's services the client uses. */
export interface CountersignClientOptions {
  /** This agent's name in the deployment's policy file. Required. */
  readonly agent?: string | undefined;
  /** The deployment's name, from the stack's output `Deployment`. Required. */
  readonly deployment?: string | undefined;
  /** The stack's output `ProposalsQueueUrl`. Required unless `queue` is given. */
  readonly queueUrl?: string | undefined;
  /** The stack's output `AuditTable`. Required unless `reader` is given. */
  readonly auditTable?: string | undefined;
  /** The stack's outputs `ExecutionsQueueUrl` and `StateTable`: lets the gate run approved calls (`execute`). */
  readonly executionsQueueUrl?: string | undefined;
  readonly stateTable?: string | undefined;
  /**
   * The stack's outputs `RedeemFunction` and `OutcomesQueueUrl`: wrapped tools then redeem their permit first, run within the guardrails, and
   * report their outcome. The process needs `grantRedeem`.
   */
  readonly redeemFunction?: string | undefined;
  readonly outcomesQueueUrl?: string | undefined;
  /** Conversation that grants and denials are counted in. Default: `main`. */
  readonly sessionId?: string | undefined;
  /** Region, credentials and endpoint. Default: as every AWS SDK finds them. */
  readonly aws?: AwsOptions | undefined;
  /** Replaced in tests; by default SQS, DynamoDB and Lambda. */
  readonly queue?: ProposalQueue | undefined;
  readonly reader?: DecisionReader | undefined;
  readonly executions?: ProposalQueue | undefined;
  readonly results?: ResultReader | undefined;
  readonly redeemer?: Redeemer | undefined;
  readonly outcomes?: ProposalQueue | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
  readonly realPath?: RealPath | undefined;
}

type Ports = 'executions' | 'results' | 'redeemer' | 'outcomes';
type Needed =
  | 'agent'
  | 'deployment'
  | 'sessionId'
  | 'queue'
  | 'reader'
  | 'clock'
  | 'newId'
  | 'sleep'
  | 'random'
  | 'realPath';

/** The same, checked and complete. */
export type Options = { readonly [Name in Needed]: NonNullable<CountersignClientOptions[Name]> } & {
  readonly [Port in Ports]: NonNullable<CountersignClientOptions[Port]> | undefined;
} & Pick<AwsAgentSide, 'close'>;

/** @throws InvalidSettingError that names the setting and the stack's output that holds it */
export function checkedOptions(given: CountersignClientOptions): Options {
  checkSettings(given, CHECKS);
  const { executions, results, redeemer, outcomes } = given;
  const side = awsAgentSide(checkedAws(given.aws));
  const queueAt = (setting: StackSetting & keyof CountersignClientOptions) => {
    const url = stated(given, setting);
    return url === undefined ? undefined : side.queueAt(checkedUrl(url, setting, sourceOf(setting)));
  };
  const stateTable = stated(given, 'stateTable');
  const redeemFunction = stated(given, 'redeemFunction');
  const options: Options = {
    agent: checkedAgent(given.agent),
    deployment: required(given, 'deployment'),
    sessionId: checkedSession(given.sessionId),
    queue: given.queue ?? side.queueAt(checkedUrl(required(given, 'queueUrl'), 'queueUrl', sourceOf('queueUrl'))),
    reader: given.reader ?? side.decisionsIn(required(given, 'auditTable')),
    clock: given.clock ?? systemClock,
    newId: given.newId ?? randomUUID,
    sleep: given.sleep ?? sleepUntil,
    random: given.random ?? Math.random,
    realPath: given.realPath ?? realPathHere,
    executions: executions ?? queueAt('executionsQueueUrl'),
    results: results ?? (stateTable === undefined ? undefined : side.resultsIn(stateTable)),
    redeemer: redeemer ?? (redeemFunction === undefined ? undefined : side.redeemerOf(redeemFunction)),
    outcomes: outcomes ?? queueAt('outcomesQueueUrl'),
    close: side.close,
  };
  if (given.executionsQueueUrl !== undefined && !options.results) throw missing('stateTable', 'executionsQueueUrl');
  // Half of it would run tools outside of the guardrails, or leave their outcomes unknown.
  if (options.redeemer && !options.outcomes) throw missing('outcomesQueueUrl', 'redeemFunction');
  if (options.outcomes && !options.redeemer) throw missing('redeemFunction', 'outcomesQueueUrl');
  return options;
}

const publishes = having('publish');

/** Settings of the stack are checked with the outputs that hold them. */
const CHECKS: Checks<CountersignClientOptions> = {
  agent: checkedElsewhere,
  deployment: checkedElsewhere,
  queueUrl: checkedElsewhere,
  auditTable: checkedElsewhere,
  executionsQueueUrl: checkedElsewhere,
  stateTable: checkedElsewhere,
  redeemFunction: checkedElsewhere,
  outcomesQueueUrl: checkedElsewhere,
  sessionId: checkedElsewhere,
  aws: checkedElsewhere,
  queue: publishes,
  reader: having('read'),
  executions: publishes,
  results: having('read'),
  redeemer: having('redeem'),
  outcomes: publishes,
  clock: having('now'),
  newId: fn,
  sleep: fn,
  random: fn,
  realPath: fn,
};

/** The settings that the variables `COUNTERSIGN_…` hold. An empty variable is none. */
export function settingsOf(env: Readonly<Record<string, string | undefined>>): CountersignClientOptions {
  const variable = (setting: StackSetting) => ownValue(env, STACK_SETTINGS[setting].variable) || undefined;
  return {
    agent: ownValue(env, AGENT_VARIABLE) || undefined,
    deployment: variable('deployment'),
    queueUrl: variable('queueUrl'),
    auditTable: variable('auditTable'),
    executionsQueueUrl: variable('executionsQueueUrl'),
    stateTable: variable('stateTable'),
    redeemFunction: variable('redeemFunction'),
    outcomesQueueUrl: variable('outcomesQueueUrl'),
  };
}

function checkedAgent(agent: string | undefined): string {
  const known = `it is the agent's name in the policy file (${AGENT_VARIABLE})`;
  if (!agent) throw new InvalidSettingError('agent', `is missing: ${known}`);
  if (!isIdentifier(agent)) throw new InvalidSettingError('agent', `${shown(agent)} cannot be a name: ${known}`);
  return agent;
}

function checkedSession(session = DEFAULT_SESSION): string {
  if (isIdentifier(session)) return session;
  throw new InvalidSettingError('sessionId', `${shown(session)} cannot be a name: leave it out for \`main\``);
}

type Setting = StackSetting & keyof CountersignClientOptions;

const sourceOf = (setting: StackSetting): string =>
  `it is the stack's output ${STACK_SETTINGS[setting].output} (${STACK_SETTINGS[setting].variable})`;

const missing = (setting: StackSetting, beside?: StackSetting): InvalidSettingError =>
  new InvalidSettingError(setting, `is missing${beside ? ` beside ${beside}` : ''}: ${sourceOf(setting)}`);

function required(given: CountersignClientOptions, setting: Setting): string {
  const value = stated(given, setting);
  if (value === undefined) throw missing(setting);
  return value;
}

function stated(given: CountersignClientOptions, setting: Setting): string | undefined {
  const value: unknown = given[setting];
  if (value === undefined) return undefined;
  // Half of a surrogate pair has no bytes: two names would be one.
  if (typeof value === 'string' && !value.isWellFormed())
    throw new InvalidSettingError(setting, `holds half of a surrogate pair: ${sourceOf(setting)}`);
  if (typeof value === 'string' && value.trim() !== '') return value;
  const problem = typeof value === 'string' ? 'is empty' : `${shown(value)} is no text`;
  throw new InvalidSettingError(setting, `${problem}: ${sourceOf(setting)}`);
}

function checkedUrl(url: unknown, setting: string, source: string): string {
  if (typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new InvalidSettingError(setting, `${shown(url)} is no URL: ${source}`);
}

function checkedAws(aws: AwsOptions = {}): AwsOptions {
  checkSettings(aws, AWS_CHECKS, { of: 'aws' });
  return aws;
}

const AWS_CHECKS: Checks<AwsOptions> = {
  region(value) {
    if (value === '')
      throw new InvalidSettingError('aws.region', 'is empty: leave it out, or name a region such as eu-central-1');
    text(value, 'aws.region');
  },
  credentials(value) {
    if (typeof value === 'function') return;
    record(value, 'aws.credentials');
    const { accessKeyId, secretAccessKey } = value as Partial<AwsCredentials>;
    text(accessKeyId, 'aws.credentials.accessKeyId');
    text(secretAccessKey, 'aws.credentials.secretAccessKey');
  },
  endpoint: (value) => void checkedUrl(value, 'aws.endpoint', 'leave it out to use AWS'),
};

async function sleepUntil(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    // The timer's own error tells neither a time-out nor an interrupt from any other abort.
    signal?.throwIfAborted();
    throw error;
  });
}

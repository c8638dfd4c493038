/** Gives principals a right and registers who they are, in one call. */
import { Stack, Token } from 'aws-cdk-lib';
import { type CfnRole, Grant, type IGrantable, type IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct, IConstruct } from 'constructs';
import { ENTRANCES } from '../../../shared/config/live-alias.ts';
import { type SenderKind, senderParameter } from '../../../shared/config/sender-path.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import { DEAD_LETTERS_AGENT } from '../../../shared/domain/proposal/reserved-ids.ts';
import { OPERATIONS } from '../../../shared/domain/record/operation-id.ts';
import { allowThrough } from '../data/encryption.ts';
import { FUNCTIONS } from '../functions/function-names.ts';
import { onlyRows } from './row-rights.ts';

/** ARNs of what rights are given on. */
export interface GateArns {
  readonly proposals: string;
  readonly executions: string;
  readonly outcomes: string;
  readonly operators: string;
  readonly audit: string;
  readonly state: string;
  /** The function, and its alias. */
  readonly redeem: readonly string[];
  readonly recordOutcome: string;
  readonly canary: string;
  /** Every function of the gate. */
  readonly functions: readonly string[];
  /** The bucket of the archived record; `archiveKey` signs its seals. */
  readonly archive: string;
  readonly archiveKey: string;
  /** The bucket of texts that are too large for a row. */
  readonly texts: string;
  /** The secret that keys the digests of the record. */
  readonly digestKey: string;
  /** Every queue, and those for dead letters. */
  readonly queues: readonly string[];
  /** The logs of every function, and any execution of the workflow. */
  readonly logs: readonly string[];
  readonly workflowExecutions: string;
}

/** A gate as far as rights concern it: one of this app, or one that was deployed before. */
export interface GateAccess {
  readonly deployment: string;
  /** Where it is deployed; unresolved in a stack that does not say. */
  readonly account: string;
  readonly region: string;
  readonly arns: GateArns;
  readonly encryptionKey: IKey | undefined;
  /** The one that agents redeem with, of a gate of this app: its name alone does not order the deployment. */
  readonly redeems?: IConstruct;
  /** Whether the policy file declares such a name; of a gate of another app nobody knows before it is deployed. */
  mayDeclare(kind: SenderKind, name: string): boolean;
  allowReplies(queue: IQueue, agent: string): void;
}

/** Beside who is granted what. */
export interface GrantOptions {
  /** IAM's unique id of an imported role (`AROA…`); known by itself for a role of this app. */
  readonly roleId?: string;
  /** A queue of the agent's own that gets each decision besides the row. Only where the gate itself is made. */
  readonly replyQueue?: IQueue;
}

/**
 * Lets a role propose as `agent`, and read the decisions of that agent and no other's: `GetItem` on its own partition, only the
 * attributes meant for it. Registers the role's id, the first half of SQS's `SenderId`, as the agent's identity.
 */
export function grantPropose(gate: GateAccess, grantee: IGrantable, agent: string, options: GrantOptions = {}): Grant {
  if (!gate.mayDeclare('agents', agent)) throw new Error(`the policy file declares no agent named ${agent}`);
  const role = roleOf(gate, grantee, 'grantPropose');
  register(gate, 'agents', role, agent, options);
  if (options.replyQueue) gate.allowReplies(options.replyQueue, agent);
  const { executions, outcomes, state } = gate.arns;
  return together([
    ...letAsk(gate, role, agent),
    // To have approved calls run, read their results, and report what it ran itself.
    allow(role, 'sqs:SendMessage', executions),
    allow(role, 'sqs:SendMessage', outcomes),
    allow(role, 'dynamodb:GetItem', state, {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`result#${agent}#*`] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'result'] },
      Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
      StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    }),
  ]);
}

/** Makes a role the canary, which proposes, reads decisions and redeems permits, and never runs a call. */
export function grantCanary(gate: GateAccess, grantee: IGrantable): Grant {
  const role = roleOf(gate, grantee, 'grantCanary');
  register(gate, 'agents', role, CANARY, {});
  const { redeem, outcomes } = gate.arns;
  return together([
    ...letAsk(gate, role, CANARY),
    ...redeem.map((arn) => allow(role, 'lambda:InvokeFunction', arn)),
    allow(role, 'sqs:SendMessage', outcomes),
  ]);
}

function letAsk(gate: GateAccess, role: IRole, agent: string): Grant[] {
  const { proposals, audit } = gate.arns;
  allowThrough(gate.encryptionKey, role, 'sqs');
  allowThrough(gate.encryptionKey, role, 'dynamodb');
  return [
    allow(role, 'sqs:SendMessage', proposals),
    allow(role, 'dynamodb:GetItem', audit, {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${agent}#*`] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'verdict', 'decision'] },
      Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
      StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    }),
  ];
}

/** Lets `grantee` ask whether an approved call may run, and report what became of it. */
export function grantRedeem(gate: GateAccess, grantee: IGrantable): Grant {
  checkAccount(gate, grantee, 'grantRedeem');
  const { arns } = gate;
  return together([...arns.redeem, arns.recordOutcome].map((arn) => allow(grantee, 'lambda:InvokeFunction', arn)));
}

/** Lets a role act as `operator` through the operators queue, and see what it decides about. */
export function grantOperate(
  gate: GateAccess,
  grantee: IGrantable,
  operator: string,
  options: Pick<GrantOptions, 'roleId'> = {},
): Grant {
  if (!gate.mayDeclare('operators', operator))
    throw new Error(`the policy file declares no operator named ${operator}`);
  const role = roleOf(gate, grantee, 'grantOperate');
  register(gate, 'operators', role, operator, options);
  allowThrough(gate.encryptionKey, role, 'sqs');
  const { operators, canary, audit } = gate.arns;
  return together([
    allow(role, 'sqs:SendMessage', operators),
    // To see after a deployment whether the gate decides as it must: it speaks for the canary alone.
    allow(role, 'lambda:InvokeFunction', canary),
    // Results of operations, and no other part of the record. Results from before there were families have the bare name as their key.
    allow(role, 'dynamodb:Query', audit, onlyRows(OPERATION_ROWS)),
    allow(role, 'dynamodb:BatchGetItem', audit, onlyRows([...OPERATION_ROWS, DEAD_LETTER_ROWS])),
    // With the entries about dead letters, which hold ids and the kind of the fault.
    allow(role, 'dynamodb:Query', `${audit}/index/byAgent`, onlyRows([OPERATIONS, DEAD_LETTERS_AGENT])),
    allow(role, 'dynamodb:Query', `${audit}/index/byFacet`, onlyRows([OPERATIONS])),
    ...letSeeWhatHolds(gate, role),
  ]);
}

/** Lets `grantee` read the whole record and what waits, as `countersign audit` and `pending` do. */
export function grantAudit(gate: GateAccess, grantee: IGrantable): Grant {
  checkAccount(gate, grantee, 'grantAudit');
  const { audit, archive, archiveKey, texts, digestKey } = gate.arns;
  const record = [audit, `${audit}/index/byAgent`, `${audit}/index/byFacet`];
  allowThrough(gate.encryptionKey, grantee, 's3');
  allowThrough(gate.encryptionKey, grantee, 'secretsmanager');
  return together([
    allow(grantee, 'dynamodb:Query', record),
    allow(grantee, 'dynamodb:BatchGetItem', audit),
    // To verify and export it: every row, every object, and the key that seals were signed with.
    allow(grantee, 'dynamodb:Scan', audit),
    allow(grantee, 's3:ListBucket', archive),
    allow(grantee, 's3:GetObject', `${archive}/*`),
    allow(grantee, 'kms:GetPublicKey', archiveKey),
    // Texts that entries name: inputs of proposals stand beside them, and are not for auditors.
    allow(grantee, 's3:GetObject', [`${texts}/record/*`, `${texts}/shown/*`]),
    // To compute whether an entry is of a call that somebody names: who may read all entries may compare.
    allow(grantee, 'secretsmanager:GetSecretValue', digestKey),
    ...letSeeWhatHolds(gate, grantee),
  ]);
}

const DEAD_LETTER_ROWS = `refusal/${DEAD_LETTERS_AGENT}#*`;
const OPERATION_ROWS = [`operation/${OPERATIONS}#*`, `${OPERATIONS}#*`];

/** All that operators change, and all that `countersign status` shows. */
function letSeeWhatHolds(gate: GateAccess, grantee: IGrantable): Grant[] {
  const { state, queues, functions, logs, workflowExecutions } = gate.arns;
  const entrances = ENTRANCES.flatMap((name) => functions[FUNCTIONS.indexOf(name)] ?? []);
  const principal = grantee.grantPrincipal as Partial<IConstruct>;
  if (principal.node) statusReaders.set(gate, new Set([...(statusReaders.get(gate) ?? []), principal as IConstruct]));
  allowThrough(gate.encryptionKey, grantee, 'dynamodb');
  allowThrough(gate.encryptionKey, grantee, 'lambda');
  return [
    allow(grantee, 'dynamodb:Query', `${state}/index/byDue`, onlyRows(['due', 'sessions#*'])),
    allow(grantee, 'dynamodb:Query', `${state}/index/byLook`, onlyRows(['approvals#*'])),
    allow(grantee, 'dynamodb:BatchGetItem', state, onlyRows(['approval#*'])),
    allow(grantee, 'dynamodb:GetItem', state, onlyRows(['control', 'delegations'])),
    // Readers of the record are told people, and no aliases.
    allow(grantee, 'dynamodb:BatchGetItem', state, onlyRows(['alias#*'])),
    // Nobody has to decide unseen: an approval's own rows, where secrets were taken out of the proposal and no task token is.
    allow(grantee, 'dynamodb:Query', state, onlyRows(['approval#*'])),
    ...queues.flatMap((arn) =>
      ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'].map((action) => allow(grantee, action, arn)),
    ),
    // To read the versions of package and policy by function. The environment names secrets, and holds none.
    ...functions.map((arn) => allow(grantee, 'lambda:GetFunctionConfiguration', arn)),
    // Functions that may have an alias are granted with the versions behind it, which take the calls.
    allow(
      grantee,
      'lambda:GetFunctionConfiguration',
      entrances.map((arn) => `${arn}:*`),
    ),
    allow(grantee, 'lambda:GetAlias', entrances),
    // Logs hold ids and kinds of faults, and no content of messages.
    allow(grantee, 'logs:FilterLogEvents', logs),
    // When a workflow began and ended. The history of it holds the task token, and is for nobody.
    allow(grantee, 'states:DescribeExecution', workflowExecutions),
    // Alarms are asked for by the prefix of their names, and figures by metric: IAM narrows neither.
    ...['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData'].map((action) => allow(grantee, action, '*')),
  ];
}

const statusReaders = new WeakMap<GateAccess, ReadonlySet<IConstruct>>();

/** Principals that were let see alarms and metrics, which IAM does not narrow. */
export const statusReadersOf = (gate: GateAccess): readonly IConstruct[] => [...(statusReaders.get(gate) ?? [])];

function allow(
  grantee: IGrantable,
  action: string,
  on: string | readonly string[],
  conditions?: Record<string, Record<string, unknown>>,
): Grant {
  const resourceArns = typeof on === 'string' ? [on] : [...on];
  const grant = Grant.addToPrincipal({
    grantee,
    actions: [action],
    resourceArns,
    ...(conditions ? { conditions } : {}),
  });
  // A principal that takes no policy, such as an ARN: nobody would learn that the right is not there.
  grant.assertSuccess();
  return grant;
}

const together = ([first, ...others]: readonly Grant[]): Grant => {
  if (!first) throw new Error('nothing was granted');
  return others.reduce((all, grant) => all.combine(grant), first);
};

/** No policy of this account gives a role of another one anything, and the gate's own resources let nobody in from outside. */
function checkAccount({ account }: GateAccess, { grantPrincipal }: IGrantable, verb: string): void {
  const { principalAccount: theirs } = grantPrincipal;
  if (theirs !== undefined && areOthers(theirs, account))
    throw new Error(
      `${verb}: a principal of the account ${theirs} has no rights in ${account}: give them to a role of ${account}, and let the principal assume it`,
    );
}

/** Places that are both known, and differ. */
const areOthers = (one: string, other: string): boolean =>
  !Token.isUnresolved(one) && !Token.isUnresolved(other) && one !== other;

/** Functions, tasks and roles alike; SQS knows senders by the id of their role. */
function roleOf(gate: GateAccess, grantee: IGrantable, verb: string): IRole {
  checkAccount(gate, grantee, verb);
  const { grantPrincipal } = grantee;
  if ('roleArn' in grantPrincipal) return grantPrincipal as IRole;
  throw new Error(
    `${verb} needs a role, or something that has one, such as a function or a task: senders are known by their role`,
  );
}

interface Registration {
  readonly kind: SenderKind;
  readonly name: string;
  readonly value: string;
}
/** By app, of each role and of each id that one was given. */
const registered = new WeakMap<IConstruct, Map<string, Registration>>();

/** A sender that is registered under two names could not be told apart, and an agent that is an operator as well could vote for itself. */
function register(gate: GateAccess, kind: SenderKind, role: IRole, name: string, options: GrantOptions): void {
  const { region } = Stack.of(role);
  if (areOthers(region, gate.region))
    throw new Error(
      `${role.node.path} is in a stack of ${region}, and the gate in ${gate.region} reads senders of its own region: grant it in a stack there`,
    );
  const senderId = options.roleId ?? roleIdOf(role);
  // A name or an ARN in its place is easily given: the sender would be nobody.
  if (!Token.isUnresolved(senderId) && !/^A[A-Z0-9]{15,24}$/.test(senderId))
    throw new Error(`roleId: ${senderId} is no id of a role such as AROA… (aws iam get-role --query Role.RoleId)`);
  const { replyQueue } = options;
  // The role's stack: its parameter names the gate, and nothing of the gate names the role, so that stacks depend one way.
  const stringValue = Stack.of(role).toJsonString({
    senderId,
    ...(replyQueue ? { replyQueueUrl: replyQueue.queueUrl } : {}),
  });
  const names = registered.get(role.node.root) ?? new Map<string, Registration>();
  registered.set(role.node.root, names);
  const byRole = `${gate.deployment} ${role.node.path}`;
  // A role is one in all regions, and a gate of another region may know it by another name.
  const byId = `${gate.deployment} ${Stack.of(role).environment} ${senderId}`;
  const keys = [byRole, ...(Token.isUnresolved(senderId) ? [] : [byId])];
  for (const other of keys.flatMap((key) => names.get(key) ?? []))
    if (other.kind !== kind || other.name !== name)
      throw new Error(
        `${role.node.path} is already ${wordsOf(other, kind)}: one role cannot be ${wordsOf({ kind, name }, other.kind)} too`,
      );
  const earlier = names.get(byRole);
  const value = `${options.roleId ?? ''} ${replyQueue?.node.path ?? ''}`;
  if (earlier && earlier.value !== value)
    throw new Error(`${role.node.path} is already ${name}, with another roleId or replyQueue: grant it once`);
  if (earlier) return;
  for (const key of keys) names.set(key, { kind, name, value });
  new StringParameter(role as IRole & Construct, `Sender-${gate.deployment}-${kind}-${name}`, {
    // Ten digits where parameters below the gate had eight: for a moment an update of a stack has both.
    parameterName: senderParameter(`/${gate.deployment}/senders`, kind, name, role.node.addr.slice(0, 10)),
    stringValue,
  });
}

const wordsOf = ({ kind, name }: Pick<Registration, 'kind' | 'name'>, beside: SenderKind): string =>
  kind === beside ? name : `the ${kind === 'agents' ? 'agent' : 'operator'} ${name}`;

function roleIdOf(role: IRole): string {
  const resource = role.node.defaultChild as CfnRole | undefined;
  if (!resource?.attrRoleId)
    throw new Error('an imported role needs its roleId (aws iam get-role --query Role.RoleId)');
  return resource.attrRoleId;
}

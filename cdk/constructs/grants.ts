/** Verbs that give somebody a right and register who they are, in one go. */
import { Stack } from 'aws-cdk-lib';
import { type CfnRole, Effect, type IRole, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { PolicyDocument } from '../../shared/config/document.ts';
import { type SenderKind, senderParameter } from '../../shared/config/sender-path.ts';
import { OPERATIONS } from '../../shared/domain/operation-id.ts';
import { allowThrough } from './encryption.ts';
import type { GateFunctions } from './gate-functions.ts';
import type { GateQueues } from './queues.ts';
import type { RecordArchive } from './record-archive.ts';
import { onlyRows } from './rights.ts';
import type { GateTables } from './tables.ts';

/** The gate, as far as rights concern it. */
export interface GrantedGate extends Construct {
  readonly policy: PolicyDocument;
  readonly tables: GateTables;
  readonly queues: GateQueues;
  readonly record: RecordArchive;
  readonly functions: GateFunctions;
  readonly sendersPath: string;
  readonly encryptionKey: IKey | undefined;
  allowReplies(queue: IQueue, agent: string): void;
}

export interface GrantOptions {
  /** IAM's unique id of an imported role (`AROA…`); known by itself for a role of this app. */
  readonly roleId?: string;
  /** A queue of the agent's own that gets each decision besides the row. */
  readonly replyQueue?: IQueue;
}

/**
 * Lets `role` propose as `agent`, and read the decisions of that agent and no other's: `GetItem` on its own partition, only the
 * attributes meant for it. Registers the role's id, the first half of SQS's `SenderId`, as the agent's identity.
 */
export function grantPropose(gate: GrantedGate, role: IRole, agent: string, options: GrantOptions = {}): void {
  if (!Object.hasOwn(gate.policy.policy.agents, agent))
    throw new Error(`the policy file declares no agent named ${agent}`);
  allow(role, 'sqs:SendMessage', gate.queues.proposals.queueArn);
  allow(role, 'dynamodb:GetItem', gate.tables.audit.tableArn, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${agent}#*`] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'verdict', 'decision'] },
    Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
    StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
  });
  // To have approved calls run, read their results, and report what it ran itself.
  for (const queue of [gate.queues.executions, gate.queues.outcomes]) allow(role, 'sqs:SendMessage', queue.queueArn);
  allow(role, 'dynamodb:GetItem', gate.tables.state.tableArn, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`result#${agent}#*`] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'result'] },
    Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
    StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
  });
  allowThrough(gate.encryptionKey, role, 'sqs');
  allowThrough(gate.encryptionKey, role, 'dynamodb');
  if (options.replyQueue) gate.allowReplies(options.replyQueue, agent);
  register(gate, 'agents', role, agent, options);
}

/** Lets `role` ask whether an approved call may run, and report what became of it. */
export function grantRedeem(gate: GrantedGate, role: IRole): void {
  const { redeem } = gate.functions;
  for (const one of [redeem, gate.functions['record-outcome']])
    allow(role, 'lambda:InvokeFunction', one.function.functionArn);
}

/** Lets `role` act as `operator` through the operators queue, and see what it decides about. */
export function grantOperate(
  gate: GrantedGate,
  role: IRole,
  operator: string,
  options: Pick<GrantOptions, 'roleId'> = {},
): void {
  if (!Object.hasOwn(gate.policy.policy.operators, operator)) {
    throw new Error(`the policy file declares no operator named ${operator}`);
  }
  allow(role, 'sqs:SendMessage', gate.queues.operators.queueArn);
  // To bring dead letters back: the function moves them, so that an operator can speak for nobody else.
  allow(role, 'lambda:InvokeFunction', gate.functions.redrive.function.functionArn);
  allowThrough(gate.encryptionKey, role, 'sqs');
  // Results of operations, and no other part of the record. Results that are older than the families stand under the bare name.
  const { audit } = gate.tables;
  allow(role, 'dynamodb:Query', audit.tableArn, onlyRows(OPERATION_ROWS));
  allow(role, 'dynamodb:BatchGetItem', audit.tableArn, onlyRows(OPERATION_ROWS));
  allow(role, 'dynamodb:Query', `${audit.tableArn}/index/byAgent`, onlyRows([OPERATIONS]));
  letSeeWhatHolds(gate, role);
  register(gate, 'operators', role, operator, options);
}

/** Lets `role` read the whole record and what waits, as `countersign audit` and `pending` do. */
export function grantAudit(gate: GrantedGate, role: IRole): void {
  const { audit } = gate.tables;
  const record = [audit.tableArn, `${audit.tableArn}/index/byAgent`];
  for (const action of ['dynamodb:Query', 'dynamodb:BatchGetItem']) allow(role, action, record);
  // To verify and export it: every row, every object, and the key that seals were signed with.
  allow(role, 'dynamodb:Scan', audit.tableArn);
  const { bucket, signingKey } = gate.record;
  allow(role, 's3:ListBucket', bucket.bucketArn);
  allow(role, 's3:GetObject', bucket.arnForObjects('*'));
  allow(role, 'kms:GetPublicKey', signingKey.keyArn);
  allowThrough(gate.encryptionKey, role, 's3');
  letSeeWhatHolds(gate, role);
}

const OPERATION_ROWS = [`operation/${OPERATIONS}#*`, `${OPERATIONS}#*`];

/** Lets `role` read all that operators change, and all that `countersign status` shows. */
function letSeeWhatHolds(gate: GrantedGate, role: IRole): void {
  const { state } = gate.tables;
  allow(role, 'dynamodb:Query', `${state.tableArn}/index/byDue`, onlyRows(['due', 'sessions#*']));
  allow(role, 'dynamodb:Query', `${state.tableArn}/index/byLook`, onlyRows(['approvals#*']));
  allow(role, 'dynamodb:BatchGetItem', state.tableArn, onlyRows(['approval#*']));
  allow(role, 'dynamodb:GetItem', state.tableArn, onlyRows(['control', 'delegations']));
  letSeeWhatWaits(gate, role);
  for (const queue of [...gate.queues.live, ...gate.queues.dead])
    for (const action of ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes']) allow(role, action, queue.queueArn);
  // Alarms are asked for by the prefix of their names, and figures by metric: IAM narrows neither.
  for (const action of ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData']) allow(role, action, '*');
  const explained = statusReaders.get(gate) ?? new Set();
  statusReaders.set(gate, explained.add(role));
}

const statusReaders = new WeakMap<GrantedGate, Set<IRole>>();

/** Roles that were let see alarms and metrics, which IAM does not narrow. */
export const statusReadersOf = (gate: GrantedGate): readonly IRole[] => [...(statusReaders.get(gate) ?? [])];

/** Nobody has to decide unseen: an approval's own rows, where secrets were taken out of the proposal and no task token is. */
function letSeeWhatWaits(gate: GrantedGate, role: IRole): void {
  allow(role, 'dynamodb:Query', gate.tables.state.tableArn, onlyRows(['approval#*']));
  allowThrough(gate.encryptionKey, role, 'dynamodb');
}

function allow(
  role: IRole,
  action: string,
  on: string | readonly string[],
  conditions?: Record<string, unknown>,
): void {
  const resources = typeof on === 'string' ? [on] : [...on];
  const statement = { effect: Effect.ALLOW, actions: [action], resources, ...(conditions ? { conditions } : {}) };
  role.addToPrincipalPolicy(new PolicyStatement(statement));
}

/** A sender that is registered under two names could not be told apart. */
function register(gate: GrantedGate, kind: SenderKind, role: IRole, name: string, options: GrantOptions): void {
  const senderId = options.roleId ?? roleIdOf(role);
  const id = role.node.addr.slice(0, 8);
  const names = sendersOf(gate)[kind];
  const earlier = names.get(role);
  if (earlier !== undefined && earlier !== name)
    throw new Error(`${role.node.path} is already ${earlier}: one role cannot be ${name} too`);
  names.set(role, name);
  const value = options.replyQueue ? { senderId, replyQueueUrl: options.replyQueue.queueUrl } : { senderId };
  new StringParameter(gate, `Sender${kind}${name}${id}`, {
    parameterName: senderParameter(gate.sendersPath, kind, name, id),
    stringValue: Stack.of(gate).toJsonString(value),
  });
}

type Senders = Readonly<Record<SenderKind, Map<IRole, string>>>;
const registered = new WeakMap<GrantedGate, Senders>();

function sendersOf(gate: GrantedGate): Senders {
  const senders = registered.get(gate) ?? { agents: new Map(), operators: new Map() };
  registered.set(gate, senders);
  return senders;
}

function roleIdOf(role: IRole): string {
  const resource = (role as Role).node.defaultChild as CfnRole | undefined;
  if (!resource?.attrRoleId)
    throw new Error('an imported role needs its roleId (aws iam get-role --query Role.RoleId)');
  return resource.attrRoleId;
}

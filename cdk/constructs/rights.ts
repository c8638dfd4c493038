/** Grants each function its row types and nothing else; `test/cdk` holds the same as a table. */

import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { targetFunctions } from '../../shared/config/readers/target-resources.ts';
import { REDRIVEN_QUEUES } from '../../shared/contract/redrive.ts';
import type { ApprovalWorkflow } from './approval-workflow.ts';
import type { GateFunction } from './gate-function.ts';
import type { GateFunctions, GateParts } from './gate-functions.ts';
import type { GateTables } from './tables.ts';

/** Prefixes of partition keys in the state table, as `shared/adapters/dynamodb` writes them. */
type RowType =
  | 'approval#'
  | 'token#'
  | 'journal#'
  | 'waiting#'
  | 'same#'
  | 'rate#'
  | 'session#'
  | 'denied#'
  | 'voted#'
  | 'earlier#'
  | 'list#'
  | 'task#'
  | 'conversation#'
  | 'reply#'
  | 'permit#'
  | 'result#'
  | 'slots#'
  | 'budget#'
  | 'circuit#'
  | 'sealed#'
  | 'answer#'
  | 'control'
  | 'delegations';
/** Prefixes of the record's partitions, one for each family of entries but the decisions, which stand under the agents' own names. */
type RecordRows = 'vote/' | 'click/' | 'run/' | 'refusal/' | 'operation/';
type Verb = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
type RowRights = Partial<Record<RowType, readonly Verb[]>>;

/** A function that decides reads sessions, and writes their memory with the decision. */
const REMEMBERS: RowRights = {
  'session#': ['GetItem', 'PutItem'],
  'denied#': ['GetItem', 'UpdateItem'],
  delegations: ['GetItem'],
};
/** A task is a user's own: what its owner deletes is gone. Nothing else in the tables can be deleted by anybody. */
const TASKS: RowRights = { 'task#': ['Query', 'PutItem', 'DeleteItem'], 'conversation#': ['GetItem', 'PutItem'] };
/** Limiters: of senders, and of the task agent's tools, which those who decide run themselves. */
const GUARDS: RowRights = {
  'rate#': ['GetItem', 'UpdateItem'],
  'slots#': ['Query', 'UpdateItem'],
  'budget#': ['UpdateItem'],
  'circuit#': ['GetItem', 'UpdateItem'],
};
const DECIDES: RowRights = {
  ...REMEMBERS,
  ...TASKS,
  ...GUARDS,
  'journal#': ['PutItem'],
  // Read before a model is asked: an identical call may wait, or no more may.
  'waiting#': ['GetItem', 'UpdateItem'],
  'same#': ['GetItem', 'PutItem'],
  'approval#': ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
  'token#': ['GetItem'],
  'sealed#': ['PutItem'],
};
/** One batched read asks for all of these: a statement has to cover every key of a request. */
const READ_TOGETHER: readonly RowType[] = ['control', 'session#', 'denied#'];
const FINISHES: RowRights = {
  ...REMEMBERS,
  'approval#': ['Query', 'UpdateItem'],
  'journal#': ['Query', 'PutItem'],
  'waiting#': ['UpdateItem'],
};
/** Permits in use, and what is given back to the limiters when a call has ended. */
const ENDS: RowRights = {
  'permit#': ['GetItem', 'PutItem'],
  'slots#': ['UpdateItem'],
  'budget#': ['UpdateItem'],
  'circuit#': ['GetItem', 'UpdateItem'],
};
/** An approved call passes these before it runs. */
const REDEEMS: RowRights = {
  ...ENDS,
  'rate#': ['GetItem', 'UpdateItem'],
  'slots#': ['Query', 'UpdateItem'],
  control: ['GetItem'],
  'session#': ['GetItem'],
  delegations: ['GetItem'],
  'approval#': ['Query'],
  'sealed#': ['GetItem'],
};
const VOTES: RowRights = {
  'approval#': ['Query'],
  'token#': ['GetItem'],
  delegations: ['GetItem'],
};
/** Attributes of an approval's row that a vote changes: never the decision. */
const VOTED = ['approval', 'additions', 'version', 'counted', 'quietUntil', 'look', 'lookAt', 'due', 'dueAt'];
/** The time of the reconciler's next look, and the conditions that it is set under. */
const NEXT_LOOK = ['look', 'lookAt', 'due', 'dueAt', 'failures', 'version'];
/** Attributes of a card, which is a row of its own beside the approval's. */
const CARD = ['card', 'ttl'];

export function giveRights(functions: GateFunctions, workflow: ApprovalWorkflow, parts: GateParts): void {
  const { evaluate, deliberate, resume, reconcile, operate, slack, converse } = functions;
  const { tables, queues } = parts;
  const requestApproval = functions['request-approval'];
  const slackOut = functions['slack-out'];
  const { redeem } = functions;
  const executeTool = functions['execute-tool'];
  const recordOutcome = functions['record-outcome'];
  const collectOutcomes = functions['collect-outcomes'];

  for (const one of [evaluate, deliberate]) {
    grantRows(one, tables, DECIDES);
    one.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(READ_TOGETHER.map(patternOf)));
    one.allow(['dynamodb:BatchGetItem'], [tables.audit.tableArn], DECISIONS);
    one.allow(['s3:PutObject'], [inputsOf(parts.inputs)]);
    one.allow(['sqs:SendMessage'], [queues.deferred.queueArn]);
    // A function that meets a secret may seal it, and may not open a sealed one.
    one.allow(['kms:GenerateDataKey'], [parts.sealKey.keyArn]);
  }
  for (const one of [resume, reconcile])
    one.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(READ_TOGETHER.map(patternOf)));
  // The record is appended to: nobody may update or delete. Functions that decide write decisions; each of the others writes its own kind of entry,
  // and no decision.
  for (const one of [evaluate, deliberate, resume, reconcile])
    one.allow(['dynamodb:PutItem'], [tables.audit.tableArn], DECISIONS);
  for (const [one, families] of [
    [evaluate, ['refusal/']],
    [deliberate, ['refusal/']],
    [reconcile, ['run/']],
    [slack, ['vote/', 'click/']],
    [operate, ['vote/', 'click/', 'operation/']],
    [converse, ['click/']],
    [redeem, ['refusal/']],
    [executeTool, ['refusal/', 'run/']],
    [recordOutcome, ['refusal/', 'run/']],
    [collectOutcomes, ['refusal/', 'run/']],
  ] as const satisfies readonly (readonly [GateFunction, readonly RecordRows[]])[])
    one.allow(['dynamodb:PutItem'], [tables.audit.tableArn], onlyRows(families.map((family) => `${family}*`)));
  // `converse` judges and writes the task agent's rows and replies, and no row of approvals.
  grantRows(converse, tables, {
    ...TASKS,
    ...GUARDS,
    'session#': ['GetItem'],
    'denied#': ['GetItem'],
    delegations: ['GetItem'],
    'reply#': ['GetItem', 'PutItem'],
  });
  converse.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(READ_TOGETHER.map(patternOf)));
  const { agent: taskAgent } = parts.shared.policy.policy.taskAgent;
  if (taskAgent !== undefined)
    converse.allow(
      ['dynamodb:BatchGetItem', 'dynamodb:PutItem'],
      [tables.audit.tableArn],
      onlyRows([`${taskAgent}#*`]),
    );
  slack.allow(['sqs:SendMessage'], [queues.talk.queueArn]);
  grantRows(requestApproval, tables, { 'approval#': ['Query'], 'token#': ['PutItem'] });
  grantRows(resume, tables, { ...FINISHES, 'sealed#': ['GetItem'] });
  // Only functions that decide again or run a sealed call may open it.
  for (const one of [resume, redeem, executeTool]) one.allow(['kms:Decrypt'], [parts.sealKey.keyArn]);
  reconcile.allow(['lambda:InvokeFunction'], [resume.function.functionArn]);
  grantRows(slackOut, tables, {
    'approval#': ['Query'],
    'earlier#': ['Query', 'PutItem'],
    'list#': ['GetItem', 'PutItem'],
    'rate#': ['GetItem', 'UpdateItem'],
    'voted#': ['Query'],
    delegations: ['GetItem'],
    control: ['GetItem'],
  });
  // A run beyond its agent's share waits in the queue.
  executeTool.allow(['sqs:SendMessage'], [queues.executions.queueArn]);
  // A post hands updates that it finds due to the other line.
  slackOut.allow(['sqs:SendMessage'], [queues.cards.queueArn]);
  grantRows(slack, tables, { ...VOTES, 'voted#': ['Query', 'PutItem'], control: ['GetItem'] });
  for (const [one, attributes] of [
    [slack, [...VOTED, ...CARD]],
    [operate, VOTED],
    [slackOut, [...CARD, 'cardProblem', ...NEXT_LOOK]],
  ] as const)
    one.allow(['dynamodb:UpdateItem'], [tables.state.tableArn], onlyAttributes('approval#', attributes));
  // App Home and the command list what waits, and what was given for later: to take it back is not for these functions.
  for (const one of [slack, slackOut]) {
    one.allow(['dynamodb:Query'], [`${tables.state.tableArn}/index/byDue`], onlyRows(['due', 'sessions#*']));
    one.allow(['dynamodb:Query'], [`${tables.state.tableArn}/index/byLook`], onlyRows(['approvals#*']));
    one.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(['approval#*']));
  }
  slack.allow(['sqs:SendMessage'], [queues.operators.queueArn]);
  grantRows(reconcile, tables, {
    ...FINISHES,
    ...ENDS,
    'permit#': ['GetItem', 'PutItem', 'UpdateItem'],
    'result#': ['GetItem', 'PutItem'],
    'token#': ['GetItem'],
  });
  // Counters of what waits are counted again.
  reconcile.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(['waiting#*']));
  reconcile.allow(['sqs:GetQueueAttributes'], [queues.cards.queueArn]);
  reconcile.allow(['dynamodb:Query'], [`${tables.state.tableArn}/index/byDue`], onlyRows(['due', 'permits']));
  reconcile.allow(
    ['dynamodb:Query'],
    [`${tables.state.tableArn}/index/byLook`],
    onlyRows(['approvals#*', 'permits#*']),
  );
  // Whether a call was approved stands in the record, with the votes: for who runs it, and for who ends an approval.
  for (const one of [redeem, executeTool, resume, reconcile, deliberate]) {
    one.allow(['dynamodb:Query'], [tables.audit.tableArn], DECISIONS);
    one.allow(['dynamodb:Query'], [tables.audit.tableArn], onlyRows(['vote/*']));
  }
  grantRows(redeem, tables, REDEEMS);
  grantRows(executeTool, tables, { ...REDEEMS, 'result#': ['GetItem', 'PutItem'] });
  for (const one of [recordOutcome, collectOutcomes]) grantRows(one, tables, ENDS);
  giveTargets(executeTool, parts);
  grantRows(operate, tables, {
    ...VOTES,
    control: ['GetItem', 'PutItem'],
    delegations: ['GetItem', 'PutItem'],
    'session#': ['GetItem', 'PutItem'],
  });

  // Nobody who writes the record writes the archive, and nobody writes there what they did not bring.
  const { bucket, signingKey } = parts.record;
  const objects = (...names: readonly string[]) => names.map((name) => bucket.arnForObjects(`${name}/*`));
  functions['archive-audit'].allow(['s3:PutObject', 's3:GetObject'], objects('entry', 'tamper'));
  functions.seal.allow(['s3:GetObject'], objects('entry', 'tamper'));
  functions.seal.allow(['s3:PutObject', 's3:GetObject'], objects('list', 'seal'));
  // Without it, an object that is not there looks like one that may not be read.
  for (const one of [functions['archive-audit'], functions.seal]) one.allow(['s3:ListBucket'], [bucket.bucketArn]);
  functions.seal.allow(['kms:Sign', 'kms:GetPublicKey'], [signingKey.keyArn]);
  parts.record.signsOnlyFor(functions.seal.role);

  for (const name of REDRIVEN_QUEUES) {
    const dead = queues.deadOf(queues[name]).queueArn;
    functions.redrive.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage'], [dead]);
    functions.redrive.allow(['sqs:SendMessage'], [queues[name].queueArn]);
  }
  for (const one of Object.values(functions)) {
    // `archive-audit`, `seal` and `redrive` work on the record's stream, the archive and queues, and read no input of a proposal.
    if (one !== functions['archive-audit'] && one !== functions.seal && one !== functions.redrive)
      one.allow(['s3:GetObject'], [inputsOf(parts.inputs)]);
    parts.shared.encryptionKey?.grantEncryptDecrypt(one.role);
  }
  // S3 says only to who may list a bucket that an object is gone, and not forbidden: for who ends approvals, and draws that they ended.
  for (const one of [resume, reconcile, slackOut]) one.allow(['s3:ListBucket'], [parts.inputs.bucketArn]);
  const recorders = [
    evaluate,
    deliberate,
    resume,
    reconcile,
    operate,
    slack,
    converse,
    redeem,
    executeTool,
    recordOutcome,
    collectOutcomes,
  ];
  for (const one of recorders) readSecret(one, parts.digestKey);
  for (const one of [slackOut, slack, converse]) readSecret(one, parts.slackSecret);
  if (parts.taskModelSecret) readSecret(converse, parts.taskModelSecret);
  for (const secret of parts.hookSecrets) readSecret(deliberate, secret);
  const hooks = hookArns(deliberate, parts);
  if (hooks.length) deliberate.allow(['lambda:InvokeFunction'], hooks);
  for (const secret of parts.modelSecrets) readSecret(deliberate, secret);
  // Answers of models from before a crash are read before the models are asked again; runs that need a model are handed over and end here.
  grantRows(deliberate, tables, { 'journal#': ['Query'], 'answer#': ['GetItem', 'PutItem'] });
  deliberate.allow(['sqs:SendMessage'], [queues.cards.queueArn]);
  for (const one of [resume, reconcile]) one.allow(['sqs:SendMessage'], [queues.deferred.queueArn]);
  for (const one of [evaluate, deliberate, resume, reconcile, operate, executeTool, collectOutcomes]) {
    one.allow(['ssm:GetParametersByPath'], [sendersArn(one, parts.sendersPath)]);
  }
  // Every function that writes the record also emits its events.
  if (parts.eventBus) {
    const { eventBusArn } = parts.eventBus;
    for (const one of recorders) {
      one.allow(['events:PutEvents'], [eventBusArn]);
    }
  }
  const machine = workflow.stateMachine.stateMachineArn;
  for (const one of [evaluate, deliberate, reconcile]) one.allow(['states:StartExecution'], [machine]);
  for (const one of [evaluate, deliberate, slack, operate, reconcile]) one.allow(['states:SendTaskSuccess'], [machine]);
  // Functions that end calls notify people of an unknown outcome.
  for (const one of [requestApproval, resume, reconcile, slack, operate, executeTool, recordOutcome, collectOutcomes]) {
    one.allow(['sqs:SendMessage'], [queues.cards.queueArn]);
  }
}

function grantRows(to: GateFunction, { state }: GateTables, rights: RowRights): void {
  for (const [rows, verbs] of Object.entries(rights) as [RowType, readonly Verb[]][]) {
    to.allow(
      verbs.map((verb) => `dynamodb:${verb}`),
      [state.tableArn],
      onlyRows([patternOf(rows)]),
    );
  }
}

const patternOf = (rows: RowType): string => (rows.endsWith('#') ? `${rows}*` : rows);

/** Only partitions whose key begins so; a request that names no key is refused too. */
export const onlyRows = (patterns: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/** Only the partitions of decisions: every other family has a slash in its key, and no name of an agent does. */
const DECISIONS = {
  'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': ['*/*'] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
};

/** Only these attributes of such rows, besides their keys; and none of the others comes back with the answer. */
const onlyAttributes = (rows: RowType, attributes: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [patternOf(rows)] },
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] },
  Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
  StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
});

/** Only the functions and secrets that the policy file names as targets. */
function giveTargets(executeTool: GateFunction, { shared, targetSecrets }: GateParts): void {
  const functions = targetFunctions(shared.policy.policy).map((name) =>
    name.startsWith('arn:')
      ? name
      : Stack.of(executeTool).formatArn({
          service: 'lambda',
          resource: 'function',
          resourceName: name,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
  );
  if (functions.length) executeTool.allow(['lambda:InvokeFunction'], functions);
  for (const secret of targetSecrets) readSecret(executeTool, secret);
}

/** The secret's own grant, which knows its key. */
function readSecret(to: GateFunction, secret: ISecret): void {
  secret.grantRead(to.role);
}

const inputsOf = (inputs: Bucket): string => inputs.arnForObjects('input/*');

/** The functions that the policy file names as hooks, and no other. */
function hookArns(to: GateFunction, { shared }: GateParts): string[] {
  const names = Object.values(shared.policy.policy.hooks).flatMap(({ function: name }) => name ?? []);
  return [...new Set(names)].map((name) =>
    name.startsWith('arn:')
      ? name
      : Stack.of(to).formatArn({
          service: 'lambda',
          resource: 'function',
          resourceName: name,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
  );
}

/** `GetParametersByPath` is asked about the path itself. */
function sendersArn(to: GateFunction, path: string): string {
  return Stack.of(to).formatArn({ service: 'ssm', resource: 'parameter', resourceName: path.slice(1) });
}

/** Grants each function its row types and nothing else; `test/cdk` holds the same as a table. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { targetFunctions } from '../../../shared/config/readers/target-resources.ts';
import { REDRIVEN_QUEUES } from '../../../shared/contract/redrive.ts';
import { allowThrough } from '../data/encryption.ts';
import type { GateFunctionName } from '../functions/function-names.ts';
import type { GateFunction } from '../functions/gate-function.ts';
import type { GateFunctions, GateParts } from '../functions/gate-functions.ts';
import { type ApprovalWorkflow, ENDS_WAITS } from '../workflow/approval-workflow.ts';
import { giveAliases } from './alias-rights.ts';
import { giveModels } from './model-rights.ts';
import {
  CARD,
  DECIDES,
  DECISIONS,
  ENDS,
  FINISHES,
  GUARDS,
  grantRows,
  NEXT_LOOK,
  onlyAttributes,
  onlyRows,
  patternOf,
  READ_TOGETHER,
  REDEEMS,
  type RecordRows,
  TASKS,
  VOTED,
  VOTES,
} from './row-rights.ts';

export function giveRights(functions: GateFunctions, workflow: ApprovalWorkflow, parts: GateParts): void {
  giveDecisions(functions, parts);
  giveRecord(functions, parts);
  giveAliases(functions, parts);
  giveConversation(functions, parts);
  giveApprovals(functions, parts);
  giveRuns(functions, parts);
  giveOperations(functions, parts);
  giveArchive(functions, parts);
  giveRedrive(functions, parts);
  giveInputs(functions, parts);
  giveSecrets(functions, parts);
  giveModels(functions, parts);
  giveSignals(functions, parts, workflow);
}

/** Functions that decide at first: rows, inputs, and a key that seals and does not open. */
function giveDecisions({ evaluate, deliberate, resume, reconcile }: GateFunctions, parts: GateParts): void {
  const { tables, queues } = parts;
  for (const one of [evaluate, deliberate]) {
    grantRows(one, tables, DECIDES);
    one.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(READ_TOGETHER.map(patternOf)));
    one.allow(['dynamodb:BatchGetItem'], [tables.audit.tableArn], DECISIONS);
    one.allow(['s3:PutObject'], [inputsOf(parts.inputs), textsOf(parts.inputs)]);
    one.allow(['sqs:SendMessage'], [queues.deferred.queueArn]);
    // A function that meets a secret may seal it, and may not open a sealed one.
    one.allow(['kms:GenerateDataKey'], [parts.sealKey.keyArn]);
  }
  for (const one of [resume, reconcile])
    one.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], onlyRows(READ_TOGETHER.map(patternOf)));
}

/** The record is appended to by everybody who acts, and changed by nobody. */
function giveRecord(
  {
    evaluate,
    deliberate,
    resume,
    reconcile,
    operate,
    slack,
    converse,
    redeem,
    'execute-tool': executeTool,
    'record-outcome': recordOutcome,
    'collect-outcomes': collectOutcomes,
  }: GateFunctions,
  { tables }: GateParts,
): void {
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
}

/** The chat with the task agent. */
function giveConversation({ slack, converse }: GateFunctions, parts: GateParts): void {
  const { tables, queues } = parts;
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
  slack.allow(['sqs:SendMessage'], [queues.conversation.queueArn]);
}

/** Approvals: opening, drawing, voting, and ending them. */
function giveApprovals(functions: GateFunctions, parts: GateParts): void {
  const {
    resume,
    reconcile,
    operate,
    slack,
    redeem,
    'request-approval': requestApproval,
    'slack-out': slackOut,
    'execute-tool': executeTool,
  } = functions;
  const { tables, queues } = parts;
  // A new question, and the text of the policy file.
  for (const one of [resume, reconcile]) one.allow(['s3:PutObject'], [textsOf(parts.inputs)]);
  grantRows(requestApproval, tables, { 'approval#': ['Query'], 'token#': ['PutItem'] });
  grantRows(resume, tables, { ...FINISHES, 'sealed#': ['GetItem'], 'token#': ['GetItem'] });
  // Only functions that decide again or run a sealed call may open it.
  for (const one of [resume, redeem, executeTool]) one.allow(['kms:Decrypt'], [parts.sealKey.keyArn]);
  // Functions that take votes have them decided.
  for (const one of [slack, operate, reconcile]) one.allow(['lambda:InvokeFunction'], [resume.function.functionArn]);
  grantRows(slackOut, tables, {
    'approval#': ['Query'],
    'earlier#': ['Query', 'PutItem'],
    'list#': ['GetItem', 'PutItem'],
    'rate#': ['UpdateItem'],
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
  // The card as somebody saw it who voted: apart from the texts of those who decide.
  slack.allow(['s3:PutObject'], [parts.inputs.arnForObjects('shown/*')]);
  grantRows(reconcile, tables, {
    ...FINISHES,
    ...ENDS,
    'permit#': ['GetItem', 'PutItem', 'UpdateItem'],
    'result#': ['GetItem', 'PutItem'],
    'token#': ['GetItem'],
    // How long a pause holds is a figure.
    control: ['GetItem'],
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
}

/** Approved calls: permits, runs, and their outcomes. */
function giveRuns(
  {
    deliberate,
    resume,
    reconcile,
    redeem,
    'execute-tool': executeTool,
    'record-outcome': recordOutcome,
    'collect-outcomes': collectOutcomes,
  }: GateFunctions,
  parts: GateParts,
): void {
  const { tables } = parts;
  // Whether a call was approved stands in the record, with the votes: for who runs it, and for who ends an approval.
  for (const one of [redeem, executeTool, resume, reconcile, deliberate]) {
    one.allow(['dynamodb:Query'], [tables.audit.tableArn], DECISIONS);
    one.allow(['dynamodb:Query'], [tables.audit.tableArn], onlyRows(['vote/*']));
  }
  grantRows(redeem, tables, REDEEMS);
  // A request that comes again is compared with the run that has begun.
  grantRows(executeTool, tables, { ...REDEEMS, 'permit#': ['GetItem', 'PutItem'], 'result#': ['GetItem', 'PutItem'] });
  for (const one of [recordOutcome, collectOutcomes]) grantRows(one, tables, ENDS);
  giveTargets(executeTool, parts);
}

/** Changes by operators. */
function giveOperations({ operate }: GateFunctions, { tables, queues, shared }: GateParts): void {
  grantRows(operate, tables, {
    ...VOTES,
    control: ['GetItem', 'PutItem'],
    delegations: ['GetItem', 'PutItem'],
    'session#': ['GetItem', 'PutItem'],
  });
  // Events that a webhook is sent again are made of the entries of a time.
  if (Object.keys(shared.policy.policy.webhooks).length) {
    operate.allow(['dynamodb:Query'], [`${tables.audit.tableArn}/index/byAgent`]);
    operate.allow(['dynamodb:BatchGetItem'], [tables.audit.tableArn]);
    operate.allow(['sqs:SendMessage'], [queues.webhooks.queueArn]);
  }
}

/** The archive of the record, and its signed lists. */
function giveArchive(functions: GateFunctions, parts: GateParts): void {
  // Nobody who writes the record writes the archive, and nobody writes there what they did not bring.
  const { bucket, signingKey } = parts.record;
  const objects = (...names: readonly string[]) => names.map((name) => bucket.arnForObjects(`${name}/*`));
  functions['archive-audit'].allow(['s3:PutObject', 's3:GetObject'], objects('entry', 'tamper'));
  functions.seal.allow(['s3:GetObject'], objects('entry', 'tamper'));
  functions.seal.allow(['s3:PutObject', 's3:GetObject'], objects('list', 'seal', 'anchor'));
  // Without it, an object that is not there looks like one that may not be read.
  for (const one of [functions['archive-audit'], functions.seal]) one.allow(['s3:ListBucket'], [bucket.bucketArn]);
  functions.seal.allow(['kms:Sign', 'kms:GetPublicKey'], [signingKey.keyArn]);
  parts.record.signsOnlyFor(functions.seal.role);
  // A line a day in the approvers' channel.
  functions.seal.allow(['sqs:SendMessage'], [parts.queues.cards.queueArn]);
}

/** Dead letters that go back to their queues. */
function giveRedrive(functions: GateFunctions, { queues }: GateParts): void {
  for (const name of REDRIVEN_QUEUES) {
    const dead = queues.deadOf(queues[name]).queueArn;
    functions.redrive.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage'], [dead]);
    functions.redrive.allow(['sqs:SendMessage'], [queues[name].queueArn]);
  }
  // Operators send an operation: the record has who wanted it, and why.
  functions.operate.allow(['lambda:InvokeFunction'], [functions.redrive.function.functionArn]);
}

/** Inputs of proposals, and the encryption of everything. */
function giveInputs(functions: GateFunctions, parts: GateParts): void {
  const { resume, reconcile, 'slack-out': slackOut } = functions;
  for (const one of Object.values(functions)) {
    // Inputs are read with an approval's row: functions that read none, nor decide, read no input of a proposal.
    if (!WITHOUT_INPUTS.has(one.name)) one.allow(['s3:GetObject'], [inputsOf(parts.inputs)]);
    parts.shared.encryptionKey?.grantEncryptDecrypt(one.role);
  }
  // S3 says only to who may list a bucket that an object is gone, and not forbidden: for who ends approvals, and draws that they ended.
  for (const one of [resume, reconcile, slackOut]) one.allow(['s3:ListBucket'], [parts.inputs.bucketArn]);
}

/** Secrets, and the hooks that a policy file names. */
function giveSecrets(functions: GateFunctions, parts: GateParts): void {
  const { deliberate, slack, converse, 'slack-out': slackOut } = functions;
  for (const one of recordersOf(functions)) readSecret(one, parts.digestKey);
  // The gate's own key is every role's. Another one is allowed by the role: the policy of an imported key cannot be changed, and that of a key
  // of another stack would name roles of this stack, which needs that stack.
  const readSlack = (one: GateFunction, secret: ISecret) => {
    readSecret(one, secret);
    if (secret.encryptionKey !== parts.shared.encryptionKey)
      allowThrough(secret.encryptionKey, one.role, 'secretsmanager');
  };
  for (const one of [slackOut, slack, converse]) readSlack(one, parts.slackSecret);
  // A function that reads it can sign as Slack, and vote as anyone.
  readSlack(slack, parts.slackSigningSecret);
  if (parts.taskModelSecret) readSecret(converse, parts.taskModelSecret);
  for (const secret of parts.hookSecrets) readSecret(deliberate, secret);
  for (const secret of parts.webhookSecrets) readSecret(functions['send-webhooks'], secret);
  const hooks = hookArns(deliberate, parts);
  if (hooks.length) deliberate.allow(['lambda:InvokeFunction'], hooks);
  for (const secret of parts.modelSecrets) readSecret(deliberate, secret);
}

/** Queues, registered senders, events and the workflow. */
function giveSignals(functions: GateFunctions, parts: GateParts, workflow: ApprovalWorkflow): void {
  const {
    evaluate,
    deliberate,
    resume,
    reconcile,
    operate,
    slack,
    'request-approval': requestApproval,
    'execute-tool': executeTool,
    'record-outcome': recordOutcome,
    'collect-outcomes': collectOutcomes,
  } = functions;
  const { tables, queues } = parts;
  // Answers of models from before a crash are read before the models are asked again; runs that need a model are handed over and end here.
  grantRows(deliberate, tables, { 'journal#': ['Query'], 'answer#': ['GetItem', 'PutItem'] });
  deliberate.allow(['sqs:SendMessage'], [queues.cards.queueArn]);
  for (const one of [resume, reconcile]) one.allow(['sqs:SendMessage'], [queues.deferred.queueArn]);
  for (const one of [evaluate, deliberate, resume, reconcile, operate, executeTool, collectOutcomes]) {
    one.allow(['ssm:GetParametersByPath'], [sendersArn(one, parts.sendersPath)]);
  }
  // Every function that writes the record also emits its events, and those that archive it tell of its state.
  if (typeof parts.eventBus === 'object') {
    const { eventBusArn } = parts.eventBus;
    for (const one of [...recordersOf(functions), functions.seal, functions['archive-audit']]) {
      one.allow(['events:PutEvents'], [eventBusArn]);
    }
  }
  const machine = workflow.stateMachine.stateMachineArn;
  for (const one of [evaluate, deliberate, reconcile]) one.allow(['states:StartExecution'], [machine]);
  for (const one of [evaluate, deliberate, reconcile]) one.allow(ENDS_WAITS, [machine]);
  workflow.mayBeEndedBy(resume.role);
  // Functions that end calls notify people of an unknown outcome.
  for (const one of [requestApproval, resume, reconcile, slack, operate, executeTool, recordOutcome, collectOutcomes]) {
    one.allow(['sqs:SendMessage'], [queues.cards.queueArn]);
  }
}

const WITHOUT_INPUTS: ReadonlySet<GateFunctionName> = new Set([
  'archive-audit',
  'seal',
  'redrive',
  'send-webhooks',
  'canary',
  'converse',
  'record-outcome',
  'collect-outcomes',
]);

/** Every function that writes the record. */
const recordersOf = (functions: GateFunctions): readonly GateFunction[] => [
  functions.evaluate,
  functions.deliberate,
  functions.resume,
  functions.reconcile,
  functions.operate,
  functions.slack,
  functions.converse,
  functions.redeem,
  functions['execute-tool'],
  functions['record-outcome'],
  functions['collect-outcomes'],
];

/** Only the functions and secrets that the policy file names as targets. */
function giveTargets(executeTool: GateFunction, { shared, targetSecrets }: GateParts): void {
  const functions = functionArns(executeTool, targetFunctions(shared.policy.policy));
  if (functions.length) executeTool.allow(['lambda:InvokeFunction'], functions);
  for (const secret of targetSecrets) readSecret(executeTool, secret);
}

/** Without the secret's own grant, which also lets describe it: nobody does. The random end of a secret's ARN is not known of a name. */
function readSecret(to: GateFunction, secret: ISecret): void {
  to.allow(['secretsmanager:GetSecretValue'], [secret.secretFullArn ?? `${secret.secretArn}-??????`]);
}

const inputsOf = (inputs: Bucket): string => inputs.arnForObjects('input/*');
/** Texts that entries of the record name. */
const textsOf = (inputs: Bucket): string => inputs.arnForObjects('record/*');

/** The functions that the policy file names as hooks, and no other. */
function hookArns(to: GateFunction, { shared }: GateParts): string[] {
  const names = Object.values(shared.policy.policy.hooks).flatMap(({ function: name }) => name ?? []);
  return functionArns(to, [...new Set(names)]);
}

const functionArns = (to: GateFunction, names: readonly string[]): string[] =>
  names.map((name) =>
    name.startsWith('arn:')
      ? name
      : Stack.of(to).formatArn({
          service: 'lambda',
          resource: 'function',
          resourceName: name,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
  );

/** `GetParametersByPath` is asked about the path itself. */
function sendersArn(to: GateFunction, path: string): string {
  return Stack.of(to).formatArn({ service: 'ssm', resource: 'parameter', resourceName: path.slice(1) });
}

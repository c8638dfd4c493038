/** Checks the rights of each role, whole, against a table: a right that is added or lost shows here. */
import { describe, expect, inject, test } from 'vitest';
import { PREFIX } from '../../../shared/adapters/dynamodb/items.ts';
import { rightsOf } from '../support/statements.ts';
import { all, plain, type TemplateJson } from '../support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;

const STATE = 'GateTablesState';
const AUDIT = 'GateTablesAudit';
const MACHINE = 'GateWorkflowStateMachine';
const SENDERS = 'arn:AWS::Partition:ssm:AWS::Region:AWS::AccountId:parameter/Gate-Test/senders';
const [INPUTS, TEXTS] = ['GateInputs/input/*', 'GateInputs/record/*'] as const;

const rows = (type: string, ...verbs: string[]) => verbs.map((verb) => `dynamodb:${verb} ${STATE} [${type}]`);
const sends = (queue: string) => [`sqs:SendMessage GateQueues${queue}`];
const reads = (secret: string) => [`secretsmanager:GetSecretValue Gate${secret}`];
/** Rights that Lambda needs to hand messages over. */
const takes = (queue: string) =>
  ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((verb) => `sqs:${verb} GateQueues${queue}`);
/** A function that also says itself when a message comes again. */
const works = (queue: string) => [...takes(queue), `sqs:ChangeMessageVisibility GateQueues${queue}`];
const ARCHIVE = 'GateRecordBucket';
const objects = (verb: string, ...kinds: string[]) => kinds.map((kind) => `s3:${verb} ${ARCHIVE}/${kind}/*`);
/** Functions that read no row of an approval, nor decide about one. */
const WITHOUT_INPUTS = [
  ...['ArchiveAudit', 'Canary', 'CollectOutcomes', 'Converse', 'RecordOutcome', 'Redrive', 'Seal', 'SendWebhooks'],
];
const always = (name: string) => [
  `logs:CreateLogStream Gate${name}Log`,
  `logs:PutLogEvents Gate${name}Log`,
  'xray:PutTelemetryRecords *',
  'xray:PutTraceSegments *',
  ...(WITHOUT_INPUTS.includes(name) ? [] : [`s3:GetObject ${INPUTS}`]),
];
const lists = ['s3:ListBucket GateInputs'];
const remembers = [
  ...rows('session#*', 'GetItem', 'PutItem'),
  ...rows('denied#*', 'GetItem', 'UpdateItem'),
  // Whether who gave an approval for later could give it still (D52).
  ...rows('delegations', 'GetItem'),
];
const home = [
  ...rows('control', 'GetItem'),
  ...rows('approval#*', 'BatchGetItem'),
  `dynamodb:Query ${STATE}/index/byDue [due sessions#*]`,
  `dynamodb:Query ${STATE}/index/byLook [approvals#*]`,
];
/** Functions that tell people by their aliases; `aliases.test.ts` has those that make aliases. */
const knows = rows('alias#*', 'BatchGetItem');
const tasks = [...rows('task#*', 'Query', 'PutItem', 'DeleteItem'), ...rows('conversation#*', 'GetItem', 'PutItem')];
/** Entries of these families; decisions are what has no family in its key. */
const DECISIONS = `${AUDIT} [not */*]`;
const entries = (...families: string[]) => `dynamodb:PutItem ${AUDIT} [${families.map((one) => `${one}/*`).join(' ')}]`;
/** Every function that writes the record also emits its events. */
const tells = ['events:PutEvents arn:AWS::Partition:events:AWS::Region:AWS::AccountId:event-bus/default'];
const decisions = [`dynamodb:PutItem ${DECISIONS}`, ...tells];
/** The limiters of senders, and of the task agent's tools. */
const guards = [
  ...rows('rate#*', 'GetItem', 'UpdateItem'),
  ...rows('slots#*', 'Query', 'UpdateItem'),
  ...rows('budget#*', 'UpdateItem'),
  ...rows('circuit#*', 'GetItem', 'UpdateItem'),
];
const decides = [
  ...knows,
  ...remembers,
  ...tasks,
  ...rows('control session#* denied#*', 'BatchGetItem'),
  ...rows('approval#*', 'GetItem', 'Query', 'PutItem', 'UpdateItem'),
  ...rows('journal#*', 'PutItem'),
  ...rows('waiting#*', 'GetItem', 'UpdateItem'),
  ...rows('same#*', 'GetItem', 'PutItem'),
  ...guards,
  ...rows('token#*', 'GetItem'),
  ...rows('sealed#*', 'PutItem'),
  'kms:GenerateDataKey GateSealKey',
  `dynamodb:BatchGetItem ${DECISIONS}`,
  ...decisions,
  entries('refusal'),
  ...[INPUTS, TEXTS].map((objects) => `s3:PutObject ${objects}`),
  `ssm:GetParametersByPath ${SENDERS}`,
  `states:StartExecution ${MACHINE}`,
  `states:SendTaskFailure ${MACHINE}`,
  `states:SendTaskSuccess ${MACHINE}`,
  ...sends('Deferred'),
  ...reads('DigestKey'),
];
/** Whether people voted what a row holds. */
const compares = [...knows, `dynamodb:Query ${DECISIONS}`, `dynamodb:Query ${AUDIT} [vote/*]`];
const finishes = [
  ...remembers,
  ...compares,
  ...lists,
  ...rows('approval#*', 'Query', 'UpdateItem'),
  ...rows('journal#*', 'Query', 'PutItem'),
  ...rows('waiting#*', 'UpdateItem'),
  ...rows('control session#* denied#*', 'BatchGetItem'),
  ...decisions,
  ...[`s3:PutObject ${TEXTS}`, `ssm:GetParametersByPath ${SENDERS}`],
  ...['Cards', 'Deferred'].flatMap(sends),
  ...reads('DigestKey'),
];
const votes = [
  ...knows,
  ...rows('approval#*', 'Query', 'UpdateItem'),
  ...rows('delegations', 'GetItem'),
  ...tells,
  'lambda:InvokeFunction GateResumeFunction',
  ...sends('Cards'),
  ...reads('DigestKey'),
];

const ends = [
  ...rows('permit#*', 'PutItem'),
  ...rows('slots#*', 'UpdateItem'),
  ...rows('budget#*', 'UpdateItem'),
  ...rows('circuit#*', 'GetItem', 'UpdateItem'),
  ...tells,
  ...reads('DigestKey'),
];
const redeems = [
  ...ends,
  ...rows('rate#*', 'GetItem', 'UpdateItem'),
  ...rows('slots#*', 'Query', 'UpdateItem'),
  ...rows('control', 'GetItem'),
  ...rows('session#*', 'GetItem'),
  ...rows('delegations', 'GetItem'),
  ...compares,
  // The approved call may have been sealed (A20).
  ...rows('approval#*', 'Query'),
  ...rows('sealed#*', 'GetItem'),
  'kms:Decrypt GateSealKey',
];

const MAY: Readonly<Record<string, readonly string[]>> = {
  Evaluate: [...decides, ...works('Proposals')],
  Deliberate: [
    ...decides,
    ...compares,
    ...rows('journal#*', 'Query'),
    ...rows('answer#*', 'GetItem', 'PutItem'),
    ...sends('Cards'),
    ...takes('Deferred'),
    // Senders of these messages are answered that they could not be processed.
    ...['ProposalsDead', 'DeferredDead'].flatMap(works),
  ],
  // Dead letters and the queue that they go back to: nobody's word is in it.
  Redrive: ['Cards', 'Webhooks'].flatMap((queue) => [
    `sqs:ReceiveMessage GateQueues${queue}Dead`,
    `sqs:DeleteMessage GateQueues${queue}Dead`,
    ...sends(queue),
  ]),
  SendWebhooks: works('Webhooks'),
  Canary: [
    ...sends('Proposals'),
    ...sends('Outcomes'),
    `dynamodb:GetItem ${AUDIT} [-canary#*]`,
    'lambda:InvokeFunction GateRedeemFunction',
    'lambda:InvokeFunction GateRedeemFunction:live',
  ],
  RequestApproval: [...rows('approval#*', 'Query'), ...rows('token#*', 'PutItem'), ...sends('Cards')],
  Resume: [
    ...finishes,
    ...rows('sealed#*', 'GetItem'),
    'kms:Decrypt GateSealKey',
    // The wait of an approval that it decided beside its workflow.
    ...rows('token#*', 'GetItem'),
    `states:SendTaskFailure ${MACHINE}`,
    `states:SendTaskSuccess ${MACHINE}`,
  ],
  Reconcile: [
    ...finishes,
    ...rows('token#*', 'GetItem'),
    ...ends,
    entries('run'),
    ...rows('permit#*', 'GetItem', 'UpdateItem'),
    ...rows('result#*', 'GetItem', 'PutItem'),
    ...[...rows('control', 'GetItem'), ...rows('waiting#*', 'BatchGetItem')],
    `dynamodb:Query ${STATE}/index/byDue [due permits]`,
    `dynamodb:Query ${STATE}/index/byLook [approvals#* permits#*]`,
    'sqs:GetQueueAttributes GateQueuesCards',
    `states:StartExecution ${MACHINE}`,
    `states:SendTaskFailure ${MACHINE}`,
    `states:SendTaskSuccess ${MACHINE}`,
    'lambda:InvokeFunction GateResumeFunction',
  ],
  SlackOut: [
    ...lists,
    ...rows('approval#*', 'Query', 'UpdateItem'),
    ...rows('earlier#*', 'Query', 'PutItem'),
    ...rows('list#*', 'GetItem', 'PutItem'),
    ...rows('rate#*', 'UpdateItem'),
    ...[...home, ...rows('voted#*', 'Query')],
    ...rows('delegations', 'GetItem'),
    ...reads('SlackSecret'),
    ...works('Cards'),
    ...sends('Cards'),
  ],
  Slack: [
    ...votes,
    entries('vote', 'click'),
    ...sends('Talk'),
    ...[...sends('Operators'), 's3:PutObject GateInputs/shown/*'],
    ...rows('voted#*', 'Query', 'PutItem'),
    ...home,
    ...reads('SlackSecret'),
    ...reads('SlackSigningSecret'),
  ],
  Converse: [
    ...knows,
    ...tasks,
    ...guards,
    ...rows('reply#*', 'GetItem', 'PutItem'),
    ...rows('session#*', 'GetItem'),
    ...rows('denied#*', 'GetItem'),
    ...rows('delegations', 'GetItem'),
    ...rows('control session#* denied#*', 'BatchGetItem'),
    // The policy of this test has no task agent: no decision is this function's.
    entries('click'),
    ...tells,
    ...reads('DigestKey'),
    ...reads('SlackSecret'),
    ...['Talk', 'TalkDead'].flatMap(works),
  ],
  Redeem: [...redeems, entries('refusal')],
  ExecuteTool: [
    ...redeems,
    entries('refusal', 'run'),
    ...[...rows('permit#*', 'GetItem'), ...rows('result#*', 'GetItem', 'PutItem')],
    'lambda:InvokeFunction arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:function:refunds',
    `ssm:GetParametersByPath ${SENDERS}`,
    ...sends('Cards'),
    ...works('Executions'),
    // A run beyond its agent's share waits in the queue.
    ...sends('Executions'),
    ...works('ExecutionsDead'),
  ],
  RecordOutcome: [...ends, ...rows('permit#*', 'GetItem'), entries('refusal', 'run'), ...sends('Cards')],
  CollectOutcomes: [
    ...[...ends, ...rows('permit#*', 'GetItem')],
    entries('refusal', 'run'),
    `ssm:GetParametersByPath ${SENDERS}`,
    ...sends('Cards'),
    ...takes('Outcomes'),
    ...works('OutcomesDead'),
  ],
  ArchiveAudit: [
    ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map((verb) => `dynamodb:${verb} ${AUDIT}`),
    'dynamodb:ListStreams *',
    ...['GetObject', 'PutObject'].flatMap((verb) => objects(verb, 'entry', 'tamper')),
    `s3:ListBucket ${ARCHIVE}`,
    ...tells,
  ],
  Seal: [
    ...objects('GetObject', 'anchor', 'entry', 'list', 'seal', 'tamper'),
    ...objects('PutObject', 'anchor', 'list', 'seal'),
    `s3:ListBucket ${ARCHIVE}`,
    ...sends('Cards'),
    ...tells,
    ...['Sign', 'GetPublicKey'].map((verb) => `kms:${verb} GateRecordSigningKey`),
  ],
  Operate: [
    ...votes,
    entries('vote', 'click', 'operation'),
    ...rows('session#*', 'GetItem', 'PutItem'),
    ...rows('control', 'GetItem', 'PutItem'),
    ...rows('delegations', 'PutItem'),
    `ssm:GetParametersByPath ${SENDERS}`,
    ...[...takes('Operators'), ...works('OperatorsDead'), 'lambda:InvokeFunction GateRedriveFunction'],
  ],
};

describe('each function may do this and nothing else', () => {
  test.each(Object.entries(MAY))('%s', (name, rights) => {
    expect(rightsOf(template, `Gate${name}Role`)).toEqual([...new Set([...rights, ...always(name)])].sort());
  });

  test('the table is whole: there is no other role but those of the workflow, of CodeDeploy, of agents, operators and auditors', () => {
    const roles = all(template, 'AWS::IAM::Role').map(({ id }) => plain(id));
    const others = roles.filter((role) => !Object.keys(MAY).some((name) => role === `Gate${name}Role`));
    const known = `AgentRolebilling AgentRoleopsnightshift AuditorRole GateShiftRole ${MACHINE}Role OperatorRoleoncall`;
    expect(others.sort()).toEqual(known.split(' '));
  });

  test('row types are those that the adapters write', () => {
    const written = new Set([...Object.values(PREFIX), 'rate#', 'slots#', 'budget#', 'circuit#']);
    const granted = Object.keys(MAY)
      .flatMap((name) => rightsOf(template, `Gate${name}Role`))
      .flatMap((right) => right.match(/State \[(.*)\]$/)?.[1]?.split(' ') ?? []);
    expect(new Set(granted.map((pattern) => pattern.replace(/\*$/, '')))).toEqual(written);
  });
});

/** Least privilege as a table: what each role may do, whole. A right that is added or lost shows here. */
import { describe, expect, inject, test } from 'vitest';
import { PREFIX } from '../../shared/adapters/dynamodb/items.ts';
import { RECORD_FAMILIES } from '../../shared/ports/stores/audit-log.ts';
import { rightsOf, type Statement, statementsOf } from './support/statements.ts';
import { all, one, plain, type TemplateJson } from './support/template.ts';

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
    // Senders of these messages are answered that they could not be worked.
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

describe('across all roles', () => {
  const everyone = all(template, 'AWS::IAM::Role').map(({ id }) => plain(id));
  const whoMay = (right: RegExp) =>
    everyone.filter((role) => rightsOf(template, role).some((line) => right.test(line)));

  test("G40 nobody may change or delete what is on the record, nor any row wholesale, nor any row but a user's own task", () => {
    expect(whoMay(/^dynamodb:(Update|Delete|BatchWrite|PartiQL|\*)\w* GateTablesAudit/)).toEqual([]);
    expect(whoMay(/^dynamodb:(BatchWriteItem|DeleteTable|\*)/)).toEqual([]);
    // To verify the record is to read all of it.
    expect(whoMay(/^dynamodb:Scan/)).toEqual(['AuditorRole']);
    expect(whoMay(/^dynamodb:DeleteItem (?!GateTablesState \[task#\*\]$)/)).toEqual([]);
  });

  test('G47 only what decides may write a decision, and none of them may write a vote', () => {
    const deciders = ['Deliberate', 'Evaluate', 'Reconcile', 'Resume'].map((name) => `Gate${name}Role`);
    const puts = (role: string) =>
      rightsOf(template, role).filter((right) => right.startsWith(`dynamodb:PutItem ${AUDIT}`));
    expect(everyone.filter((role) => puts(role).includes(`dynamodb:PutItem ${DECISIONS}`)).sort()).toEqual(deciders);
    for (const right of everyone.flatMap(puts)) expect(right).toMatch(/ \[(not \*\/\*|([a-z]+\/\* ?)+)\]$/);
    const granted = new Set(everyone.flatMap(puts).flatMap((right) => right.match(/[a-z]+(?=\/\*[\] ])/g) ?? []));
    expect([...granted].sort()).toEqual(RECORD_FAMILIES.filter((family) => family !== 'decision').toSorted());
    const voters = everyone.filter((role) => puts(role).some((right) => right.includes('vote/')));
    expect(voters.sort()).toEqual(['GateOperateRole', 'GateSlackRole']);
  });

  test('G40 who votes or draws cards changes those attributes of an approval, and puts no row of it', () => {
    const updates = (role: string) =>
      statementsOf(template, role).filter(
        ({ Action, Condition }) =>
          [Action].flat().includes('dynamodb:UpdateItem') && JSON.stringify(Condition).includes('approval#'),
      );
    const attributes = (name: string) =>
      updates(`Gate${name}Role`).map(({ Condition }) => Condition?.['ForAllValues:StringEquals']);
    const looks = ['look', 'lookAt', 'due', 'dueAt'];
    const voted = ['approval', 'additions', 'version', 'counted', 'quietUntil', ...looks];
    expect({ slack: attributes('Slack'), operate: attributes('Operate'), slackOut: attributes('SlackOut') }).toEqual({
      slack: [{ 'dynamodb:Attributes': ['pk', 'sk', ...voted, 'card', 'ttl'] }],
      operate: [{ 'dynamodb:Attributes': ['pk', 'sk', ...voted] }],
      slackOut: [
        { 'dynamodb:Attributes': ['pk', 'sk', 'card', 'ttl', 'cardProblem', ...looks, 'failures', 'version'] },
      ],
    });
    for (const { Condition } of ['Slack', 'Operate', 'SlackOut'].flatMap((name) => updates(`Gate${name}Role`)))
      expect(Condition).toMatchObject({
        Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
        StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
      });
    expect(whoMay(/PutItem GateTablesState \[approval#/).sort()).toEqual(['GateDeliberateRole', 'GateEvaluateRole']);
  });

  test('A2 to a queue whose senders are believed send the senders themselves, and the functions that must', () => {
    const senders = (queue: string) => whoMay(new RegExp(`^sqs:SendMessage GateQueues${queue}(?![a-z])`)).sort();
    const agents = ['AgentRolebilling', 'AgentRoleopsnightshift'];
    expect(senders('Proposals')).toEqual([...agents, 'GateCanaryRole']);
    expect(senders('Operators')).toEqual(['GateSlackRole', 'OperatorRoleoncall']);
    expect(senders('Executions')).toEqual([...agents, 'GateExecuteToolRole']);
    // The canary is a sender of its own name, as an agent is.
    expect(senders('Outcomes')).toEqual([...agents, 'GateCanaryRole']);
    expect(senders('Talk')).toEqual(['GateSlackRole']);
    expect(whoMay(/^sqs:SendMessage GateQueues\w+Dead/)).toEqual([]);
  });

  test('A12, A18b only what decides may put a message aside or hand over a run that needs a model', () => {
    const deciding = ['Deliberate', 'Evaluate', 'Reconcile', 'Resume'].map((name) => `Gate${name}Role`);
    expect(whoMay(/^sqs:SendMessage GateQueuesDeferred/).sort()).toEqual(deciding);
  });

  test('the task token is written by one function, and read by those who may wake the workflow', () => {
    expect(whoMay(/PutItem GateTablesState \[token#/)).toEqual(['GateRequestApprovalRole']);
    expect(whoMay(/GetItem GateTablesState \[token#/).sort()).toEqual(whoMay(/states:SendTaskSuccess/).sort());
  });

  test('A20 what is sealed is opened by those who decide again or run it; whoever seals cannot open, and none of them may do more with the key', () => {
    const openers = ['GateExecuteToolRole', 'GateRedeemRole', 'GateResumeRole'];
    expect(whoMay(/^kms:\w+ GateSealKey/).sort()).toEqual(['GateDeliberateRole', 'GateEvaluateRole', ...openers]);
    expect(whoMay(/^kms:Decrypt GateSealKey/).sort()).toEqual(openers);
    expect(whoMay(/(GetItem|Query) GateTablesState \[.*sealed#/).sort()).toEqual(openers);
  });

  test('A25 no role writes both the record and its archive; one signs seals, and nobody deletes or unlocks', () => {
    const archivers = whoMay(/^s3:PutObject GateRecordBucket/).sort();
    expect(archivers).toEqual(['GateArchiveAuditRole', 'GateSealRole']);
    expect(archivers.filter((role) => whoMay(/^dynamodb:\w*(Put|Update|Delete|Write)/).includes(role))).toEqual([]);
    expect(whoMay(/^kms:Sign/)).toEqual(['GateSealRole']);
    expect(whoMay(/^s3:(Delete|Bypass|PutObjectRetention|PutBucket|\*)/)).toEqual([]);
  });

  test('A25 slack cannot touch task tokens, sessions, rules, grants, journals, counters or the pause, which it reads; it lists sessions by their index', () => {
    const touched = rightsOf(template, 'GateSlackRole').filter((right) => right.includes(STATE));
    const known = 'alias#* approval#* approvals#* voted#* control delegations'.split(' ');
    const named = new Set(touched.map((right) => right.match(/\[(.*)\]/)?.[1]));
    expect(named).toEqual(new Set([...known, 'due sessions#*']));
    expect(touched.filter((right) => right.includes('session'))).toEqual([
      `dynamodb:Query ${STATE}/index/byDue [due sessions#*]`,
    ]);
    for (const read of ['control', 'delegations'])
      expect(touched.filter((right) => right.includes(read))).toEqual(rows(read, 'GetItem'));
  });

  test('every right on rows of state names its rows, and refuses a request that names none', () => {
    const onState = everyone
      .flatMap((role) => statementsOf(template, role))
      .filter(({ Resource }) => JSON.stringify(Resource).includes(one(template, 'AWS::DynamoDB::Table', STATE).id));
    expect(onState.length).toBeGreaterThan(20);
    for (const { Condition } of onState as Statement[]) {
      expect(Condition?.['ForAllValues:StringLike']).toHaveProperty('dynamodb:LeadingKeys');
      expect(Condition?.['Null']).toMatchObject({ 'dynamodb:LeadingKeys': 'false' });
    }
  });

  test('nobody may everything: the only wildcard resources are tracing, log delivery, alarms and metrics', () => {
    const wild = everyone.flatMap((role) => rightsOf(template, role)).filter((right) => right.endsWith(' *'));
    // The list of streams can be read for the whole account only; none of them is read by it.
    const known = /^(xray:|logs:|dynamodb:ListStreams |cloudwatch:(DescribeAlarms|GetMetricData) )/;
    expect(wild.filter((right) => !known.test(right))).toEqual([]);
  });

  test('the workflow calls its two functions and no other', () => {
    const called = rightsOf(template, `${MACHINE}Role`).filter((right) => right.startsWith('lambda:'));
    expect(called).toEqual([
      'lambda:InvokeFunction GateRequestApprovalFunction',
      'lambda:InvokeFunction GateResumeFunction',
    ]);
  });
});

/** Words of the table of rights: the line of a right, by what it is on. */

export const STATE = 'GateTablesState';
export const AUDIT = 'GateTablesAudit';
export const MACHINE = 'GateWorkflowStateMachine';
export const SENDERS = 'arn:AWS::Partition:ssm:AWS::Region:AWS::AccountId:parameter/Gate-Test/senders';
export const [INPUTS, TEXTS] = ['GateInputs/input/*', 'GateInputs/record/*'] as const;

export const rows = (type: string, ...verbs: string[]) => verbs.map((verb) => `dynamodb:${verb} ${STATE} [${type}]`);
export const sends = (queue: string) => [`sqs:SendMessage GateQueues${queue}`];
export const reads = (secret: string) => [`secretsmanager:GetSecretValue Gate${secret}`];
/** Rights that Lambda needs to hand messages over. */
export const takes = (queue: string) =>
  ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((verb) => `sqs:${verb} GateQueues${queue}`);
/** A function that also says itself when a message comes again. */
export const works = (queue: string) => [...takes(queue), `sqs:ChangeMessageVisibility GateQueues${queue}`];
export const ARCHIVE = 'GateRecordBucket';
export const objects = (verb: string, ...kinds: string[]) => kinds.map((kind) => `s3:${verb} ${ARCHIVE}/${kind}/*`);
/** Functions that read no row of an approval, nor decide about one. */
const WITHOUT_INPUTS = [
  ...['ArchiveAudit', 'Canary', 'CollectOutcomes', 'Converse', 'RecordOutcome', 'Redrive', 'Seal', 'SendWebhooks'],
];
export const always = (name: string) => [
  `logs:CreateLogStream Gate${name}Log`,
  `logs:PutLogEvents Gate${name}Log`,
  'xray:PutTelemetryRecords *',
  'xray:PutTraceSegments *',
  ...(WITHOUT_INPUTS.includes(name) ? [] : [`s3:GetObject ${INPUTS}`]),
];

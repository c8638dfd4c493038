/** Names the settings of a deployment: environment variable and stack output of each. */

export const STACK_SETTINGS = {
  deployment: { variable: 'COUNTERSIGN_DEPLOYMENT', output: 'Deployment' },
  queueUrl: { variable: 'COUNTERSIGN_QUEUE_URL', output: 'ProposalsQueueUrl' },
  auditTable: { variable: 'COUNTERSIGN_AUDIT_TABLE', output: 'AuditTable' },
  stateTable: { variable: 'COUNTERSIGN_STATE_TABLE', output: 'StateTable' },
  executionsQueueUrl: { variable: 'COUNTERSIGN_EXECUTIONS_QUEUE_URL', output: 'ExecutionsQueueUrl' },
  redeemFunction: { variable: 'COUNTERSIGN_REDEEM_FUNCTION', output: 'RedeemFunction' },
  outcomesQueueUrl: { variable: 'COUNTERSIGN_OUTCOMES_QUEUE_URL', output: 'OutcomesQueueUrl' },
  operatorsQueueUrl: { variable: 'COUNTERSIGN_OPERATORS_QUEUE_URL', output: 'OperatorsQueueUrl' },
  archiveBucket: { variable: 'COUNTERSIGN_ARCHIVE_BUCKET', output: 'ArchiveBucket' },
  archiveKey: { variable: 'COUNTERSIGN_ARCHIVE_KEY', output: 'ArchiveKeyArn' },
  textBucket: { variable: 'COUNTERSIGN_TEXT_BUCKET', output: 'TextBucket' },
  digestKey: { variable: 'COUNTERSIGN_DIGEST_KEY', output: 'DigestKeyArn' },
  canaryFunction: { variable: 'COUNTERSIGN_CANARY_FUNCTION', output: 'CanaryFunction' },
} as const;

export type StackSetting = keyof typeof STACK_SETTINGS;

/** For `countersign doctor` alone, and therefore none of the settings that a gate publishes for other apps. */
export const SLACK_REQUEST_URL = { variable: 'COUNTERSIGN_SLACK_REQUEST_URL', output: 'SlackRequestUrl' } as const;

/** The settings of every agent's client. */
export const CLIENT_SETTINGS: readonly StackSetting[] = [
  'deployment',
  'queueUrl',
  'auditTable',
  'executionsQueueUrl',
  'stateTable',
];
/** Besides, of agents that redeem their permits. */
export const REDEEMING_SETTINGS: readonly StackSetting[] = ['redeemFunction', 'outcomesQueueUrl'];

/** The variable that names the agent: it is no output, for a deployment has many agents. */
export const AGENT_VARIABLE = 'COUNTERSIGN_AGENT';

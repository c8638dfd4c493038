/** Collects the ARNs and the settings of a gate, for grants and for what it publishes. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IConstruct } from 'constructs';
import type { GateQueues } from './data/queues.ts';
import type { RecordArchive } from './data/record-archive.ts';
import type { GateTables } from './data/tables.ts';
import { FUNCTIONS } from './functions/function-names.ts';
import type { GateFunctions } from './functions/gate-functions.ts';
import type { GateSettings } from './published-values.ts';
import type { GateArns } from './rights/grants.ts';
import type { ApprovalWorkflow } from './workflow/approval-workflow.ts';

/** Any execution of a state machine. */
export const executionsOf = (scope: IConstruct, stateMachineName: string): string =>
  Stack.of(scope).formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${stateMachineName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** Holds the record besides its table. */
interface Stored {
  readonly record: RecordArchive;
  readonly inputs: Bucket;
  readonly digestKey: ISecret;
}

/** Besides: the workflow, whose executions `countersign trace` asks for. */
interface Deployed extends Stored {
  readonly workflow: ApprovalWorkflow;
}

export function arnsOf(
  { state, audit }: GateTables,
  queues: GateQueues,
  functions: GateFunctions,
  { record, inputs, digestKey, workflow }: Deployed,
): GateArns {
  return {
    proposals: queues.proposals.queueArn,
    executions: queues.executions.queueArn,
    outcomes: queues.outcomes.queueArn,
    operators: queues.operators.queueArn,
    audit: audit.tableArn,
    state: state.tableArn,
    // An agent that was deployed before there were versions names the function itself.
    redeem: [...new Set([functions.redeem.calleeArn, functions.redeem.function.functionArn])],
    recordOutcome: functions['record-outcome'].function.functionArn,
    canary: functions.canary.function.functionArn,
    functions: FUNCTIONS.map((name) => functions[name].function.functionArn),
    archive: record.bucket.bucketArn,
    archiveKey: record.signingKey.keyArn,
    texts: inputs.bucketArn,
    digestKey: digestKey.secretArn,
    queues: [...queues.live, ...queues.dead].map(({ queueArn }) => queueArn),
    logs: FUNCTIONS.map((name) => functions[name].logGroup.logGroupArn),
    workflowExecutions: executionsOf(workflow.stateMachine, workflow.stateMachine.stateMachineName),
  };
}

export function settingsOf(
  deployment: string,
  { state, audit }: GateTables,
  queues: GateQueues,
  functions: GateFunctions,
  { record, inputs, digestKey }: Stored,
): GateSettings {
  return {
    deployment,
    queueUrl: queues.proposals.queueUrl,
    auditTable: audit.tableName,
    stateTable: state.tableName,
    executionsQueueUrl: queues.executions.queueUrl,
    redeemFunction: functions.redeem.calleeName,
    outcomesQueueUrl: queues.outcomes.queueUrl,
    operatorsQueueUrl: queues.operators.queueUrl,
    canaryFunction: functions.canary.function.functionName,
    archiveBucket: record.bucket.bucketName,
    archiveKey: record.signingKey.keyArn,
    textBucket: inputs.bucketName,
    digestKey: digestKey.secretArn,
  };
}

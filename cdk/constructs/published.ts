/** Publishes a gate's settings and ARNs for other stacks under one name in SSM, and reads them. */
import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { FUNCTIONS, type GateFunctionName } from './functions/function-names.ts';
import { executionsOf } from './gate-arns.ts';
import {
  DIGEST_KEY,
  functionsParameterOf,
  type GateSettings,
  logsParameterOf,
  parameterOf,
  QUEUE_COUNT,
  QUEUES,
  RECORD_OUTCOME,
  REDRIVE,
  TEXTS,
  VALUES,
} from './published-values.ts';
import type { GateArns } from './rights/grants.ts';

export type { GateSettings } from './published-values.ts';

interface Published {
  readonly settings: GateSettings;
  readonly arns: GateArns;
}

export function publish(
  scope: Construct,
  { settings, arns }: Published,
  functions: Readonly<Record<GateFunctionName, string>>,
  watched: { readonly stateMachine: string; readonly logGroups: Readonly<Record<GateFunctionName, string>> },
): void {
  if (arns.queues.length !== QUEUE_COUNT) throw new Error(`${arns.queues.length} queues are not ${QUEUE_COUNT}`);
  new StringParameter(scope, 'Published', {
    parameterName: parameterOf(settings.deployment),
    description: 'Names of the gate for other stacks: Countersign.fromDeployment reads them',
    stringValue: Fn.join(',', [
      ...VALUES.map((name) => (name === REDRIVE ? functions.redrive : settings[name])),
      functions['record-outcome'],
      ...arns.queues,
      settings.textBucket,
      settings.digestKey,
    ]),
  });
  new StringParameter(scope, 'PublishedFunctions', {
    parameterName: functionsParameterOf(settings.deployment),
    description: 'Functions of the gate for other stacks: Countersign.fromDeployment reads them',
    stringValue: Fn.join(
      ',',
      FUNCTIONS.map((name) => functions[name]),
    ),
  });
  new StringParameter(scope, 'PublishedLogs', {
    parameterName: logsParameterOf(settings.deployment),
    description: 'Workflow and logs of the gate for other stacks: Countersign.fromDeployment reads them',
    stringValue: Fn.join(',', [watched.stateMachine, ...FUNCTIONS.map((name) => watched.logGroups[name])]),
  });
}

/** The same, of a gate that another app has deployed to this account and region. Each value is read when the stack is deployed. */
export function published(scope: Construct, deployment: string): Published {
  const values = Fn.split(',', StringParameter.valueForStringParameter(scope, parameterOf(deployment)));
  const at = (index: number) => Fn.select(index, values);
  const functions = Fn.split(',', StringParameter.valueForStringParameter(scope, functionsParameterOf(deployment)));
  const watched = Fn.split(',', StringParameter.valueForStringParameter(scope, logsParameterOf(deployment)));
  const functionNamed = (name: GateFunctionName) => Fn.select(FUNCTIONS.indexOf(name), functions);
  const settings = {
    ...(Object.fromEntries(VALUES.map((name, index) => [name, at(index)])) as GateSettings),
    textBucket: at(TEXTS),
    digestKey: at(DIGEST_KEY),
    canaryFunction: functionNamed('canary'),
    deployment,
  };
  const stack = Stack.of(scope);
  // `https://sqs.<region>.amazonaws.com/<account>/<name>`
  const queue = (url: string) => stack.formatArn({ service: 'sqs', resource: Fn.select(4, Fn.split('/', url)) });
  const table = (name: string) => stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName: name });
  const functionArn = (name: string) =>
    stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const logArn = (name: string) =>
    stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: `${name}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  return {
    settings,
    arns: {
      proposals: queue(settings.queueUrl),
      executions: queue(settings.executionsQueueUrl),
      outcomes: queue(settings.outcomesQueueUrl),
      operators: queue(settings.operatorsQueueUrl),
      audit: table(settings.auditTable),
      state: table(settings.stateTable),
      // The first may be the alias.
      redeem: [settings.redeemFunction, functionNamed('redeem')].map(functionArn),
      recordOutcome: functionArn(at(RECORD_OUTCOME)),
      canary: functionArn(settings.canaryFunction),
      functions: FUNCTIONS.map((name) => functionArn(functionNamed(name))),
      archive: stack.formatArn({ service: 's3', region: '', account: '', resource: settings.archiveBucket }),
      archiveKey: settings.archiveKey,
      digestKey: settings.digestKey,
      texts: stack.formatArn({ service: 's3', region: '', account: '', resource: settings.textBucket }),
      queues: Array.from({ length: QUEUE_COUNT }, (_, index) => at(QUEUES + index)),
      logs: FUNCTIONS.map((_, index) => logArn(Fn.select(index + 1, watched))),
      workflowExecutions: executionsOf(scope, Fn.select(0, watched)),
    },
  };
}

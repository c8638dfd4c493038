// Declares a CDK app with one of each thing that Countersign's stack is made of.
//
// Tests deploy it to the local endpoint.
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, type ITable, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  Code,
  FunctionUrlAuthType,
  Function as LambdaFn,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { DefinitionBody, QueryLanguage, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
const stack = new Stack(app, 'Sample', { env: { ...(account ? { account } : {}), ...(region ? { region } : {}) } });
const output = (name: string, value: string) =>
  new CfnOutput(stack, `${name}Output`, { value }).overrideLogicalId(name);

const key = new Key(stack, 'Key', { enableKeyRotation: true, removalPolicy: RemovalPolicy.DESTROY });
const dead = new Queue(stack, 'Dead', { enforceSSL: true });
const queue = new Queue(stack, 'Queue', { enforceSSL: true, deadLetterQueue: { queue: dead, maxReceiveCount: 5 } });
const effects = new Queue(stack, 'Effects', { enforceSSL: true });
const table = new TableV2(stack, 'Table', {
  partitionKey: { name: 'pk', type: AttributeType.STRING },
  sortKey: { name: 'sk', type: AttributeType.STRING },
  timeToLiveAttribute: 'ttl',
  encryption: TableEncryptionV2.customerManagedKey(key),
  dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
  globalSecondaryIndexes: [
    {
      indexName: 'due',
      partitionKey: { name: 'due', type: AttributeType.STRING },
      sortKey: { name: 'dueAt', type: AttributeType.NUMBER },
    },
  ],
  removalPolicy: RemovalPolicy.DESTROY,
});
const logGroup = new LogGroup(stack, 'Logs', {
  retention: RetentionDays.ONE_WEEK,
  removalPolicy: RemovalPolicy.DESTROY,
});

/** Answers with what it got; tells the queue `effects` of everything that is not a request. */
const echo = new LambdaFn(stack, 'Echo', {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  logGroup,
  environment: { EFFECTS: effects.queueUrl, VARIANT: String(app.node.tryGetContext('variant') ?? 'none') },
  code: Code.fromInline(`
    const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
    exports.handler = async (event) => {
      console.log('called by ' + (event.source ?? event.requestContext?.http?.method ?? 'stream'));
      if (event.requestContext) return { statusCode: 200, body: JSON.stringify({ event, variant: process.env.VARIANT }) };
      await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: process.env.EFFECTS, MessageBody: JSON.stringify(event) }));
    };`),
});
effects.grantSendMessages(echo);
echo.addEventSource(new DynamoEventSource(table as ITable, { startingPosition: StartingPosition.TRIM_HORIZON }));
new Rule(stack, 'EachMinute', { schedule: Schedule.rate(Duration.minutes(1)), targets: [new LambdaFunction(echo)] });

const machine = new StateMachine(stack, 'Machine', {
  queryLanguage: QueryLanguage.JSONATA,
  definitionBody: DefinitionBody.fromString(
    JSON.stringify({
      StartAt: 'Ask',
      QueryLanguage: 'JSONata',
      States: {
        Ask: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
          Arguments: { FunctionName: echo.functionArn, Payload: { token: '{% $states.context.Task.Token %}' } },
          End: true,
        },
      },
    }),
  ),
});
echo.grantInvoke(machine);

const agent = new Role(stack, 'Agent', { assumedBy: new AccountRootPrincipal() });
queue.grantSendMessages(agent);
machine.grantStartExecution(agent);
machine.grantTaskResponse(agent);
const path = `/${stack.stackName}/senders`;
new StringParameter(stack, 'Sender', { parameterName: `${path}/agent`, stringValue: agent.roleId });
new StringParameter(stack, 'Deep', { parameterName: `${path}/deep/er`, stringValue: 'below' });
const parameters = [path, `${path}/*`].map((name) =>
  stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) }),
);
agent.addToPolicy(
  new PolicyStatement({ actions: ['ssm:GetParametersByPath', 'ssm:GetParameters'], resources: parameters }),
);
const secret = new Secret(stack, 'Secret', {
  generateSecretString: { secretStringTemplate: '{"bot":"xoxb"}', generateStringKey: 'signing' },
});
secret.grantRead(agent);
const bucket = new Bucket(stack, 'Bucket', {
  enforceSSL: true,
  encryption: BucketEncryption.KMS,
  encryptionKey: key,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  removalPolicy: RemovalPolicy.DESTROY,
});
bucket.grantPut(agent, 'entry/*');
new Alarm(stack, 'DeadAlarm', {
  metric: dead.metricApproximateNumberOfMessagesVisible(),
  threshold: 1,
  evaluationPeriods: 1,
});

output('AgentArn', agent.roleArn);
output('AgentId', agent.roleId);
output('Url', echo.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url);
output('QueueUrl', queue.queueUrl);
output('EffectsUrl', effects.queueUrl);
output('TableName', table.tableName);
output('MachineArn', machine.stateMachineArn);
output('SecretArn', secret.secretArn);
output('BucketName', bucket.bucketName);
output('LogGroup', logGroup.logGroupName);
// A context value that makes the deployment fail, after other resources were made.
if (app.node.tryGetContext('variant') === 'broken') {
  new StringParameter(stack, 'Broken', { parameterName: `${path}/agent`, stringValue: 'taken' }).node.addDependency(
    agent,
  );
}

/**
 * Tries one action with the credentials of a role, and tells whether AWS refused it.
 *
 * An action that is not refused changes nothing, as far as AWS lets it be asked so.
 */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  DecryptCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ScheduleKeyDeletionCommand,
  SignCommand,
} from '@aws-sdk/client-kms';
import {
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import {
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { BedrockRuntimeClient, ConverseCommand } from '../../../shared/adapters/aws/signed/bedrock.ts';
import type { clientConfig } from '../../local/endpoint/index.ts';
import type { Attack } from './attacks.ts';

/** A client of every service that a role of the stack uses. */
export type Clients = ReturnType<typeof clientsOf>;

export function clientsOf(config: ReturnType<typeof clientConfig>) {
  return {
    dynamodb: new DynamoDBClient(config),
    sqs: new SQSClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
    lambda: new LambdaClient(config),
    kms: new KMSClient(config),
    secrets: new SecretsManagerClient(config),
    sfn: new SFNClient(config),
    ssm: new SSMClient(config),
    events: new EventBridgeClient(config),
    bedrock: new BedrockRuntimeClient(config),
  };
}

/** An attack, with the physical name of its resource. */
interface Attempt extends Attack {
  readonly name: string;
  /** The partition key of the table or index. */
  readonly keyName: string;
}

type Try = (clients: Clients, attempt: Attempt) => Promise<unknown>;

const text = (value: string) => ({ S: value });
const rowOf = ({ key }: Attempt) => ({ pk: text(key), sk: text('attacked') });
const tableOf = ({ name }: Attempt): string => name.split('/')[0] ?? '';
/** No row fulfils it: a write that IAM lets through changes nothing. */
const NEVER = { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(pk)' };
/** The least that a model can be asked. */
const QUESTION = {
  messages: [{ role: 'user', content: [{ text: 'attacked' }] }],
  inferenceConfig: { maxTokens: 1 },
} as const;
const ReceiptHandle = 'no-such-handle';

const TRIES: Readonly<Record<string, Try>> = {
  'dynamodb:GetItem': ({ dynamodb }, attempt) =>
    dynamodb.send(
      new GetItemCommand({
        ...{ TableName: attempt.name, Key: rowOf(attempt) },
        ...(attempt.attributes ? projection(attempt.attributes) : {}),
      }),
    ),
  'dynamodb:Query': ({ dynamodb }, attempt) => {
    const [TableName, , IndexName] = attempt.name.split('/');
    const where = {
      KeyConditionExpression: '#key = :key',
      ExpressionAttributeNames: { '#key': attempt.keyName },
      ExpressionAttributeValues: { ':key': text(attempt.key) },
    };
    return dynamodb.send(new QueryCommand({ TableName, ...(IndexName ? { IndexName } : {}), ...where, Limit: 1 }));
  },
  'dynamodb:Scan': ({ dynamodb }, attempt) => {
    const [TableName, , IndexName] = attempt.name.split('/');
    return dynamodb.send(new ScanCommand({ TableName, ...(IndexName ? { IndexName } : {}), Limit: 1 }));
  },
  'dynamodb:BatchGetItem': ({ dynamodb }, attempt) =>
    dynamodb.send(new BatchGetItemCommand({ RequestItems: { [tableOf(attempt)]: { Keys: [rowOf(attempt)] } } })),
  'dynamodb:BatchWriteItem': ({ dynamodb }, attempt) => {
    const DeleteRequest = { Key: rowOf(attempt) };
    return dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [tableOf(attempt)]: [{ DeleteRequest }] } }));
  },
  'dynamodb:PutItem': ({ dynamodb }, attempt) =>
    dynamodb.send(new PutItemCommand({ TableName: attempt.name, Item: rowOf(attempt), ...NEVER })),
  'dynamodb:DeleteItem': ({ dynamodb }, attempt) =>
    dynamodb.send(new DeleteItemCommand({ TableName: attempt.name, Key: rowOf(attempt), ...NEVER })),
  'dynamodb:UpdateItem': ({ dynamodb }, attempt) => {
    const names = attempt.attributes ?? ['attacked'];
    const { ExpressionAttributeNames, ProjectionExpression } = projection(names);
    const UpdateExpression = `REMOVE ${ProjectionExpression}`;
    const update = { TableName: attempt.name, Key: rowOf(attempt), UpdateExpression, ExpressionAttributeNames };
    return dynamodb.send(new UpdateItemCommand({ ...update, ...NEVER }));
  },
  'sqs:SendMessage': ({ sqs }, { name }) => sqs.send(new SendMessageCommand({ QueueUrl: name, MessageBody: '' })),
  'sqs:ReceiveMessage': ({ sqs }, { name }) =>
    sqs.send(new ReceiveMessageCommand({ QueueUrl: name, MaxNumberOfMessages: 11 })),
  'sqs:DeleteMessage': ({ sqs }, { name }) => sqs.send(new DeleteMessageCommand({ QueueUrl: name, ReceiptHandle })),
  'sqs:ChangeMessageVisibility': ({ sqs }, { name }) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: name, ReceiptHandle, VisibilityTimeout: 0 })),
  'sqs:GetQueueAttributes': ({ sqs }, { name }) =>
    sqs.send(new GetQueueAttributesCommand({ QueueUrl: name, AttributeNames: ['QueueArn'] })),
  'sqs:GetQueueUrl': ({ sqs }, { name }) => sqs.send(new GetQueueUrlCommand({ QueueName: name.split('/').at(-1) })),
  'sqs:PurgeQueue': ({ sqs }, { name }) => sqs.send(new PurgeQueueCommand({ QueueUrl: name })),
  'sqs:SetQueueAttributes': ({ sqs }, { name }) =>
    sqs.send(new SetQueueAttributesCommand({ QueueUrl: name, Attributes: { VisibilityTimeout: '43201' } })),
  's3:GetObject': ({ s3 }, { name, key }) => s3.send(new GetObjectCommand({ Bucket: name, Key: key })),
  's3:PutObject': ({ s3 }, { name, key }) => s3.send(new PutObjectCommand({ Bucket: name, Key: key, Body: '' })),
  's3:DeleteObject': ({ s3 }, { name, key }) => s3.send(new DeleteObjectCommand({ Bucket: name, Key: key })),
  's3:ListBucket': ({ s3 }, { name }) => s3.send(new ListObjectsV2Command({ Bucket: name, MaxKeys: 1 })),
  'lambda:InvokeFunction': ({ lambda }, { name }) =>
    lambda.send(new InvokeCommand({ FunctionName: name, InvocationType: 'DryRun' })),
  'lambda:GetFunctionConfiguration': ({ lambda }, { name }) =>
    lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name })),
  'lambda:GetAlias': ({ lambda }, { name }) =>
    lambda.send(new GetAliasCommand({ FunctionName: name, Name: 'attacked' })),
  'lambda:UpdateFunctionConfiguration': ({ lambda }, { name }) =>
    lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: name })),
  'kms:Decrypt': ({ kms }, { name }) =>
    kms.send(new DecryptCommand({ KeyId: name, CiphertextBlob: Buffer.from('attacked') })),
  'kms:GenerateDataKey': ({ kms }, { name }) =>
    kms.send(new GenerateDataKeyCommand({ KeyId: name, KeySpec: 'AES_256' })),
  'kms:GetPublicKey': ({ kms }, { name }) => kms.send(new GetPublicKeyCommand({ KeyId: name })),
  'kms:ScheduleKeyDeletion': ({ kms }, { name }) =>
    kms.send(new ScheduleKeyDeletionCommand({ KeyId: name, PendingWindowInDays: 1 })),
  'kms:Sign': ({ kms }, { name }) =>
    kms.send(new SignCommand({ KeyId: name, Message: Buffer.from('attacked'), SigningAlgorithm: 'ED25519_SHA_512' })),
  'secretsmanager:GetSecretValue': ({ secrets }, { name }) =>
    secrets.send(new GetSecretValueCommand({ SecretId: name })),
  'secretsmanager:DescribeSecret': ({ secrets }, { name }) =>
    secrets.send(new DescribeSecretCommand({ SecretId: name })),
  'secretsmanager:PutSecretValue': ({ secrets }, { name }) =>
    secrets.send(new PutSecretValueCommand({ SecretId: name })),
  'states:StartExecution': ({ sfn }, { name }) =>
    sfn.send(new StartExecutionCommand({ stateMachineArn: name, input: 'no JSON' })),
  'states:SendTaskFailure': ({ sfn }) => sfn.send(new SendTaskFailureCommand({ taskToken: 'attacked' })),
  'states:SendTaskSuccess': ({ sfn }) => sfn.send(new SendTaskSuccessCommand({ taskToken: 'attacked', output: '{}' })),
  'states:StopExecution': ({ sfn }, { name }) =>
    sfn.send(new StopExecutionCommand({ executionArn: `${name.replace(':stateMachine:', ':execution:')}:attacked` })),
  'ssm:GetParametersByPath': ({ ssm }, { name }) => ssm.send(new GetParametersByPathCommand({ Path: name })),
  'events:PutEvents': ({ events }, { name }) =>
    events.send(new PutEventsCommand({ Entries: [{ EventBusName: name, Source: 'attack' }] })),
  'bedrock:InvokeModel': ({ bedrock }, { name }) => bedrock.send(new ConverseCommand({ modelId: name, ...QUESTION })),
};

function projection(attributes: readonly string[]) {
  const names = Object.fromEntries(attributes.map((name, place) => [`#a${place}`, name]));
  return { ProjectionExpression: Object.keys(names).join(', '), ExpressionAttributeNames: names };
}

/** @throws Error for an action that nothing here tries */
export async function isRefused(clients: Clients, attempt: Attempt): Promise<boolean> {
  const attack = TRIES[attempt.action];
  if (!attack) throw new Error(`no attempt is known for ${attempt.action}`);
  try {
    await attack(clients, attempt);
    return false;
  } catch (error) {
    return /AccessDenied/.test((error as Error).name);
  }
}

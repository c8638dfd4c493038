// Puts roles, users, small functions, queues, tables and machines into the endpoint for its tests.
import { randomUUID } from 'node:crypto';
import { type AttributeDefinition, CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateAccessKeyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  IAMClient,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { CreateFunctionCommand, LambdaClient, waitUntilFunctionActiveV2 } from '@aws-sdk/client-lambda';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { ACCOUNT, clientConfig, type Endpoint } from '../../../../shared/dev/aws/endpoint.ts';
import { zip } from '../zip.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Statement {
  Effect?: 'Allow' | 'Deny';
  Action: string | string[];
  Resource?: string | string[];
  Condition?: Record<string, Record<string, unknown>>;
}

export const uniqueName = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`;

/** The clients of one caller; without credentials the account's root, which may do everything. */
export function clientsOf(endpoint: Endpoint, credentials?: Credentials) {
  const config = { ...clientConfig(endpoint), ...(credentials ? { credentials } : {}), maxAttempts: 1 };
  return {
    dynamodb: new DynamoDBClient(config),
    sqs: new SQSClient(config),
    sfn: new SFNClient(config),
    lambda: new LambdaClient(config),
    iam: new IAMClient(config),
    sts: new STSClient(config),
  };
}

export type Clients = ReturnType<typeof clientsOf>;

const policy = (statements: Statement[]) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: statements.map((statement) => ({ Effect: 'Allow', Resource: '*', ...statement })),
  });

export async function makeUser(root: Clients, statements: Statement[]) {
  const UserName = uniqueName('user');
  const { User } = await root.iam.send(new CreateUserCommand({ UserName }));
  await root.iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'own', PolicyDocument: policy(statements) }));
  const { AccessKey } = await root.iam.send(new CreateAccessKeyCommand({ UserName }));
  return {
    id: String(User?.UserId),
    credentials: {
      accessKeyId: String(AccessKey?.AccessKeyId),
      secretAccessKey: String(AccessKey?.SecretAccessKey),
    } satisfies Credentials,
  };
}

export async function makeRole(root: Clients, statements: Statement[]) {
  const RoleName = uniqueName('role');
  const trusts = [
    { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` } },
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: ['lambda.amazonaws.com', 'states.amazonaws.com'] },
    },
  ];
  const { Role } = await root.iam.send(
    new CreateRoleCommand({
      RoleName,
      AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: trusts }),
    }),
  );
  await root.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'own', PolicyDocument: policy(statements) }));
  return { id: String(Role?.RoleId), arn: String(Role?.Arn) };
}

export async function assume(root: Clients, roleArn: string, session: string): Promise<Credentials> {
  const answer = await root.sts.send(new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: session }));
  const { AccessKeyId, SecretAccessKey, SessionToken } = answer.Credentials ?? {};
  return {
    accessKeyId: String(AccessKeyId),
    secretAccessKey: String(SecretAccessKey),
    sessionToken: String(SessionToken),
  };
}

export const codeOf = (body: string) =>
  zip({ 'index.js': `exports.handler = async (event, context) => {\n${body}\n};` });

/** A Node 24 function whose handler is the body of `async (event, context) => { … }`; `require` is at hand. */
export async function makeFunction(
  root: Clients,
  body: string,
  options: { role?: string; timeout?: number; variables?: Record<string, string>; logGroup?: string } = {},
) {
  const role = options.role ?? (await makeRole(root, [{ Action: '*' }])).arn;
  const { FunctionName, FunctionArn } = await root.lambda.send(
    new CreateFunctionCommand({
      FunctionName: uniqueName('function'),
      Role: role,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: options.timeout ?? 10,
      ...(options.variables ? { Environment: { Variables: options.variables } } : {}),
      ...(options.logGroup ? { LoggingConfig: { LogGroup: options.logGroup } } : {}),
      Code: { ZipFile: codeOf(body) },
    }),
  );
  await waitUntilFunctionActiveV2(
    { client: root.lambda, maxWaitTime: 60, minDelay: 0.1, maxDelay: 1 },
    { FunctionName },
  );
  return { name: String(FunctionName), arn: String(FunctionArn) };
}

export async function makeQueue(root: Clients, attributes: Record<string, string> = {}) {
  const fifo = attributes.FifoQueue === 'true' ? '.fifo' : '';
  const { QueueUrl } = await root.sqs.send(
    new CreateQueueCommand({ QueueName: `${uniqueName('queue')}${fifo}`, Attributes: attributes }),
  );
  const got = await root.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  return { url: String(QueueUrl), arn: String(got.Attributes?.QueueArn) };
}

/** Keys `pk`, `sk`, and an index `byOwner` with the partition key `owner`. */
export async function makeTable(root: Clients) {
  const TableName = uniqueName('table');
  const attribute = (name: string): AttributeDefinition => ({ AttributeName: name, AttributeType: 'S' });
  const { TableDescription } = await root.dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'owner'].map(attribute),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byOwner',
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
  return { name: TableName, arn: String(TableDescription?.TableArn) };
}

export async function makeMachine(root: Clients, definition: object) {
  const { arn } = await makeRole(root, [{ Action: '*' }]);
  const answer = await root.sfn.send(
    new CreateStateMachineCommand({
      name: uniqueName('machine'),
      roleArn: arn,
      definition: JSON.stringify(definition),
    }),
  );
  return String(answer.stateMachineArn);
}

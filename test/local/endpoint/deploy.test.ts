// Deploys a CDK app on the local endpoint with the CDK's own command line.
//
// Everything works that the gate's stack is made of.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient, CreateLogGroupCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateAliasCommand,
  DeleteAliasCommand,
  GetAliasCommand,
  ListAliasesCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendTaskSuccessCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { GetParametersByPathCommand, GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientConfig, deployStack, type Endpoint, localFunctionUrl, startEndpoint, trust } from './index.ts';
import { assume, type Clients, type Credentials, clientsOf, makeFunction, makeUser } from './testing/fixtures.ts';
import { until } from './testing/until.ts';

const APP = `node ${join(import.meta.dirname, 'testing/sample-app.ts')}`;

let endpoint: Endpoint;
let root: Clients;
let folder: string;
let out: Record<string, string>;
let agent: Credentials;
const config = () => ({ ...clientConfig(endpoint), credentials: agent, maxAttempts: 1 });

async function deploy(variant: string): Promise<Record<string, string>> {
  const outputsFile = join(folder, 'outputs.json');
  const outputs = await deployStack(endpoint, {
    app: APP,
    cwd: folder,
    stacks: ['Sample'],
    context: { variant },
    outputsFile,
  });
  expect(JSON.parse(await readFile(outputsFile, 'utf8'))).toEqual(outputs);
  return outputs.Sample ?? {};
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endpoint-deploy-test-'));
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
  out = await deploy('first');
  agent = await assume(root, String(out.AgentArn), 'session');
});
afterAll(async () => {
  await endpoint?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The first effect of the function that fits, taken from its queue. */
const effect = <T>(what: string, fits: (event: Record<string, unknown>) => T | undefined | false, timeoutMs?: number) =>
  until(
    what,
    async () => {
      const QueueUrl = String(out.EffectsUrl);
      const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1 };
      const { Messages } = await root.sqs.send(new ReceiveMessageCommand(input));
      for (const { Body, ReceiptHandle } of Messages ?? []) {
        const found = fits(JSON.parse(String(Body)));
        if (found) await root.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        if (found) return found;
      }
      return undefined;
    },
    timeoutMs,
  );

async function call(path: string, form?: Record<string, string>) {
  const url = localFunctionUrl(endpoint, `${out.Url}${path}`);
  const body = form && new URLSearchParams(form).toString();
  const options = {
    ...trust(endpoint),
    method: form ? 'POST' : 'GET',
    headers: form ? { 'content-type': 'application/x-www-form-urlencoded' } : {},
  };
  const text = await new Promise<string>((done, fail) => {
    const sent = request(url, options, async (response) => done(Buffer.concat(await response.toArray()).toString()));
    sent.on('error', fail).end(body);
  });
  return JSON.parse(text) as { variant: string; event: { rawPath: string; body?: string; isBase64Encoded: boolean } };
}

test("a role's RoleId is the first half of what SQS calls its sender, and its parameter says so", async () => {
  const { sqs } = clientsOf(endpoint, agent);
  const QueueUrl = String(out.QueueUrl);
  await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'a', MessageBody: 'x' }] }));
  const input = { QueueUrl, MessageSystemAttributeNames: ['SenderId' as const] };
  const [message] = (await root.sqs.send(new ReceiveMessageCommand(input))).Messages ?? [];
  expect(message?.Attributes?.SenderId).toBe(`${out.AgentId}:session`);
  const ssm = new SSMClient(config());
  const read = (Path: string) => ssm.send(new GetParametersByPathCommand({ Path, Recursive: true }));
  const { Parameters = [] } = await read('/Sample/senders');
  expect(Object.fromEntries(Parameters.map((parameter) => [parameter.Name, parameter.Value]))).toEqual({
    '/Sample/senders/agent': out.AgentId,
    '/Sample/senders/deep/er': 'below',
  });
  await expect(read('/')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  const some = (Names: string[]) => ssm.send(new GetParametersCommand({ Names }));
  expect((await some(['/Sample/senders/agent'])).Parameters).toHaveLength(1);
  await expect(some(['/Sample/senders/agent', '/other'])).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('whoever may read one alias reads it, and changes, removes or lists none', async () => {
  const { name, arn } = await makeFunction(root, 'return 1;');
  const made = { FunctionName: name, Name: 'live' };
  await root.lambda.send(new CreateAliasCommand({ ...made, FunctionVersion: '$LATEST' }));
  const { lambda } = clientsOf(
    endpoint,
    (await makeUser(root, [{ Action: 'lambda:GetAlias', Resource: arn }])).credentials,
  );
  expect(await lambda.send(new GetAliasCommand(made))).toMatchObject({ FunctionVersion: '$LATEST' });
  await expect(lambda.send(new GetAliasCommand({ ...made, Name: 'other' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  for (const refused of [
    new UpdateAliasCommand({ ...made, Description: 'mine' }),
    new DeleteAliasCommand(made),
    new ListAliasesCommand({ FunctionName: name }),
  ])
    await expect(lambda.send(refused as never)).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('whoever may search one log by its streams searches it, and no other', async () => {
  const admin = new CloudWatchLogsClient(clientConfig(endpoint));
  const arn = (group: string) => `arn:aws:logs:*:*:log-group:${group}`;
  for (const logGroupName of ['mine', 'bare', 'others']) await admin.send(new CreateLogGroupCommand({ logGroupName }));
  const rights = [{ Action: 'logs:FilterLogEvents', Resource: [`${arn('mine')}:*`, arn('bare')] }];
  const logs = new CloudWatchLogsClient({
    ...clientConfig(endpoint),
    credentials: (await makeUser(root, rights)).credentials,
    maxAttempts: 1,
  });
  const search = (logGroupName: string) => logs.send(new FilterLogEventsCommand({ logGroupName }));
  expect((await search('mine')).events).toEqual([]);
  for (const refused of ['bare', 'others'])
    await expect(search(refused)).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('a function URL takes a form base64-encoded, as on AWS', async () => {
  const { event, variant } = await call('slack/events?a=b', { payload: '{"x":1}' });
  expect(variant).toBe('first');
  expect(event).toMatchObject({ rawPath: '/slack/events', isBase64Encoded: true });
  expect(Buffer.from(String(event.body), 'base64').toString()).toBe('payload=%7B%22x%22%3A1%7D');
});

test("a secret and a bucket's prefix are open to whom they were granted", async () => {
  const secrets = new SecretsManagerClient(config());
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: String(out.SecretArn) }));
  expect(JSON.parse(String(SecretString))).toEqual({ bot: 'xoxb', signing: expect.stringMatching(/^.{32}$/) });
  const s3 = new S3Client(config());
  const put = (Key: string) =>
    s3.send(new PutObjectCommand({ Bucket: String(out.BucketName), Key, Body: 'x', IfNoneMatch: '*' }));
  await put('entry/1');
  await expect(put('entry/1')).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect(put('seal/1')).rejects.toMatchObject({ name: 'AccessDenied' });
});

test('a write reaches the function through the stream, and is found through the index', async () => {
  const TableName = String(out.TableName);
  const Item = { pk: { S: 'p' }, sk: { S: 's' }, due: { S: 'yes' }, dueAt: { N: '5' } };
  await root.dynamodb.send(new PutItemCommand({ TableName, Item }));
  const record = await effect(
    'the stream',
    (event) => (event.Records as { eventName: string; dynamodb: object }[] | undefined)?.[0],
  );
  expect(record).toMatchObject({ eventName: 'INSERT', dynamodb: { NewImage: Item } });
  const { Items } = await root.dynamodb.send(
    new QueryCommand({
      TableName,
      IndexName: 'due',
      KeyConditionExpression: 'due = :yes AND dueAt <= :now',
      ExpressionAttributeValues: { ':yes': { S: 'yes' }, ':now': { N: '5' } },
    }),
  );
  expect(Items).toEqual([Item]);
  const logs = new CloudWatchLogsClient(clientConfig(endpoint));
  const filter = new FilterLogEventsCommand({
    logGroupName: String(out.LogGroup),
    filterPattern: '"called by stream"',
  });
  await until('the log', async () => (await logs.send(filter)).events?.length);
});

test('who may answer tasks of one machine answers its tokens', async () => {
  const { sfn } = clientsOf(endpoint, agent);
  await sfn.send(new StartExecutionCommand({ stateMachineArn: String(out.MachineArn), name: 'one', input: '{}' }));
  const taskToken = await effect('the token', (event) => event.token as string | undefined);
  await sfn.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }));
});

describe('deploying again', { timeout: 180_000 }, () => {
  test('changes the environment of functions that have run', async () => {
    expect((await call('')).variant).toBe('first');
    const again = await deploy('second');
    expect(again.AgentId).toBe(out.AgentId);
    expect((await call('')).variant).toBe('second');
  });

  test('after a first deployment that failed, removes what is left of it', async () => {
    const other = await startEndpoint();
    try {
      const options = { app: APP, cwd: folder, stacks: ['Sample'] };
      const failing = deployStack(other, { ...options, context: { variant: 'broken' } });
      await expect(failing).rejects.toMatchObject({
        code: 'endpoint_failed',
        message: expect.stringContaining('cdk deploy failed'),
      });
      const outputs = await deployStack(other, { ...options, context: { variant: 'mended' } });
      expect(outputs.Sample?.AgentId).toMatch(/^AROA/);
    } finally {
      await other.stop();
    }
  });

  test('an app that does not synthesise is one error with its last words', async () => {
    const failing = deployStack(endpoint, { app: `node -e "throw new Error('no such policy file')"`, cwd: folder });
    await expect(failing).rejects.toMatchObject({
      code: 'endpoint_failed',
      message: expect.stringContaining('no such policy file'),
    });
  });
});

// Last, since a rule first fires a minute after it was made.
test('a rule calls the function every minute', { timeout: 90_000 }, async () => {
  const event = await effect('the rule', (found) => found.source === 'aws.events' && found, 80_000);
  expect(event).toMatchObject({ 'detail-type': 'Scheduled Event' });
});

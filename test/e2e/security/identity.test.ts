/** Tests that an agent reads its own decisions only, and speaks only for itself (A2, A13, G40). */
import {
  BatchGetItemCommand,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateAccessKeyCommand, CreateUserCommand, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { pidOf } from '../../../shared/domain/digest.ts';
import { clientConfig } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { recordsOf } from '../harness/rows.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let writer: Agent;
let table: string;
let key: Record<'pk' | 'sk', { S: string }>;
const MEANT = 'pk, sk, verdict, decision';

beforeAll(async () => {
  [builder, writer] = await Promise.all([agentNamed('builder'), agentNamed('writer')]);
  table = (await e2eGate()).outputs.AuditTable;
  const id = await builder.run('git status');
  await builder.wait(id);
  key = { pk: { S: `builder#${builder.pid(id)}` }, sk: { S: 'evaluated' } };
});

const denied = { name: 'AccessDeniedException' };

describe('an agent', () => {
  it('reads its own decision, the attributes that are meant for it', async () => {
    const get = new GetItemCommand({ TableName: table, Key: key, ProjectionExpression: MEANT });
    const { Item } = await builder.dynamodb.send(get);
    expect(Object.keys(Item ?? {}).toSorted()).toEqual(['decision', 'pk', 'sk', 'verdict']);
  });

  it('may not read another agent’s', async () => {
    const get = new GetItemCommand({ TableName: table, Key: key, ProjectionExpression: MEANT });
    await expect(writer.dynamodb.send(get)).rejects.toMatchObject(denied);
  });

  it('may not read the rest of its own entry: not whole, not one attribute more', async () => {
    const whole = new GetItemCommand({ TableName: table, Key: key });
    const more = new GetItemCommand({ TableName: table, Key: key, ProjectionExpression: `${MEANT}, entry` });
    await expect(builder.dynamodb.send(whole)).rejects.toMatchObject(denied);
    await expect(builder.dynamodb.send(more)).rejects.toMatchObject(denied);
  });

  it('may not query, scan, batch-read or change the record', async () => {
    const { dynamodb } = builder;
    const own = { ':pk': key.pk };
    const query = { TableName: table, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: own };
    const update = { TableName: table, Key: key, UpdateExpression: 'REMOVE decision' };
    const batch = { RequestItems: { [table]: { Keys: [key], ProjectionExpression: MEANT } } };
    await expect(dynamodb.send(new QueryCommand({ ...query, ProjectionExpression: MEANT }))).rejects.toMatchObject(
      denied,
    );
    await expect(dynamodb.send(new ScanCommand({ TableName: table }))).rejects.toMatchObject(denied);
    await expect(dynamodb.send(new BatchGetItemCommand(batch))).rejects.toMatchObject(denied);
    await expect(dynamodb.send(new UpdateItemCommand(update))).rejects.toMatchObject(denied);
  });

  it('may not read the state, where approvals and task tokens are', async () => {
    const { outputs } = await e2eGate();
    const Key = { pk: { S: `token#${builder.pid('any')}` }, sk: { S: 'token' } };
    const get = new GetItemCommand({ TableName: outputs.StateTable, Key, ProjectionExpression: 'pk, sk' });
    await expect(builder.dynamodb.send(get)).rejects.toMatchObject(denied);
  });
});

it('a sender that is registered as nobody is answered by no rule: an error on the record, and nothing else', async () => {
  const { root, endpoint, outputs } = await e2eGate();
  const UserName = `nobody-${newId().slice(0, 8)}`;
  await root.iam.send(new CreateUserCommand({ UserName }));
  const Statement = [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await root.iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'send', PolicyDocument }));
  const { AccessKey } = await root.iam.send(new CreateAccessKeyCommand({ UserName }));
  const credentials = { accessKeyId: AccessKey?.AccessKeyId ?? '', secretAccessKey: AccessKey?.SecretAccessKey ?? '' };
  const nobody = new SQSClient({ ...clientConfig(endpoint), credentials });
  const proposalId = newId();
  const MessageBody = JSON.stringify({ proposalId, toolName: 'Bash', input: { command: 'git status' } });
  await nobody.send(new SendMessageCommand({ QueueUrl: outputs.ProposalsQueueUrl, MessageBody }));
  const pid = pidOf(outputs.Deployment, '-unregistered', proposalId);
  const [record] = await until('the record of the refusal', async () => {
    const records = await recordsOf('-unregistered', pid);
    return records.length ? records : undefined;
  });
  expect(record?.entry).toMatchObject({ outcome: 'error', reasonCode: 'unregistered_sender' });
});

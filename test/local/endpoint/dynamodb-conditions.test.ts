// Checks the DynamoDB condition keys of the local endpoint.
//
// Keys bind an agent to its own rows (A13) and a function to its row types.
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Endpoint, startEndpoint } from './index.ts';
import { type Clients, clientsOf, makeTable, makeUser } from './testing/fixtures.ts';

let endpoint: Endpoint;
let root: Clients;
let TableName: string;
let arn: string;

beforeAll(async () => {
  endpoint = await startEndpoint();
  root = clientsOf(endpoint);
  ({ name: TableName, arn } = await makeTable(root));
  for (const agent of ['a', 'b']) {
    const Item = {
      pk: { S: `${agent}#1` },
      sk: { S: 'decided' },
      verdict: { S: 'allow' },
      secret: { S: 's' },
      owner: { S: agent },
    };
    await root.dynamodb.send(new PutItemCommand({ TableName, Item }));
  }
});
afterAll(() => endpoint?.stop());

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'decided' } });
const ALLOWED = 'allowed';
const DENIED = 'AccessDeniedException';
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => ALLOWED,
    (error: Error) => error.name,
  );

describe('an agent that may read only certain attributes of its own rows', () => {
  let agent: Clients;
  const projection = { ProjectionExpression: '#v, pk', ExpressionAttributeNames: { '#v': 'verdict' } };

  beforeAll(async () => {
    const user = await makeUser(root, [
      {
        Action: 'dynamodb:GetItem',
        Resource: arn,
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a#*'] },
          'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'verdict', 'decision'] },
          Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
          StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
        },
      },
    ]);
    agent = clientsOf(endpoint, user.credentials);
  });

  const get = (input: object) =>
    outcome(agent.dynamodb.send(new GetItemCommand({ TableName, Key: key('a#1'), ...input })));

  test('reads them', async () => expect(await get(projection)).toBe(ALLOWED));
  test("is refused another agent's row", async () =>
    expect(await get({ ...projection, Key: key('b#1') })).toBe(DENIED));
  test('is refused whole rows', async () => expect(await get({})).toBe(DENIED));
  test('is refused an attribute that is not listed', async () => {
    expect(await get({ ProjectionExpression: 'verdict, secret' })).toBe(DENIED);
    expect(await get({ ProjectionExpression: 'secret.verdict' })).toBe(DENIED);
  });
  test('is refused every other way to the rows', async () => {
    const { dynamodb } = agent;
    const requests = { [TableName]: { Keys: [key('a#1')], ProjectionExpression: 'verdict' } };
    const query = { TableName, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'a#1' } } };
    expect(await outcome(dynamodb.send(new ScanCommand({ TableName })))).toBe(DENIED);
    expect(await outcome(dynamodb.send(new QueryCommand(query)))).toBe(DENIED);
    expect(await outcome(dynamodb.send(new BatchGetItemCommand({ RequestItems: requests })))).toBe(DENIED);
  });
  test('may read in a transaction what it may read alone', async () => {
    const read = (pk: string) =>
      agent.dynamodb.send(
        new TransactGetItemsCommand({
          TransactItems: [{ Get: { TableName, Key: key(pk), ProjectionExpression: 'verdict' } }],
        }),
      );
    expect(await outcome(read('b#1'))).toBe(DENIED);
  });
});

describe('a function that may work on one kind of rows', () => {
  let worker: Clients;
  const actions = [
    'GetItem',
    'BatchGetItem',
    'Query',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'BatchWriteItem',
    'ConditionCheckItem',
  ];

  beforeAll(async () => {
    const user = await makeUser(root, [
      {
        Action: actions.map((action) => `dynamodb:${action}`),
        Resource: [arn, `${arn}/index/*`],
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a#*'] },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      },
    ]);
    worker = clientsOf(endpoint, user.credentials);
  });

  const item = (pk: string) => ({ ...key(pk), verdict: { S: 'deny' } });
  const each: [string, (pk: string) => Promise<unknown>][] = [
    ['GetItem', (pk) => worker.dynamodb.send(new GetItemCommand({ TableName, Key: key(pk) }))],
    [
      'BatchGetItem',
      (pk) =>
        worker.dynamodb.send(
          new BatchGetItemCommand({
            RequestItems: { [TableName]: { Keys: [key('a#3'), key(pk)] } },
          }),
        ),
    ],
    [
      'Query',
      (pk) =>
        worker.dynamodb.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: '#k = :p',
            ExpressionAttributeNames: { '#k': 'pk' },
            ExpressionAttributeValues: { ':p': { S: pk } },
          }),
        ),
    ],
    ['PutItem', (pk) => worker.dynamodb.send(new PutItemCommand({ TableName, Item: item(pk) }))],
    [
      'UpdateItem',
      (pk) =>
        worker.dynamodb.send(
          new UpdateItemCommand({
            TableName,
            Key: key(pk),
            UpdateExpression: 'SET verdict = :v',
            ExpressionAttributeValues: { ':v': { S: 'x' } },
          }),
        ),
    ],
    [
      'BatchWriteItem',
      (pk) =>
        worker.dynamodb.send(
          new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: item(pk) } }] } }),
        ),
    ],
    [
      'TransactWriteItems',
      (pk) =>
        worker.dynamodb.send(
          new TransactWriteItemsCommand({
            TransactItems: [
              { Put: { TableName, Item: item('a#2') } },
              {
                Update: {
                  TableName,
                  Key: key(pk),
                  UpdateExpression: 'SET verdict = :v',
                  ExpressionAttributeValues: { ':v': { S: 'x' } },
                },
              },
            ],
          }),
        ),
    ],
    [
      'ConditionCheck in a transaction',
      (pk) =>
        worker.dynamodb.send(
          new TransactWriteItemsCommand({
            TransactItems: [
              { Put: { TableName, Item: item('a#2') } },
              { ConditionCheck: { TableName, Key: key(pk), ConditionExpression: 'attribute_exists(pk)' } },
            ],
          }),
        ),
    ],
    ['DeleteItem', (pk) => worker.dynamodb.send(new DeleteItemCommand({ TableName, Key: key(pk) }))],
  ];

  test.each(each)('%s is for its own rows', async (_name, request) => {
    expect(await outcome(request('b#1'))).toBe(DENIED);
    expect(await outcome(request('a#1'))).toBe(ALLOWED);
  });

  test("on an index, the index's own partition key counts", async () => {
    const query = (owner: string) =>
      worker.dynamodb.send(
        new QueryCommand({
          TableName,
          IndexName: 'byOwner',
          KeyConditionExpression: 'owner = :o',
          ExpressionAttributeValues: { ':o': { S: owner } },
        }),
      );
    expect(await outcome(query('a#owner'))).toBe(ALLOWED);
    expect(await outcome(query('b#owner'))).toBe(DENIED);
  });
});

test('each item of a transaction needs the action that it does', async () => {
  const user = await makeUser(root, [{ Action: 'dynamodb:PutItem', Resource: arn }]);
  const { dynamodb } = clientsOf(endpoint, user.credentials);
  const put = { Put: { TableName, Item: { ...key('c#1') } } };
  const remove = { Delete: { TableName, Key: key('c#1') } };
  expect(await outcome(dynamodb.send(new TransactWriteItemsCommand({ TransactItems: [put] })))).toBe(ALLOWED);
  expect(
    await outcome(
      dynamodb.send(
        new TransactWriteItemsCommand({
          TransactItems: [put, { ...remove, Delete: { ...remove.Delete, Key: key('c#2') } }],
        }),
      ),
    ),
  ).toBe(DENIED);
});

test('a write that may change certain attributes only is judged by every attribute its expressions name', async () => {
  const user = await makeUser(root, [
    {
      Action: 'dynamodb:UpdateItem',
      Resource: arn,
      Condition: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'votes', 'version'] },
        StringEqualsIfExists: {
          'dynamodb:Select': 'SPECIFIC_ATTRIBUTES',
          'dynamodb:ReturnValues': ['NONE', 'UPDATED_NEW'],
        },
      },
    },
  ]);
  const { dynamodb } = clientsOf(endpoint, user.credentials);
  const update = (input: object) =>
    outcome(
      dynamodb.send(
        new UpdateItemCommand({
          TableName,
          Key: key('d#1'),
          UpdateExpression: 'SET #v.#who = :x ADD version :one',
          ConditionExpression: 'attribute_not_exists(version) OR version < :one',
          ExpressionAttributeNames: { '#v': 'votes', '#who': 'secret' },
          ExpressionAttributeValues: { ':x': { S: 'x' }, ':one': { N: '1' } },
          ...input,
        }),
      ),
    );
  await root.dynamodb.send(new PutItemCommand({ TableName, Item: { ...key('d#1'), votes: { M: {} } } }));
  expect(await update({})).toBe(ALLOWED);
  expect(await update({ ReturnValues: 'ALL_NEW' })).toBe(DENIED);
  expect(await update({ ConditionExpression: 'attribute_not_exists(secret)' })).toBe(DENIED);
  expect(await update({ UpdateExpression: 'SET #who = :x ADD #v :one' })).toBe(DENIED);
});

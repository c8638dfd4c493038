/** Checks that the small client of DynamoDB sends, reads and fails as the SDK's does. */
import * as sdk from '@aws-sdk/client-dynamodb';
import type { HttpResponse } from '@smithy/core/transport';
import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import * as signed from '../../../../../shared/adapters/aws/signed/dynamodb.ts';
import { unicodeText } from '../../../../support/unicode-text.ts';
import { type Answer, OPTIONS, Wire } from './wire.ts';

const ours = (wire: Wire) => new signed.DynamoDBClient({ ...OPTIONS, requestHandler: wire as never });
const theirs = (wire: Wire) => new sdk.DynamoDBClient({ ...OPTIONS, requestHandler: wire as never });

const KEY = { TableName: 'state', Key: { pk: { S: 'a' }, sk: { S: 'b' } } };

/** The error of a promise, as callers see it. */
async function failureOf(sent: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = (await sent.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  )) as Record<string, unknown> & Error;
  const { $metadata, ...fields } = { ...error } as Record<string, unknown>;
  const { httpStatusCode, requestId, attempts } = ($metadata ?? {}) as Record<string, unknown>;
  const { $fault, Item, CancellationReasons } = fields;
  return {
    name: error.name,
    message: error.message,
    $fault,
    Item,
    CancellationReasons,
    httpStatusCode,
    requestId,
    attempts,
  };
}

const text = unicodeText({ maxLength: 8 });
const { attribute } = fc.letrec<{ attribute: sdk.AttributeValue }>((tie) => ({
  attribute: fc.oneof(
    { maxDepth: 3 },
    text.map((S) => ({ S })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => ({ N: String(n) })),
    fc.uint8Array({ maxLength: 40 }).map((B) => ({ B })),
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }).map((BS) => ({ BS })),
    fc.array(text, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true as const }),
    fc.array(tie('attribute'), { maxLength: 3 }).map((L) => ({ L })),
    fc
      .dictionary(fc.oneof(fc.constantFrom('B', 'BS', 'S', 'M'), text), tie('attribute'), { maxKeys: 3 })
      .map((M) => ({ M })),
  ),
}));
const item = fc.dictionary(fc.oneof(fc.constantFrom('B', 'BS', 'S', 'pk'), fc.string({ maxLength: 8 })), attribute, {
  maxKeys: 4,
  noNullPrototype: true,
});

afterEach(() => void vi.restoreAllMocks());

test('an item is written as the SDK writes it, and read as the SDK reads it', async () => {
  await fc.assert(
    fc.asyncProperty(item, async (Item) => {
      const wires = [new Wire({ body: '{}' }), new Wire({ body: '{}' })] as const;
      await ours(wires[0]).send(new signed.PutItemCommand({ TableName: 'state', Item }));
      await theirs(wires[1]).send(new sdk.PutItemCommand({ TableName: 'state', Item }));
      const [mine, other] = wires.map(({ requests }) => JSON.parse(String(requests[0]?.body)));
      expect(mine).toEqual(other);
      const body = JSON.stringify({ Item: mine.Item });
      const read = await ours(new Wire({ body })).send(new signed.GetItemCommand(KEY));
      const readBySdk = await theirs(new Wire({ body })).send(new sdk.GetItemCommand(KEY));
      expect(read.Item).toEqual(readBySdk.Item);
    }),
    { numRuns: 100 },
  );
});

test('a Buffer is bytes too', async () => {
  const wire = new Wire({ body: '{}' });
  await ours(wire).send(new signed.PutItemCommand({ TableName: 'state', Item: { digest: { B: Buffer.from('abc') } } }));
  expect(JSON.parse(String(wire.requests[0]?.body)).Item).toEqual({ digest: { B: 'YWJj' } });
});

test('the signature is the SDK’s', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 26), toFake: ['Date'] });
  try {
    const wires = [new Wire({ body: '{}' }), new Wire({ body: '{}' })] as const;
    await ours(wires[0]).send(new signed.GetItemCommand(KEY));
    await theirs(wires[1]).send(new sdk.GetItemCommand(KEY));
    const [mine, other] = wires.map(({ requests }) => requests[0]);
    for (const header of ['x-amz-target', 'content-type', 'x-amz-security-token', 'x-amz-date', 'host'])
      expect([header, mine?.headers[header]]).toEqual([header, other?.headers[header]]);
    expect(mine?.headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261126\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=[\w;-]*host;[\w;-]*x-amz-target, Signature=[0-9a-f]{64}$/,
    );
  } finally {
    vi.useRealTimers();
  }
});

const V = 'com.amazonaws.dynamodb.v20120810';
const requestId = { 'x-amzn-requestid': 'R1' };
const FAILURES: readonly (readonly [string, Answer])[] = [
  [
    'a condition that did not hold',
    {
      status: 400,
      headers: requestId,
      body: `{"__type":"${V}#ConditionalCheckFailedException","message":"The conditional request failed"}`,
    },
  ],
  [
    'the same with the row',
    {
      status: 400,
      body: `{"__type":"${V}#ConditionalCheckFailedException","Message":"no","Item":{"pk":{"S":"a"},"b":{"B":"YWJj"}}}`,
    },
  ],
  [
    'a cancelled transaction',
    {
      status: 400,
      body: `{"__type":"${V}#TransactionCanceledException","Message":"cancelled","CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"no","Item":{"pk":{"S":"a"}}}]}`,
    },
  ],
  ['a conflict', { status: 400, body: `{"__type":"${V}#TransactionConflictException","message":"conflict"}` }],
  [
    'a refused right',
    {
      status: 400,
      headers: requestId,
      body: '{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized"}',
    },
  ],
  ['a missing table', { status: 400, body: `{"__type":"${V}#ResourceNotFoundException","message":"no table"}` }],
  [
    'a throttle, three times',
    { status: 400, body: `{"__type":"${V}#ProvisionedThroughputExceededException","message":"slow down"}` },
  ],
  [
    'a fault of the service, three times',
    { status: 500, headers: requestId, body: `{"__type":"${V}#InternalServerError","message":"oh"}` },
  ],
  ['a code of a kind that nobody knows', { status: 400, body: '{"__type":"NewException","message":"new"}' }],
  [
    'a code in the header alone',
    { status: 400, headers: { 'x-amzn-errortype': 'ValidationException:http://x' }, body: '{"message":"no"}' },
  ],
];

// Side by side, since both clients pause before they try again.
test.concurrent.each(FAILURES)('%s is the error that the SDK throws', async (_, answer) => {
  const [wire, other] = [new Wire(answer), new Wire(answer)];
  const [failure, theirFailure] = await Promise.all([
    failureOf(ours(wire).send(new signed.GetItemCommand(KEY))),
    failureOf(theirs(other).send(new sdk.GetItemCommand(KEY))),
  ]);
  expect(failure).toEqual(theirFailure);
  expect(wire.requests).toHaveLength(other.requests.length);
});

test('errors that adapters know are of the classes that they compare with', async () => {
  const sent = (body: string) => ours(new Wire({ status: 400, body })).send(new signed.GetItemCommand(KEY));
  const { ConditionalCheckFailedException, TransactionCanceledException, TransactionConflictException } = signed;
  const classes = { ConditionalCheckFailedException, TransactionCanceledException, TransactionConflictException };
  for (const [name, made] of Object.entries(classes))
    await expect(sent(`{"__type":"${V}#${name}"}`)).rejects.toBeInstanceOf(made);
  await expect(sent('{"__type":"Other"}')).rejects.not.toBeInstanceOf(signed.ConditionalCheckFailedException);
});

test.each([
  ['a throttle', { status: 400, body: '{"__type":"a#ThrottlingException"}' }],
  ['a fault of the service', { status: 503, body: '<html>no JSON</html>' }],
  ['a connection that broke', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ['a time-out', Object.assign(new Error('too late'), { name: 'TimeoutError' })],
] as const)('%s is tried again, under a signature of its own', async (_, first) => {
  const wire = new Wire(first, { body: '{"Item":{"pk":{"S":"a"}}}' });
  expect((await ours(wire).send(new signed.GetItemCommand(KEY))).Item).toEqual({ pk: { S: 'a' } });
  expect(wire.requests).toHaveLength(2);
});

test('a transaction that is sent again has its name, which no other has', async () => {
  const lost = Object.assign(new Error('too late'), { name: 'TimeoutError' });
  for (const client of [ours, theirs]) {
    const wire = new Wire(lost, { body: '{}' });
    const { TransactWriteItemsCommand } = client === ours ? (signed as unknown as typeof sdk) : sdk;
    const made = client(wire) as sdk.DynamoDBClient;
    const write = { TransactItems: [{ Delete: KEY }] };
    await made.send(new TransactWriteItemsCommand(write));
    await made.send(new TransactWriteItemsCommand(write));
    await made.send(new TransactWriteItemsCommand({ ...write, ClientRequestToken: 'a name' }));
    const bodies = wire.requests.map(({ body }) => JSON.parse(String(body)));
    const [first, again, other, stated] = bodies.map(({ ClientRequestToken }) => ClientRequestToken);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(stated).toBe('a name');
  }
});

test.each([
  ['a condition', { status: 400, body: `{"__type":"${V}#ConditionalCheckFailedException"}` }],
  ['a refusal', { status: 400, body: '{"__type":"a#AccessDeniedException"}' }],
  ['an answer of another kind', { status: 200, body: 'no JSON' }],
] as const)('%s is not', async (_, first) => {
  const wire = new Wire(first, { body: '{}' });
  await expect(ours(wire).send(new signed.GetItemCommand(KEY))).rejects.toThrow();
  expect(wire.requests).toHaveLength(1);
});

test('a machine whose clock is off signs with the time of the service from then on', async () => {
  const off = 20 * 60_000;
  const date = new Date(Date.now() + off).toUTCString();
  const wire = new Wire(
    {
      status: 403,
      headers: { date },
      body: '{"__type":"a#InvalidSignatureException","message":"Signature not yet current"}',
    },
    { headers: { date }, body: '{}' },
  );
  await ours(wire).send(new signed.GetItemCommand(KEY));
  const [before, after] = wire.requests.map(({ headers }) => String(headers['x-amz-date']));
  const ms = (stamp = '') =>
    Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  expect(Math.abs(ms(after) - ms(before) - off)).toBeLessThanOrEqual(2_000);
});

test('a signal ends a request, and the pause before another try', async () => {
  const throttled: Answer = { status: 400, body: '{"__type":"a#ThrottlingException","message":"slow down"}' };
  const wire = new Wire(throttled);
  const ended = AbortSignal.abort();
  await expect(ours(wire).send(new signed.GetItemCommand(KEY), { abortSignal: ended })).rejects.toThrow('abort');
  const control = new AbortController();
  // The longest pause that there is.
  vi.spyOn(Math, 'random').mockReturnValue(0.999);
  const send = ours(wire).send(new signed.GetItemCommand(KEY), { abortSignal: control.signal });
  await vi.waitFor(() => expect(wire.requests).toHaveLength(1), { interval: 5 });
  control.abort();
  await expect(send).rejects.toThrow('slow down');
  expect(wire.requests).toHaveLength(1);
});

test('middleware sees what it sees of the SDK', async () => {
  for (const client of [ours, theirs]) {
    const wire = new Wire(
      { status: 500, headers: { date: 'first' }, body: '{}' },
      { status: 400, headers: { date: 'second' }, body: `{"__type":"${V}#ConditionalCheckFailedException"}` },
    );
    const made = client(wire) as sdk.DynamoDBClient;
    const seen: unknown[] = [];
    made.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          seen.push(commandName, args.input);
          return next(args);
        },
      { step: 'initialize', name: 'watch' },
    );
    made.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        seen.push((result.response as HttpResponse).headers['date']);
        return result;
      },
      { step: 'deserialize', priority: 'low', name: 'clock' },
    );
    const { GetItemCommand } = client === ours ? (signed as unknown as typeof sdk) : sdk;
    await expect(made.send(new GetItemCommand(KEY))).rejects.toThrow();
    expect(seen).toEqual(['GetItemCommand', KEY, 'first', 'second']);
  }
});

test('a function hands its trace on', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'evaluate');
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793');
  try {
    const wire = new Wire({ body: '{}' });
    await ours(wire).send(new signed.GetItemCommand(KEY));
    expect(wire.requests[0]?.headers['X-Amzn-Trace-Id']).toBe('Root=1-5759e988-bd862e3fe1be46a994272793');
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a query is walked to its last page, a limit kept', async () => {
  const wire = new Wire(
    { body: '{"Items":[{"pk":{"S":"a"}}],"LastEvaluatedKey":{"pk":{"S":"a"}}}' },
    { body: '{"Items":[{"pk":{"S":"b"}}]}' },
  );
  const found: unknown[] = [];
  for await (const { Items } of signed.paginateQuery({ client: ours(wire), pageSize: 1 }, { TableName: 'state' }))
    found.push(...(Items ?? []));
  expect(found).toEqual([{ pk: { S: 'a' } }, { pk: { S: 'b' } }]);
  expect(wire.requests.map(({ body }) => JSON.parse(String(body)))).toEqual([
    { TableName: 'state', Limit: 1 },
    { TableName: 'state', Limit: 1, ExclusiveStartKey: { pk: { S: 'a' } } },
  ]);
});

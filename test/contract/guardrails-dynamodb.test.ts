/** The guardrails' state on DynamoDB, as the local endpoint plays it. */
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverClock } from '../../shared/adapters/dynamodb/guardrails/server-clock.ts';
import { dynamoGuardrails } from '../../shared/adapters/dynamodb/guardrails/state.ts';
import { clientConfig, type Endpoint, startEndpoint } from '../local/endpoint/index.ts';
import { guardrailStateContract } from './guardrails.contract.ts';

const TABLE = `guardrails-${process.pid}`;
let endpoint: Endpoint;
const clients: DynamoDBClient[] = [];
const client = () => {
  const made = new DynamoDBClient(clientConfig(endpoint));
  clients.push(made);
  return made;
};

beforeAll(async () => {
  endpoint = await startEndpoint();
  const root = client();
  await root.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client: root, maxWaitTime: 30 }, { TableName: TABLE });
}, 180_000);

afterAll(async () => {
  for (const one of clients) one.destroy();
  await endpoint?.stop();
});

guardrailStateContract('guardrail state on DynamoDB', async () => {
  let now = 1_800_000_000_000;
  const [one, two] = [client(), client()].map((made) => dynamoGuardrails(made, TABLE, () => now).state);
  if (!one || !two) throw new Error('no state');
  const advance = (ms: number) => {
    now += ms;
  };
  return { state: one, other: two, advance };
});

describe('the clock of the table', () => {
  test('GR-015 a process whose clock is a day ahead counts in the window of the server all the same', async () => {
    const dayMs = 86_400_000;
    const made = client();
    const clock = serverClock(made, TABLE, () => Date.now() + dayMs);
    await clock.ready();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(3000);

    const right = dynamoGuardrails(client(), TABLE);
    await right.ready();
    const request = { key: `budget#skew-${Date.now()}`, limit: 10, windowMs: dayMs, amount: 10, atLeast: 10 };
    expect(await right.state.budgets.reserve({ ...request, reservationId: 'r1' })).toMatchObject({ reserved: true });
    const skewed = dynamoGuardrails(made, TABLE, clock.now);
    expect(await skewed.state.budgets.reserve({ ...request, reservationId: 'r2' })).toMatchObject({ reserved: false });
  });

  test('a clock that is right is left alone', async () => {
    const clock = serverClock(client(), TABLE);
    await clock.ready();
    const [before, now, after] = [Date.now(), clock.now(), Date.now()];
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(after);
  });
});

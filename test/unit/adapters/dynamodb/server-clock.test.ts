/** Tests the time that the table's answers state (GR-015). */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverClock } from '../../../../shared/adapters/dynamodb/guardrails/server-clock.ts';
import { type FakeAws, fakeAws } from '../../cli/fake-aws.ts';

const HOUR = 3_600_000;
let aws: FakeAws;
let whenAsked: () => void;
const clockBy = (local: () => number) => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint: aws.url, region: 'us-east-1', credentials, maxAttempts: 1 });
  return serverClock(client, 'state', local);
};

beforeAll(async () => {
  aws = await fakeAws({
    GetItem: () => {
      whenAsked();
      return {};
    },
  });
});
afterAll(() => aws?.close());

test('a process that is an hour behind takes the time of the table', async () => {
  whenAsked = () => undefined;
  const clock = clockBy(() => Date.now() - HOUR);
  await clock.ready();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(HOUR / 10);
});

test('an answer that took long, as in a process that was frozen, moves no clock that is right', async () => {
  let frozenMs = 0;
  const local = () => Date.now() + frozenMs;
  whenAsked = () => {
    frozenMs = HOUR;
  };
  const clock = clockBy(local);
  await clock.ready();
  expect(Math.abs(clock.now() - local())).toBeLessThan(HOUR / 10);
});

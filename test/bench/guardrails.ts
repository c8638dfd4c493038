/**
 * Measures the cost of guardrails: in process beside cockatiel and opossum, and on DynamoDB.
 *
 * Also the price of calls to shared state, and the rate of one limiter key on the local endpoint. Figures are printed,
 * not asserted.
 */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import {
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import { dynamoGuardrailState } from '../../shared/adapters/dynamodb/guardrails/state.ts';
import { memoryGuardrailState } from '../../shared/adapters/memory/guardrails/state.ts';
import { Guardrails } from '../../shared/guardrails/pipeline.ts';
import type { GuardedTool } from '../../shared/guardrails/settings/call.ts';
import { loadGuardrails } from '../../shared/guardrails/settings/config.ts';
import type { GuardrailState } from '../../shared/ports/stores/guardrail-state.ts';
import { sleepBy, systemTimers } from '../../shared/ports/timers.ts';
import { clientConfig, startEndpoint } from '../local/endpoint/index.ts';
import { Meter } from './support/meter.ts';
import { PRICES } from './support/prices.ts';
import { decimals, dollars, note, printTable } from './support/print.ts';
import { median, p95 } from './support/stats.ts';
import { unitsOfCalls } from './support/units-of-call.ts';

const CALLS = 5_000;
const ROUNDS = 12;
const WARM_UP = 2;
const SHARED_CALLS = 20;
const KEY_CALLS = 300;
const KEY_AT_ONCE = 20;
const MILLION = 1e6;
const BARE = 'the work alone';

const work = async () => 'done';
const runtime = {
  now: () => Date.now(),
  random: Math.random,
  newId: randomUUID,
  sleep: sleepBy(systemTimers.after),
};

function guarded(state: GuardrailState, environment: Record<string, unknown>, now = runtime.now) {
  const tool: GuardedTool = { name: 'bench', origin: 'local', execute: work };
  const config = loadGuardrails({
    environment: 'bench',
    environments: { bench: { ratePerSecond: 1e6, burst: 1e6, maxConcurrent: 100, ...environment } },
    tools: { bench: { effect: 'IdempotentWrite' } },
  });
  const events = { emit: () => undefined };
  const guardrails = new Guardrails({ config, state, runtime: { ...runtime, now }, events, findTool: () => tool });
  return () => guardrails.invoke({ toolName: 'bench', input: {}, agentId: 'a', idempotencyKey: 'k' });
}

type Call = () => Promise<unknown>;

/** Microseconds of processor time that a call adds, best and median of rounds by turns, so that all share what disturbs the machine. */
async function addedTimes(rows: readonly (readonly [string, Call])[]): Promise<[string, string, string][]> {
  const rounds = new Map<string, number[]>([[BARE, []]]);
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const [name, call] of [[BARE, work], ...rows] as const) {
      const before = process.cpuUsage();
      for (let index = 0; index < CALLS; index++) await call();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) rounds.set(name, [...(rounds.get(name) ?? []), (user + system) / CALLS]);
    }
  const bare = Math.min(...(rounds.get(BARE) ?? []));
  const added = (time: number) => (time - bare).toFixed(1);
  return rows.map(([name]) => {
    const times = rounds.get(name) ?? [];
    return [name, added(Math.min(...times)), added(median(times))];
  });
}

async function inProcess(): Promise<void> {
  const cockatiel = wrap(
    retry(handleAll, { maxAttempts: 2 }),
    circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker: new ConsecutiveBreaker(5) }),
    bulkhead(100, 32),
    timeout(30_000, TimeoutStrategy.Aggressive),
  );
  const opossum = new CircuitBreaker(work, { timeout: 30_000, resetTimeout: 60_000, capacity: 100 });
  const rows = [
    [
      'countersign: time-out, retries, breaker, concurrency, rate',
      guarded(memoryGuardrailState(runtime.now), { maxRetries: 2 }),
    ],
    [
      'countersign: the same with two budgets',
      guarded(memoryGuardrailState(runtime.now), {
        maxRetries: 2,
        costPerCall: 0.000001,
        budget: { costPerDay: 1e8, timeMsPerMinute: 1e12 },
      }),
    ],
    ['cockatiel: time-out, retries, breaker, bulkhead', () => cockatiel.execute(work)],
    ['opossum: time-out, breaker, capacity', () => opossum.fire()],
  ] as const;
  const measured = await addedTimes(rows);
  opossum.shutdown();
  printTable('Added processor time of a call in process (µs)', ['policies', 'best', 'median'], measured);
  note(
    'Neither cockatiel nor opossum resolves layers, tells events, or limits a rate; both keep their state in the process.',
  );
}

async function shared(client: DynamoDBClient, plain: DynamoDBClient, table: string): Promise<void> {
  const meter = new Meter(unitsOfCalls(plain, { state: table, audit: 'none' }));
  meter.watchDynamo(client);
  const rows: (string | number)[][] = [];
  for (const [name, environment] of [
    ['rate, breaker, concurrency', {}],
    ['and two budgets', { costPerCall: 0.01, budget: { costPerDay: 1e6, timeMsPerMinute: 1e9 } }],
  ] as const) {
    const { state, now, ready } = dynamoGuardrailState(client, table);
    await ready();
    const call = guarded(state, environment, now);
    await call();
    meter.calls = [];
    for (let index = 0; index < SHARED_CALLS; index++) await call();
    const each = (pick: (call: (typeof meter.calls)[number]) => number) =>
      meter.calls.reduce((sum, one) => sum + pick(one), 0) / SHARED_CALLS;
    const reads = each(({ billed }) => billed.reads);
    const writes = each(({ billed }) => billed.writes);
    const { perMillionReadUnits, perMillionWriteUnits } = PRICES.dynamodb;
    rows.push([
      name,
      decimals(each(() => 1)),
      decimals(reads),
      decimals(writes),
      dollars(reads * perMillionReadUnits + writes * perMillionWriteUnits),
    ]);
  }
  printTable(
    'A guarded call on shared state',
    ['guardrails', 'SDK calls', 'read units', 'write units', '$ a million'],
    rows,
  );
  note(`List prices of ${PRICES.region}, ${PRICES.asOf}, on demand; a call that ends well and meets nobody else.`);
}

async function oneKey(client: DynamoDBClient, table: string): Promise<void> {
  const { state } = dynamoGuardrailState(client, table, runtime.now);
  const bucket = { key: `rate#bench-${Date.now()}`, ratePerSecond: MILLION, burst: MILLION };
  const times: number[] = [];
  const began = performance.now();
  let left = KEY_CALLS;
  const caller = async () => {
    while (left-- > 0) {
      const start = performance.now();
      await state.rate.take(bucket);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: KEY_AT_ONCE }, caller));
  const seconds = (performance.now() - began) / 1000;
  printTable(
    'One limiter key on the local endpoint',
    ['callers at once', 'decisions a second', 'p50 ms', 'p95 ms'],
    [[KEY_AT_ONCE, Math.round(KEY_CALLS / seconds), median(times).toFixed(1), p95(times).toFixed(1)]],
  );
  note('One conditional write a decision: on AWS a key is one item, which takes 1,000 writes a second (A21).');
}

await inProcess();
const endpoint = await startEndpoint();
const [client, plain] = [new DynamoDBClient(clientConfig(endpoint)), new DynamoDBClient(clientConfig(endpoint))];
try {
  const TableName = `bench-${process.pid}`;
  await plain.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client: plain, maxWaitTime: 30 }, { TableName });
  await oneKey(plain, TableName);
  await shared(client, plain, TableName);
} finally {
  client.destroy();
  plain.destroy();
  await endpoint.stop();
}

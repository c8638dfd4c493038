/** Checks the guardrails' state on DynamoDB, as the local endpoint plays it. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverClock } from '../../../shared/adapters/dynamodb/guardrails/server-clock.ts';
import { dynamoGuardrailState } from '../../../shared/adapters/dynamodb/guardrails/state.ts';
import { CircuitBreaker } from '../../../shared/guardrails/limits/circuit.ts';
import { Guardrails } from '../../../shared/guardrails/pipeline.ts';
import type { GuardedTool } from '../../../shared/guardrails/settings/call.ts';
import { loadGuardrails } from '../../../shared/guardrails/settings/config.ts';
import { budgetKey, toolSlotsKey } from '../../../shared/guardrails/settings/keys.ts';
import { BUILT_IN } from '../../../shared/guardrails/settings/settings.ts';
import type { GuardrailState } from '../../../shared/ports/stores/guardrail-state.ts';
import { sleepBy, systemTimers } from '../../../shared/ports/timers.ts';
import { childEnvironment, clientConfig, type Endpoint } from '../../local/endpoint/index.ts';
import { startOwnDynamo } from '../support/dynamodb.ts';
import { guardrailStateContract } from './guardrails.contract.ts';
import { BUDGET, BURST, CAP, DAY_MS, LEASE_MS, namesOf, OPEN_AND_DUE, takeAll, type What } from './taking.ts';

const TABLE = `guardrails-${process.pid}`;
let endpoint: Endpoint;
const clients: DynamoDBClient[] = [];
const client = () => {
  const made = new DynamoDBClient(clientConfig(endpoint));
  clients.push(made);
  return made;
};

beforeAll(async () => {
  endpoint = await startOwnDynamo();
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

/** Fewer, where only the client is another one: what many at once meet is a matter of the table's conditions. */
const CALLERS = process.env['COUNTERSIGN_CALLERS'];

const onDynamo = async () => {
  let now = 1_800_000_000_000;
  const [one, two] = [client(), client()].map((made) => dynamoGuardrailState(made, TABLE, () => now).state);
  if (!one || !two) throw new Error('no state');
  const advance = (ms: number) => {
    now += ms;
  };
  return { state: one, other: two, advance, now: () => now };
};
guardrailStateContract('guardrail state on DynamoDB', onDynamo, CALLERS ? Number(CALLERS) : undefined);

test('200 calls from four processes: cap, bucket, budget and breaker hold together, and nothing stays behind', async () => {
  const toolName = `t-${Date.now()}`;
  const config = loadGuardrails({
    environment: 'test',
    environments: {
      test: {
        timeoutMs: 60_000,
        maxConcurrent: 4,
        maxQueue: 100,
        ratePerSecond: 0.001,
        burst: 60,
        costPerCall: 1,
        budget: { costPerDay: 40 },
      },
    },
  });
  let [running, most, ran] = [0, 0, 0];
  const tool: GuardedTool = {
    name: toolName,
    origin: 'local',
    execute: async () => {
      most = Math.max(most, ++running);
      ran++;
      await setImmediate();
      running--;
    },
  };
  const processes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { state, now, ready } = dynamoGuardrailState(client(), TABLE);
      await ready();
      const runtime = { now, random: Math.random, newId: randomUUID, sleep: sleepBy(systemTimers.after) };
      const events = { emit: () => {} };
      const guardrails = new Guardrails({ config, state, runtime, events, findTool: () => tool, agentShare: true });
      return { guardrails, state };
    }),
  );
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, i) => {
      const { guardrails } = processes[i % 4] ?? {};
      if (!guardrails) throw new Error('no process');
      return guardrails.invoke({ toolName, input: {}, agentId: `a${i % 5}` });
    }),
  );
  const { state } = processes[0] as { state: GuardrailState };
  const codes = Map.groupBy(results, ({ error }) => error?.code ?? 'Ok');
  expect(codes.get('Ok')).toHaveLength(ran);
  expect(
    [...codes.keys()].every((code) => ['Ok', 'BudgetExceeded', 'RateLimited', 'ConcurrencyLimited'].includes(code)),
  ).toBe(true);
  expect(ran).toBeGreaterThan(0);
  expect(ran).toBeLessThanOrEqual(40);
  expect(most).toBeLessThanOrEqual(4);
  // The environment's budget is one counter for all tools of this table; only this test uses it.
  expect(await state.budgets.spent(budgetKey('environment:test', 'cost'), 86_400_000)).toBe(ran * 1e6);
  expect(await state.slots.inUse(toolSlotsKey({ toolName, origin: 'local' }, ''))).toBe(0);
  for (const { guardrails } of processes) expect(guardrails.admission.slots.waiting).toBe(0);
}, 120_000);

test('a process that is killed in the middle of it: no guardrail gives one too many, and what the dead held comes free', async () => {
  const key = `killed-${Date.now()}`;
  const { bucket, slots, budget, circuit } = namesOf(key);
  let later = 0;
  const now = () => Date.now() + later;
  const sides = Array.from({ length: 3 }, () => dynamoGuardrailState(client(), TABLE, now).state);
  const state = sides[0] as GuardrailState;
  await state.circuits.save(circuit, OPEN_AND_DUE, 0);
  const took: What[] = [];
  const program = fileURLToPath(new URL('./holders.ts', import.meta.url));
  const child = spawn(process.execPath, [program, TABLE, key, '8'], {
    env: childEnvironment(endpoint),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const dead = new Promise((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line === 'ready') return resolve();
      took.push(line as What);
      // As soon as it holds something, with nearly all of its requests under way.
      if (took.filter((what) => what === 'slot').length === 2) child.kill('SIGKILL');
    });
  });
  const living = Array.from({ length: 12 }, (_, index) =>
    takeAll({ state: sides[index % 3] ?? state, now }, key, `alive-${index}`, (what) => took.push(what)),
  );
  await Promise.all(living);
  // The living may have been faster, and left it nothing.
  child.kill('SIGKILL');
  await dead;
  const counted = (what: What) => took.filter((one) => one === what).length;
  expect(counted('token')).toBeLessThanOrEqual(BURST);
  expect(counted('slot')).toBeLessThanOrEqual(CAP);
  expect(counted('unit')).toBeLessThanOrEqual(BUDGET);
  expect(counted('probe')).toBe(1);
  expect(counted('token')).toBeGreaterThan(0);
  // Reservations of dead processes stay charged: towards refusal, and never beyond the limit.
  const spent = await state.budgets.spent(budget.key, DAY_MS);
  expect(spent).toBeGreaterThanOrEqual(counted('unit'));
  expect(spent).toBeLessThanOrEqual(BUDGET);
  expect(await state.slots.inUse(slots.key)).toBeLessThanOrEqual(CAP);

  later = LEASE_MS + 1_000;
  expect(await state.slots.inUse(slots.key)).toBe(0);
  const again = await Promise.all(
    Array.from({ length: CAP + 1 }, (_, index) =>
      state.slots.acquire({ ...slots, agent: 'a', holder: `new-${index}` }),
    ),
  );
  expect(again.filter(({ acquired }) => acquired)).toHaveLength(CAP);
  const runtime = { now, random: Math.random, newId: () => 'new', sleep: (ms: number) => setTimeout(ms) };
  expect(await new CircuitBreaker(state.circuits, runtime).admit(circuit, BUILT_IN, LEASE_MS)).toMatchObject({
    admitted: true,
  });
  expect((await state.rate.take({ ...bucket, key: `${bucket.key}-other` })).admitted).toBe(true);
}, 60_000);

describe('a write that the SDK sends twice', () => {
  /** The first answer to each write is lost on the way back, after the table did it. */
  const forgetful = () => {
    const made = client();
    const lost = new Set<unknown>();
    made.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        if (!lost.has(args.input) && 'UpdateExpression' in args.input) {
          lost.add(args.input);
          throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
        }
        return result;
      },
      { step: 'deserialize', priority: 'low', name: 'loseFirstAnswer' },
    );
    return { state: dynamoGuardrailState(made, TABLE, () => 1_800_000_000_000).state, lost };
  };

  test('GR-013 counts once: reservations, settlements, slots, circuits', async () => {
    const { state, lost } = forgetful();
    const id = `twice-${Date.now()}`;
    const window = { key: `budget#${id}`, limit: 100, windowMs: 60_000 };
    const first = await state.budgets.reserve({ ...window, reservationId: 'r1', amount: 40, atLeast: 40 });
    expect(first).toMatchObject({ reserved: true, reservation: { amount: 40 } });
    const second = await state.budgets.reserve({ ...window, reservationId: 'r2', amount: 40, atLeast: 40 });
    expect(second).toMatchObject({ reserved: true });
    expect(await state.budgets.spent(window.key, window.windowMs)).toBe(80);
    if (first.reserved) await state.budgets.closeReservation(first.reservation, 10);
    expect(await state.budgets.spent(window.key, window.windowMs)).toBe(50);

    const slots = { key: `slots#${id}`, limit: 1, agent: 'a', holder: 'h1', leaseMs: 1000 };
    const lease = await state.slots.acquire(slots);
    expect(lease).toMatchObject({ acquired: true });
    if (lease.acquired) await state.slots.release(lease.lease);
    expect(await state.slots.inUse(slots.key)).toBe(0);

    const row = { state: 'closed', epoch: 0, failures: 1, results: [], probeAt: 0, probes: [] } as const;
    expect(await state.circuits.save(`circuit#${id}`, row, 0)).toBe(true);
    expect(await state.circuits.save(`circuit#${id}`, row, 1)).toBe(true);
    expect(lost.size).toBeGreaterThanOrEqual(7);
  });

  test('a token may be lost to it, never won', async () => {
    const { state } = forgetful();
    const bucket = { key: `rate#twice-${Date.now()}`, ratePerSecond: 1, burst: 4 };
    let admitted = 0;
    for (let i = 0; i < 8; i++) if ((await state.rate.take(bucket)).admitted) admitted++;
    expect(admitted).toBeGreaterThan(0);
    expect(admitted).toBeLessThanOrEqual(4);
  });

  test('a token that is given back is given back once', async () => {
    const { state } = forgetful();
    const reliable = dynamoGuardrailState(client(), TABLE, () => 1_800_000_000_000).state;
    const bucket = { key: `rate#back-${Date.now()}`, ratePerSecond: 1, burst: 4 };
    for (let i = 0; i < 4; i++) expect((await reliable.rate.take(bucket)).admitted).toBe(true);
    await state.rate.refund(bucket);
    expect((await reliable.rate.take(bucket)).admitted).toBe(true);
    expect((await reliable.rate.take(bucket)).admitted).toBe(false);
  });
});

test('who writes slower than a bucket refills, while others take from it, gets its place in line all the same', async () => {
  let now = 1_800_000_000_000;
  const fast = dynamoGuardrailState(client(), TABLE, () => now).state.rate;
  const slow = client();
  const bucket = { key: `rate#overtaken-${Date.now()}`, ratePerSecond: 5, burst: 10 };
  // Each of its writes takes a second, and another's comes just before it.
  slow.middlewareStack.add(
    (next) => async (args) => {
      await fast.take(bucket);
      return next(args).finally(() => {
        now += 1000;
      });
    },
    { step: 'initialize' },
  );
  expect(await dynamoGuardrailState(slow, TABLE, () => now).state.rate.book(bucket, 1, 60_000)).toEqual([0]);
});

describe('the clock of the table', () => {
  test('GR-015 a process whose clock is a day ahead counts in the window of the server all the same', async () => {
    const dayMs = 86_400_000;
    const made = client();
    const clock = serverClock(made, TABLE, () => Date.now() + dayMs);
    await clock.ready();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(3000);

    const right = dynamoGuardrailState(client(), TABLE);
    await right.ready();
    const request = { key: `budget#skew-${Date.now()}`, limit: 10, windowMs: dayMs, amount: 10, atLeast: 10 };
    expect(await right.state.budgets.reserve({ ...request, reservationId: 'r1' })).toMatchObject({ reserved: true });
    const skewed = dynamoGuardrailState(made, TABLE, clock.now);
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

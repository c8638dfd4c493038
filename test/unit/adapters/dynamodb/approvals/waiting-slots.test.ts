/** Checks counters of what waits, while asks are in flight: counted, and in no row of the index yet. */
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  freeSlots,
  QUIET_MS,
  recountWaiting,
  takeSlots,
} from '../../../../../shared/adapters/dynamodb/approvals/waiting-slots.ts';
import { fromItem, type Item, toItem } from '../../../../../shared/adapters/dynamodb/items.ts';

const LIMIT = 5;
const MINUTE = 60_000;
const NAMES = { agents: ['coder'], groups: [] };
const PLACES = [{ kind: 'agent' as const, name: 'coder', most: LIMIT }];

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: {
    readonly UpdateExpression?: string;
    readonly ConditionExpression?: string;
    readonly ExpressionAttributeValues?: Item;
    readonly RequestItems?: Record<string, unknown>;
  };
}

/** One counter, and an index of `indexed` rows that count under it. */
class Table {
  counter: Record<string, unknown> = {};
  indexed = 0;
  /** The answer to each write is lost, and the SDK sends it again. */
  losesAnswers = false;
  readonly client = Object.assign(new DynamoDBClient({ region: 'x' }), {
    send: async (command: Command) => {
      const answer = this.#answer(command);
      return this.losesAnswers && command.input.UpdateExpression ? this.#answer(command) : answer;
    },
  }) as unknown as DynamoDBClient;

  get waiting(): number {
    return Number(this.counter['waiting'] ?? 0);
  }

  take = async (): Promise<boolean> => (await takeSlots(this.client, 'state', PLACES)) === undefined;
  free = () => freeSlots(this.client, 'state', PLACES);
  look = async (now: number) => (await recountWaiting(this.client, 'state', NAMES, now)).corrected;

  #answer({ constructor: { name }, input }: Command): unknown {
    const values = fromItem(input.ExpressionAttributeValues ?? {});
    if (name === 'QueryCommand') {
      const isFirst = values[':partition'] === 'approvals#00';
      const rows = Array.from({ length: isFirst ? this.indexed : 0 }, () => toItem({ counted: 'coder#platform' }));
      return { Items: rows };
    }
    if (name === 'BatchGetItemCommand') {
      const row = toItem({ pk: 'waiting#agent#coder', sk: 'count', ...this.counter });
      return { Responses: { state: Object.keys(this.counter).length ? [row] : [] } };
    }
    const isFull = values[':most'] !== undefined && this.waiting >= Number(values[':most']);
    const isOther =
      input.ConditionExpression?.includes('off') === true &&
      JSON.stringify(this.counter['off']) !== JSON.stringify(values[':was']);
    const isFreed = values[':freed'] !== undefined && this.counter['freed'] === values[':freed'];
    if (isFull || isOther || isFreed) throw new ConditionalCheckFailedException({ message: '', $metadata: {} });
    const { off, ...others } = this.counter;
    const noted = input.UpdateExpression?.includes('REMOVE off') ? undefined : (values[':off'] ?? off);
    this.counter = {
      ...others,
      waiting: this.waiting + Number(values[':more'] ?? 0) + Number(values[':less'] ?? 0),
      changes: Number(this.counter['changes'] ?? 0) + Number(values[':one'] ?? 0),
      ...(noted === undefined ? {} : { off: noted }),
      ...(values[':freed'] === undefined ? {} : { freed: values[':freed'] }),
    };
    return {};
  }
}

test('a place is freed once, though the SDK sends the write again (G34)', async () => {
  const table = new Table();
  for (let taken = 0; taken < LIMIT; taken++) expect(await table.take()).toBe(true);
  table.losesAnswers = true;
  await table.free();
  expect(table.waiting).toBe(LIMIT - 1);
  await table.free();
  expect(table.waiting).toBe(LIMIT - 2);
});

describe('a counter of what waits', () => {
  test('that asks in flight fill at two looks lets nobody else in', async () => {
    const table = new Table();
    for (let ask = 0; ask < LIMIT; ask++) expect(await table.take()).toBe(true);
    expect(await table.look(0)).toBe(0);
    expect(await table.look(MINUTE)).toBe(0);
    table.indexed = LIMIT;
    expect(await table.take()).toBe(false);
  });

  test('that other asks in flight fill at each look is left alone', async () => {
    const table = new Table();
    for (let minute = 0; minute < 10; minute++) {
      expect(await table.take()).toBe(true);
      expect(await table.look(minute * MINUTE)).toBe(0);
      await table.free();
    }
    expect(table.waiting).toBe(0);
  });

  test('never lets more wait than may, and is right once nothing was counted for a while', async () => {
    const step = fc.constantFrom('ask', 'row', 'crash', 'end', 'end and crash', 'look', 'look', 'look');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const table = new Table();
        let now = 0;
        // Each in flight since a time: a function writes its row, or has ended without it, before counters are quiet.
        let inFlight: number[] = [];
        for (const one of steps) {
          now += MINUTE / 2;
          const late = inFlight.filter((since) => now - since >= QUIET_MS - MINUTE);
          table.indexed += late.length;
          inFlight = inFlight.filter((since) => !late.includes(since));
          if (one === 'ask' && (await table.take())) inFlight.push(now);
          if (one === 'row' && inFlight.pop() !== undefined) table.indexed += 1;
          if (one === 'crash') inFlight.pop();
          if (one.startsWith('end') && table.indexed > 0) {
            table.indexed -= 1;
            if (one === 'end') await table.free();
          }
          if (one === 'look') await table.look(now);
          expect(table.indexed + inFlight.length).toBeLessThanOrEqual(LIMIT);
          expect(table.waiting).toBeGreaterThanOrEqual(table.indexed + inFlight.length);
        }
        table.indexed += inFlight.length;
        for (const look of [1, 2, 3]) await table.look(now + look * QUIET_MS);
        expect(table.waiting).toBe(table.indexed);
      }),
      { numRuns: 300 },
    );
  });
});

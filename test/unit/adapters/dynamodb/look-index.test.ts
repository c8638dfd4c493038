/** The index of what is looked at: spread over its shards, and sorted by time as text (A8). */
import type { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { dueRows } from '../../../../shared/adapters/dynamodb/due-rows.ts';
import { DUE_INDEX, toItem } from '../../../../shared/adapters/dynamodb/items.ts';
import { dueAtOf, LOOK_SHARDS, lookOf, lookPartitions } from '../../../../shared/adapters/dynamodb/reconcile-index.ts';
import { sha256Hex } from '../../../../shared/domain/digest.ts';

const PIDS = Array.from({ length: 8_000 }, (_, n) => sha256Hex(`pid ${n}`));

test.each(['approvals', 'permits'] as const)('%s fill their shards evenly, and readers ask each of them', (kind) => {
  const rows = new Map<string, number>();
  for (const pid of PIDS) {
    const { look } = lookOf(kind, 1, pid);
    rows.set(look, (rows.get(look) ?? 0) + 1);
  }
  expect([...rows.keys()].toSorted()).toEqual(lookPartitions(kind));
  expect(rows.size).toBe(LOOK_SHARDS);
  for (const count of rows.values()) expect(count).toBeLessThan((1.25 * PIDS.length) / LOOK_SHARDS);
});

test('times sort as text as they do as numbers, and come back', () => {
  const times = [0, 1, 999, 1_000, 1_795_251_600_000, Number.MAX_SAFE_INTEGER];
  const texts = times.map((time) => lookOf('approvals', time, 'a').lookAt);
  expect(texts.toSorted()).toEqual(texts);
  expect(texts.map(dueAtOf)).toEqual(times);
});

test('a row stays in its shard whatever its time', () => {
  for (const pid of PIDS.slice(0, 100))
    expect(lookOf('permits', 1, pid).look).toBe(lookOf('permits', 2, pid, 'c').look);
});

test('of rows of before the shards, those of one time are all found, in whatever order the index has them', async () => {
  const old = PIDS.slice(0, 40).map((pid, n) => ({ pk: `approval#${pid}`, due: 'due', dueAt: Math.floor(n / 6) }));
  const client = {
    send: async ({ input }: QueryCommand) => {
      const { IndexName, Limit = 0, ExclusiveStartKey, ExpressionAttributeValues: values } = input;
      if (IndexName !== DUE_INDEX) return { Items: [] };
      const from = Number(values?.[':from']?.N);
      const begin = ExclusiveStartKey ? old.findIndex(({ pk }) => pk === ExclusiveStartKey['pk']?.S) + 1 : 0;
      const rows = old.slice(begin).filter(({ dueAt }) => dueAt >= from);
      const page = rows.slice(0, Limit).map((row) => toItem(row));
      return { Items: page, ...(rows.length > Limit ? { LastEvaluatedKey: page.at(-1) } : {}) };
    },
  } as unknown as DynamoDBClient;
  const seen: { readonly pid: string; readonly dueAt: number }[] = [];
  for (;;) {
    const after = seen.at(-1);
    const page = await dueRows(client, 'state', 'approvals', { now: 100, limit: 5, after });
    if (!page.length) break;
    seen.push(...page.map(({ pk, dueAt }) => ({ pid: String(pk).slice('approval#'.length), dueAt })));
  }
  expect(seen.map(({ pid }) => pid).toSorted()).toEqual(PIDS.slice(0, 40).toSorted());
});

describe('a partition that cannot be read', () => {
  const rows = PIDS.slice(0, 40).map((pid, n) => lookOf('approvals', n, pid));
  const bad = lookOf('approvals', 0, PIDS[0] ?? '').look;
  /** Lists all pages, where that partition fails for so many requests. */
  async function listed(failing: number, onFault?: (fault: unknown) => void): Promise<string[]> {
    let failed = 0;
    const client = {
      send: async ({ input }: QueryCommand) => {
        const { Limit = 0, ExpressionAttributeValues: values } = input;
        const look = values?.[':look']?.S;
        if (look === bad && failed++ < failing) throw new Error('throttled');
        const its = rows.filter((row) => row.look === look && row.lookAt > (values?.[':from']?.S ?? ''));
        const page = its
          .toSorted((one, other) => (one.lookAt < other.lookAt ? -1 : 1))
          .slice(0, Limit)
          .map((row) => toItem(row));
        return { Items: page, ...(its.length > Limit ? { LastEvaluatedKey: page.at(-1) } : {}) };
      },
    } as unknown as DynamoDBClient;
    const seen: string[] = [];
    for (let after: { pid: string; dueAt: number } | undefined; ; ) {
      const page = await dueRows(client, 'state', 'approvals', { now: 100, limit: 5, after, onFault });
      if (!page.length) return seen;
      seen.push(...page.map((row) => String(row['lookAt'])));
      const [at = '', pid = ''] = seen.at(-1)?.split('#') ?? [];
      after = { dueAt: Number(at), pid };
    }
  }

  test('keeps nobody else waiting, and is told of', async () => {
    const onFault = vi.fn();
    const seen = await listed(Number.POSITIVE_INFINITY, onFault);
    const others = rows.filter(({ look }) => look !== bad);
    expect(seen.toSorted()).toEqual(others.map(({ lookAt }) => lookAt).toSorted());
    expect(onFault).toHaveBeenCalledWith(new Error('throttled'));
  });

  test('is told of though it can be read again before the last page', async () => {
    const onFault = vi.fn();
    expect((await listed(1, onFault)).length).toBeLessThan(rows.length);
    expect(onFault).toHaveBeenCalledOnce();
  });

  test('is a fault to whoever asks for all rows', async () => {
    await expect(listed(1)).rejects.toThrow('throttled');
  });
});

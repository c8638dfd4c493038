/** Indexes the rows that the reconciler has to look after: sharded, with few of their fields. */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { Approval } from '../../contract/approval.ts';
import { countedUnder } from '../../domain/approval/approval.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { DUE_INDEX, fromItem, type Item, toItem } from './items.ts';

export const LOOK_INDEX = 'byLook';
/** Besides the keys; `cdk/` makes the index of the same. A write of anything else leaves the index alone. */
export const LOOK_ATTRIBUTES = ['failures', 'quietUntil', 'counted'] as const;
/**
 * A partition of DynamoDB takes 1,000 write units a second, and an index that takes fewer holds up the writes of its table. Changing this
 * number moves no row: add the shards of before to those that readers ask.
 */
export const LOOK_SHARDS = 16;
export type LookKind = 'approvals' | 'permits';

const partitionOf = (kind: LookKind, shard: number): string => `${kind}#${String(shard).padStart(2, '0')}`;
export const lookPartitions = (kind: LookKind): string[] =>
  Array.from({ length: LOOK_SHARDS }, (_, shard) => partitionOf(kind, shard));

/** The attributes of a row that is looked at at `dueAt`. The time sorts as text, and rows of one time by their ids. */
export function lookOf(kind: LookKind, dueAt: number, pid: string, callId?: string): { look: string; lookAt: string } {
  const shard = Number.parseInt(sha256Hex(pid).slice(0, 4), 16) % LOOK_SHARDS;
  return { look: partitionOf(kind, shard), lookAt: timeOf(dueAt, pid, callId) };
}

const timeOf = (dueAt: number, pid: string, callId?: string): string =>
  [String(Math.max(0, Math.floor(dueAt))).padStart(16, '0'), pid, ...(callId === undefined ? [] : [callId])].join('#');

export const dueAtOf = (lookAt: unknown): number => Number(String(lookAt).slice(0, 16));

/** Under whose limits a waiting approval counts, and since when. One that was decided counts under none. */
export const countedOf = (approval: Approval): string =>
  `${approval.agent}#${countedUnder(approval)}#${Date.parse(approval.requestedAt)}`;
export const NOT_COUNTED = '-';

/** Undefined for one that counts under none, and for rows of before there was the attribute. */
export function readCounted(counted: unknown): Counted | undefined {
  if (typeof counted !== 'string' || counted === NOT_COUNTED) return undefined;
  const [agent = '', group = '', since = ''] = counted.split('#');
  return { agent, group, ...(since === '' ? {} : { since: Number(since) }) };
}

interface Counted {
  readonly agent: string;
  readonly group: string;
  /** Milliseconds since 1970; absent in rows of the previous release. */
  readonly since?: number;
}

/** Before the partitions were sharded: the index over whole rows, and its partitions. Rows of then stand there until they change. */
export const UNSHARDED: Readonly<Record<LookKind, string>> = { approvals: 'due', permits: 'permits' };

/** A row as one of the indexes has it. */
export type Looked = Readonly<Record<string, unknown>> & { readonly dueAt: number };

interface Found {
  /** Sorts among the rows of all partitions. */
  readonly at: string;
  readonly row: Looked;
}

/** The next rows of one partition; `more`: it may have others after these. */
interface Part {
  readonly found: readonly Found[];
  readonly hasMore: boolean;
}

interface After {
  readonly dueAt: number;
  readonly pid: string;
  readonly callId?: string;
}

/**
 * The oldest rows that are due, from all partitions; after the one given. At most `limit` and at least one if there is any: a partition that
 * has more than it gave bounds the page.
 */
export async function dueRows(
  client: DynamoDBClient,
  table: string,
  kind: LookKind,
  { now, limit, after }: { readonly now: number; readonly limit: number; readonly after?: After | undefined },
): Promise<Looked[]> {
  const last = after && timeOf(after.dueAt, after.pid, after.callId);
  const each = Math.max(1, Math.ceil((2 * limit) / LOOK_SHARDS));
  const parts = await Promise.all([
    ...lookPartitions(kind).map((partition) => sharded(client, table, { partition, now, limit: each, last })),
    unsharded(client, table, kind, { now, limit: each, after, last }),
  ]);
  const bound = parts
    .flatMap(({ found, hasMore }) => (hasMore ? [found.at(-1)?.at ?? ''] : []))
    .reduce<string | undefined>((least, at) => (least === undefined || at < least ? at : least), undefined);
  return parts
    .flatMap(({ found }) => found)
    .filter(({ at }) => bound === undefined || at <= bound)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, limit)
    .map(({ row }) => row);
}

async function sharded(
  client: DynamoDBClient,
  table: string,
  { partition, now, limit, last }: { partition: string; now: number; limit: number; last: string | undefined },
): Promise<Part> {
  const page = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: LOOK_INDEX,
      KeyConditionExpression: 'look = :look AND lookAt BETWEEN :from AND :to',
      // The least text after the last one, and one after all of this time.
      ExpressionAttributeValues: toItem({
        ':look': partition,
        ':from': last === undefined ? '0' : `${last}!`,
        ':to': `${timeOf(now, '~')}`,
      }),
      Limit: limit,
    }),
  );
  const found = (page.Items ?? []).map((item) => {
    const row = fromItem(item);
    return { at: String(row['lookAt']), row: { ...row, dueAt: dueAtOf(row['lookAt']) } };
  });
  return { found, hasMore: found.length > 0 && page.LastEvaluatedKey !== undefined };
}

/** Rows of one time have no order there: a page ends between two times only. */
async function unsharded(
  client: DynamoDBClient,
  table: string,
  kind: LookKind,
  { now, limit, after, last }: { now: number; limit: number; after: After | undefined; last: string | undefined },
): Promise<Part> {
  const found: Found[] = [];
  let start: Item | undefined;
  let whole: Found[] = [];
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: DUE_INDEX,
        KeyConditionExpression: 'due = :due AND dueAt BETWEEN :from AND :now',
        ExpressionAttributeValues: toItem({ ':due': UNSHARDED[kind], ':from': after?.dueAt ?? 0, ':now': now }),
        Limit: limit,
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    for (const item of page.Items ?? []) {
      const row = fromItem(item);
      const [, pid = ''] = String(row['pk']).split('#');
      const at = timeOf(Number(row['dueAt']), pid, kind === 'permits' ? String(row['sk']) : undefined);
      if (last === undefined || at > last) found.push({ at, row: { ...row, dueAt: Number(row['dueAt']) } });
    }
    start = page.LastEvaluatedKey;
    const reached = found.at(-1)?.row.dueAt ?? 0;
    whole = start ? found.filter(({ row }) => row.dueAt < reached) : found;
  } while (start && whole.length < limit);
  const sorted = whole.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return { found: sorted, hasMore: start !== undefined && whole.length > 0 };
}

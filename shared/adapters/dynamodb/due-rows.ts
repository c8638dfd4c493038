/** Reads the rows that are due, oldest first, from all partitions of the look index. */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { DUE_INDEX, fromItem, type Item, toItem } from './items.ts';
import {
  dueAtOf,
  LOOK_INDEX,
  LOOK_SHARDS,
  type LookKind,
  lookPartitions,
  timeOf,
  UNSHARDED,
} from './reconcile-index.ts';

/** A row as one of the indexes has it. */
type Looked = Readonly<Record<string, unknown>> & { readonly dueAt: number };

interface DueRow {
  /** Sorts among the rows of all partitions. */
  readonly at: string;
  readonly row: Looked;
}

/** The next rows of one partition; `hasMore`: it may have others after these. */
interface Part {
  readonly found: readonly DueRow[];
  readonly hasMore: boolean;
}

interface After {
  readonly dueAt: number;
  readonly pid: string;
  readonly callId?: string;
}

interface Page {
  readonly now: number;
  readonly limit: number;
  readonly after?: After | undefined;
  readonly onFault?: ((fault: unknown) => void) | undefined;
}

/**
 * The oldest rows that are due, from all partitions; after the one given. At most `limit` and at least one if there is any: a partition that
 * has more than it gave bounds the page. `onFault` hears of each that cannot be read, which keeps the rows of the others from nobody; its own come in
 * the next run.
 */
export async function dueRows(
  client: DynamoDBClient,
  table: string,
  kind: LookKind,
  { now, limit, after, onFault }: Page,
): Promise<Looked[]> {
  const last = after && timeOf(after.dueAt, after.pid, after.callId);
  const each = Math.max(1, Math.ceil((2 * limit) / LOOK_SHARDS));
  const read = await Promise.allSettled([
    ...lookPartitions(kind).map((partition) => sharded(client, table, { partition, now, limit: each, last })),
    unsharded(client, table, kind, { now, limit: each, after, last }),
  ]);
  const parts: Part[] = [];
  for (const one of read) {
    if (one.status === 'fulfilled') parts.push(one.value);
    else if (onFault) onFault(one.reason);
    else throw one.reason;
  }
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
  const rows: DueRow[] = [];
  let start: Item | undefined;
  let whole: DueRow[] = [];
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
      if (last === undefined || at > last) rows.push({ at, row: { ...row, dueAt: Number(row['dueAt']) } });
    }
    start = page.LastEvaluatedKey;
    const reached = rows.at(-1)?.row.dueAt ?? 0;
    whole = start ? rows.filter(({ row }) => row.dueAt < reached) : rows;
  } while (start && whole.length < limit);
  const sorted = whole.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return { found: sorted, hasMore: start !== undefined && whole.length > 0 };
}

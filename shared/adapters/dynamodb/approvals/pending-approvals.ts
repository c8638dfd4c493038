/** Lists approvals that wait: named by the index, read by key, as `grantAudit` allows. */
import { type DynamoDBClient, paginateQuery, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { Approval } from '../../../contract/approval.ts';
import type { PendingApprovals } from '../../../ports/inbox.ts';
import type { CardProblem } from '../../../ports/stores/approval-store.ts';
import { batchGet } from '../batch-get.ts';
import { approvalKey, DUE_INDEX, fromItem, type Item, toItem } from '../items.ts';
import { approvalFromRow } from '../pack.ts';
import { LOOK_INDEX, lookPartitions, readCounted, UNSHARDED } from '../reconcile-index.ts';

/** As many keys as one request reads. */
const MAX_KEYS = 100;

interface WaitingApproval {
  readonly approval: Approval;
  /** The problem that keeps people from seeing its card, if there is one. */
  readonly cardProblem?: CardProblem | undefined;
}

/** Rows that one look reads at most. People answer fewer at a sitting, and more would not fit Slack's three seconds. */
const MAX_ROWS = 500;

/**
 * Reads approvals that may wait for members of `groups`, in bounded reads however much waits. One page of each partition of the index names
 * rows: those that count under one of the groups are read first, then those whose time comes first. `most`: rows that are read.
 */
export async function pendingApprovals(
  client: DynamoDBClient,
  stateTable: string,
  groups: readonly string[],
  most = MAX_ROWS,
): Promise<PendingApprovals> {
  const { keys, older, hasMore } = await firstPages(client, stateTable);
  const isOurs = ({ counted }: Item) => groups.includes(readCounted(counted?.S)?.group ?? '');
  const byTime = keys.toSorted((a, b) => (a['lookAt']?.S ?? '').localeCompare(b['lookAt']?.S ?? ''));
  const wanted = [...byTime.filter(isOurs), ...byTime.filter((key) => !isOurs(key))].slice(0, most);
  const rows = [...older, ...(await rowsByKey(client, stateTable, wanted))];
  return {
    approvals: waitingIn(rows).map(({ approval }) => approval),
    hasMore: hasMore || wanted.length < keys.length,
  };
}

/** Each partition's first page: the rows whose time comes first. Rows of before the index stand in the older one. */
async function firstPages(client: DynamoDBClient, TableName: string) {
  const first = async (IndexName: string, key: 'look' | 'due', partition: string) => {
    const page = await client.send(
      new QueryCommand({
        TableName,
        IndexName,
        KeyConditionExpression: `${key} = :partition`,
        ExpressionAttributeValues: toItem({ ':partition': partition }),
      }),
    );
    return { items: page.Items ?? [], hasMore: page.LastEvaluatedKey !== undefined };
  };
  const [older, ...parts] = await Promise.all([
    first(DUE_INDEX, 'due', UNSHARDED.approvals),
    ...lookPartitions('approvals').map((partition) => first(LOOK_INDEX, 'look', partition)),
  ]);
  return {
    keys: parts.flatMap(({ items }) => items),
    older: older.items,
    hasMore: [older, ...parts].some((part) => part.hasMore),
  };
}

/**
 * The same, with what an operator has to mend before people see them. A row that cannot be read hides no other: `unreadable` is told of
 * it; the reconciler counts it as well, and an alarm tells of it.
 */
export async function waitingApprovals(
  client: DynamoDBClient,
  stateTable: string,
  unreadable?: (problem: unknown) => void,
): Promise<WaitingApproval[]> {
  return waitingIn(await rowsOf(client, stateTable), unreadable).toSorted(
    ({ approval: a }, { approval: b }) => a.requestedAt.localeCompare(b.requestedAt) || a.pid.localeCompare(b.pid),
  );
}

function waitingIn(rows: readonly Item[], unreadable: (problem: unknown) => void = () => undefined): WaitingApproval[] {
  const found: WaitingApproval[] = [];
  for (const row of rows.map(fromItem))
    try {
      const approval = approvalFromRow(row);
      const cardProblem = row['cardProblem'] as CardProblem | undefined;
      if (approval.status === 'pending') found.push({ approval, ...(cardProblem ? { cardProblem } : {}) });
    } catch (error) {
      unreadable(error);
    }
  return found;
}

/** The index names them; what it leaves out is read by key. Rows of before it stand in the older index as a whole. */
async function rowsOf(client: DynamoDBClient, TableName: string): Promise<Item[]> {
  const older: Item[] = [];
  const keys: Item[] = [];
  const list = async (IndexName: string, key: 'look' | 'due', partition: string, into: Item[]) => {
    const query = {
      TableName,
      IndexName,
      KeyConditionExpression: `${key} = :partition`,
      ExpressionAttributeValues: toItem({ ':partition': partition }),
    };
    for await (const { Items: items = [] } of paginateQuery({ client }, query)) into.push(...items);
  };
  await Promise.all([
    ...lookPartitions('approvals').map((partition) => list(LOOK_INDEX, 'look', partition, keys)),
    list(DUE_INDEX, 'due', UNSHARDED.approvals, older),
  ]);
  return [...older, ...(await rowsByKey(client, TableName, keys))];
}

async function rowsByKey(
  client: DynamoDBClient,
  TableName: string,
  keys: readonly Item[],
  ProjectionExpression = 'pk, sk, approval, additions, cardProblem',
): Promise<Item[]> {
  const pages = Array.from({ length: Math.ceil(keys.length / MAX_KEYS) }, (_, page) =>
    keys.slice(page * MAX_KEYS, (page + 1) * MAX_KEYS),
  );
  const read = await Promise.all(
    pages.map((page) =>
      batchGet(client, {
        [TableName]: {
          Keys: page.flatMap(({ pk, sk }) => (pk && sk ? [{ pk, sk }] : [])),
          ProjectionExpression,
        },
      }),
    ),
  );
  return read.flatMap((one) => one.get(TableName) ?? []);
}

/** Texts of proposals without their secrets, by pid; what is larger than a row is kept elsewhere and left out. */
export async function proposalTexts(
  client: DynamoDBClient,
  TableName: string,
  pids: readonly string[],
): Promise<Map<string, string>> {
  const keys = pids.map((pid) => approvalKey(pid, 'proposal'));
  const rows = await rowsByKey(client, TableName, keys, 'pk, sk, body');
  return new Map(
    rows.flatMap(({ pk, sk, body }): [string, string][] =>
      sk?.S === 'proposal' && body?.S !== undefined ? [[pk?.S?.split('#')[1] ?? '', body.S]] : [],
    ),
  );
}

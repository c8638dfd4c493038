/** Everything that waits for people, named by the index and read by key: what `grantAudit` allows. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { type Approval, approval } from '../../contract/approval.ts';
import { asStored } from '../../contract/stored.ts';
import type { CardProblem } from '../../ports/approval-store.ts';
import { batchGet } from './batch-get.ts';
import { DUE_INDEX, fromItem, type Item, toItem } from './items.ts';
import { LOOK_INDEX, lookPartitions, UNSHARDED } from './look-index.ts';

/** As many keys as one request reads. */
const MAX_KEYS = 100;

export interface WaitingApproval {
  readonly approval: Approval;
  /** The problem that keeps people from seeing its card, if there is one. */
  readonly cardProblem?: CardProblem | undefined;
}

/** Approvals that wait for people, the one that was asked first at the top. */
export async function pendingApprovals(client: DynamoDBClient, stateTable: string): Promise<Approval[]> {
  return (await waitingApprovals(client, stateTable)).map((one) => one.approval);
}

/**
 * The same, with what an operator has to mend before people see them. A row that cannot be read hides no other: `unreadable` is told of
 * it; the reconciler counts it as well, and an alarm tells of it.
 */
export async function waitingApprovals(
  client: DynamoDBClient,
  stateTable: string,
  unreadable: (problem: unknown) => void = () => undefined,
): Promise<WaitingApproval[]> {
  const found: WaitingApproval[] = [];
  for (const item of await rowsOf(client, stateTable)) {
    const { approval: row, cardProblem } = fromItem(item);
    const read = asStored(approval).safeParse(row);
    if (read.success)
      found.push({ approval: read.data, ...(cardProblem ? { cardProblem: cardProblem as CardProblem } : {}) });
    else unreadable(read.error);
  }
  return found
    .filter(({ approval: { status } }) => status === 'pending')
    .toSorted(
      ({ approval: a }, { approval: b }) => a.requestedAt.localeCompare(b.requestedAt) || a.pid.localeCompare(b.pid),
    );
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
  const pages = Array.from({ length: Math.ceil(keys.length / MAX_KEYS) }, (_, page) =>
    keys.slice(page * MAX_KEYS, (page + 1) * MAX_KEYS),
  );
  const read = await Promise.all(
    pages.map((page) =>
      batchGet(client, {
        [TableName]: {
          Keys: page.flatMap(({ pk, sk }) => (pk && sk ? [{ pk, sk }] : [])),
          ProjectionExpression: 'pk, sk, approval, cardProblem',
        },
      }),
    ),
  );
  return [...older, ...read.flatMap((one) => one.get(TableName) ?? [])];
}

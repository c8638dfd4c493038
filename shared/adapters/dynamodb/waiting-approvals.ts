/** How many approvals wait, for the dashboard: counted by the index, read nowhere. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { DUE_INDEX, toItem } from './items.ts';
import { LOOK_INDEX, lookPartitions, UNSHARDED } from './look-index.ts';

/** Ended ones are among them for as long as somebody still has to be told. */
export async function waitingApprovals(client: DynamoDBClient, stateTable: string): Promise<number> {
  const counts = await Promise.all([
    ...lookPartitions('approvals').map((partition) => countIn(client, stateTable, LOOK_INDEX, 'look', partition)),
    countIn(client, stateTable, DUE_INDEX, 'due', UNSHARDED.approvals),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countIn(
  client: DynamoDBClient,
  TableName: string,
  IndexName: string,
  key: 'look' | 'due',
  partition: string,
): Promise<number> {
  let waiting = 0;
  const query = {
    TableName,
    IndexName,
    KeyConditionExpression: `${key} = :partition`,
    ExpressionAttributeValues: toItem({ ':partition': partition }),
    Select: 'COUNT' as const,
  };
  for await (const { Count = 0 } of paginateQuery({ client }, query)) waiting += Count;
  return waiting;
}

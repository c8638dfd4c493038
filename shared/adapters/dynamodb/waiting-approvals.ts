/** How many approvals wait, for the dashboard: counted by the index, read nowhere. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { DUE_INDEX, DUE_PARTITION, toItem } from './items.ts';

/** Ended ones are among them for as long as somebody still has to be told. */
export async function waitingApprovals(client: DynamoDBClient, stateTable: string): Promise<number> {
  let waiting = 0;
  const query = {
    TableName: stateTable,
    IndexName: DUE_INDEX,
    KeyConditionExpression: 'due = :due',
    ExpressionAttributeValues: toItem({ ':due': DUE_PARTITION }),
    Select: 'COUNT' as const,
  };
  for await (const { Count = 0 } of paginateQuery({ client }, query)) waiting += Count;
  return waiting;
}

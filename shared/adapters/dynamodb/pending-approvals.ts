/** Everything that waits for people, read from the index alone: what `grantAudit` allows. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { type Approval, approval } from '../../contract/approval.ts';
import { DUE_INDEX, DUE_PARTITION, fromItem, toItem } from './items.ts';

/** Approvals that wait for people, the one that was asked first at the top. */
export async function pendingApprovals(client: DynamoDBClient, stateTable: string): Promise<Approval[]> {
  const found: Approval[] = [];
  const query = {
    TableName: stateTable,
    IndexName: DUE_INDEX,
    KeyConditionExpression: 'due = :due',
    ExpressionAttributeValues: toItem({ ':due': DUE_PARTITION }),
  };
  for await (const { Items: items = [] } of paginateQuery({ client }, query)) {
    found.push(...items.map((item) => approval.parse(fromItem(item)['approval'])));
  }
  return found
    .filter(({ status }) => status === 'pending')
    .toSorted((a, b) => a.requestedAt.localeCompare(b.requestedAt) || a.pid.localeCompare(b.pid));
}

/** What people read at a terminal: everything that waits, and the newest entries of an agent, through the two indexes. */
import { type DynamoDBClient, GetItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import { type Approval, approval } from '../../contract/approval.ts';
import type { AuditRecord } from '../../ports/audit-log.ts';
import { recordFromItem } from './audit-log.ts';
import { AGENT_INDEX, DUE_INDEX, DUE_PARTITION, fromItem, type Item, toItem } from './items.ts';

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

/** Items read at once behind the index. */
const AT_ONCE = 20;

/** The newest entries of an agent, newest first. The index holds keys only: each entry is read from the table. */
export async function newestRecords(
  client: DynamoDBClient,
  auditTable: string,
  agent: string,
  limit: number,
): Promise<AuditRecord[]> {
  const keys: Item[] = [];
  const query = {
    TableName: auditTable,
    IndexName: AGENT_INDEX,
    KeyConditionExpression: 'agent = :agent',
    ExpressionAttributeValues: toItem({ ':agent': agent }),
    ScanIndexForward: false,
    Limit: limit,
  };
  for await (const { Items: items = [] } of paginateQuery({ client }, query)) {
    keys.push(...items);
    if (keys.length >= limit) break;
  }
  const records: AuditRecord[] = [];
  for (let start = 0; start < Math.min(limit, keys.length); start += AT_ONCE) {
    const some = keys.slice(start, Math.min(start + AT_ONCE, limit));
    const items = await Promise.all(
      some.map(async ({ pk, sk }) => {
        if (!pk || !sk) return undefined;
        return (await client.send(new GetItemCommand({ TableName: auditTable, Key: { pk, sk } }))).Item;
      }),
    );
    for (const item of items) if (item) records.push(recordFromItem(item));
  }
  return records;
}

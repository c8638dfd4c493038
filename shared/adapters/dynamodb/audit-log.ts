/** The audit table: every entry is put once (G39). What an agent may read of an item is `pk`, `sk`, `verdict` and `decision` (A13). */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  paginateQuery,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { auditEntry } from '../../contract/audit-entry.ts';
import { decision } from '../../contract/decision.ts';
import type { AuditLog, AuditRecord } from '../../ports/audit-log.ts';
import { AGENT_INDEX, auditPartition, fromItem, type Item, type Tables, toItem } from './items.ts';

/** The put of one record, refused if its key is taken. */
export function auditPut(tables: Tables, record: AuditRecord, more: Record<string, unknown> = {}): PutItemCommandInput {
  const { key, entry } = record;
  const item = {
    pk: auditPartition(key.agent, key.pid),
    sk: key.sort,
    agent: key.agent,
    at: `${entry.recordedAt}#${key.pid}#${key.sort}`,
    entry,
    decision: record.decision,
    ...more,
  };
  return { TableName: tables.audit, Item: toItem(item), ConditionExpression: 'attribute_not_exists(pk)' };
}

export function recordFromItem(item: Item): AuditRecord {
  const row = fromItem(item);
  const [agent = '', pid = ''] = String(row['pk']).split('#');
  return {
    key: { agent, pid, sort: String(row['sk']) },
    entry: auditEntry.parse(row['entry']),
    ...(row['decision'] ? { decision: decision.parse(row['decision']) } : {}),
  };
}

export function dynamoAuditLog(client: DynamoDBClient, tables: Tables): AuditLog {
  return {
    async put(record) {
      try {
        await client.send(new PutItemCommand(auditPut(tables, record)));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
    async ofProposal(agent, pid) {
      const records: AuditRecord[] = [];
      const query = {
        TableName: tables.audit,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: toItem({ ':pk': auditPartition(agent, pid) }),
        ConsistentRead: true,
      };
      for await (const page of paginateQuery({ client }, query))
        records.push(...(page.Items ?? []).map(recordFromItem));
      return records.toSorted((a, b) => a.entry.recordedAt.localeCompare(b.entry.recordedAt));
    },
    async recent(agent, limit) {
      const page = await client.send(
        new QueryCommand({
          TableName: tables.audit,
          IndexName: AGENT_INDEX,
          KeyConditionExpression: 'agent = :agent',
          ExpressionAttributeValues: toItem({ ':agent': agent }),
          ScanIndexForward: false,
          Limit: limit,
        }),
      );
      return (page.Items ?? []).map(recordFromItem);
    },
  };
}

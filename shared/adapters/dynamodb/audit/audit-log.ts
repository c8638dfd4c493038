/**
 * Stores the audit: every entry is put once, in a partition of its family.
 *
 * An agent may read `pk`, `sk`, `verdict` and `decision` of an item; the reason why a call was allowed stands beside
 * them.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { readEach } from '../../../domain/read-each.ts';
import { RECORD_FAMILIES, type RecordFamily } from '../../../domain/record/record-families.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import { type AuditLog, type AuditRecord, knownFamilyOf, type Unreadable } from '../../../ports/stores/audit-log.ts';
import { batchGet } from '../batch-get.ts';
import { AGENT_INDEX, auditPartition, type Item, standsInItsFamily, type Tables, toItem } from '../items.ts';
import { auditPut, recordFromItem } from './audit-item.ts';

/** An item outside of its family was put there by somebody who may not write where it belongs. Such an item counts nowhere, and is no entry. */
const isInItsFamily = ({ pk, sk }: Item): boolean => standsInItsFamily(pk?.S ?? '', sk?.S ?? '');

/** Most keys of one batched read. */
const MAX_KEYS = 100;

export function dynamoAuditLog(client: DynamoDBClient, tables: Tables): AuditLog {
  const itemsAt = async (keys: readonly Item[]): Promise<readonly Item[]> =>
    (await batchGet(client, { [tables.audit]: { Keys: [...keys], ConsistentRead: true } })).get(tables.audit) ?? [];

  const entriesAt = async (pk: string, unreadable?: Unreadable): Promise<AuditRecord[]> => {
    const records: AuditRecord[] = [];
    const query = {
      TableName: tables.audit,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: toItem({ ':pk': pk }),
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client }, query))
      records.push(...readEach(Items.filter(isInItsFamily), recordFromItem, unreadable));
    return records;
  };

  const recordsAt = async (keys: readonly Item[], unreadable?: Unreadable): Promise<readonly AuditRecord[]> =>
    keys.length ? readEach((await itemsAt(keys)).filter(isInItsFamily), recordFromItem, unreadable) : [];

  // People search the record: a function that decides does not load the search.
  let loaded: Promise<Pick<AuditLog, 'find' | 'count'>> | undefined;
  const search = () => {
    loaded ??= import('./record-search.ts').then(({ recordSearch }) =>
      recordSearch({ client, table: tables.audit, recordsAt }),
    );
    return loaded;
  };

  return {
    find: async (wanted) => (await search()).find(wanted),
    count: async (wanted) => (await search()).count(wanted),
    async put(record) {
      try {
        await client.send(new PutItemCommand(auditPut(tables, record)));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
    async ofProposal(agent, pid, families = RECORD_FAMILIES, unreadable) {
      // Before there were families every entry stood beside the decision: those are found there, and nothing elsewhere counts as a decision.
      const wanted = new Set<RecordFamily>(['decision', ...families]);
      const found = await Promise.all(
        [...wanted].map((partition) => entriesAt(auditPartition(agent, pid, partition), unreadable)),
      );
      return oldestFirst(
        found.flat().filter(({ key }) => families.some((family) => family === knownFamilyOf(key.sort))),
      );
    },
    async ofFamily(agent, pid, family) {
      const found = await entriesAt(auditPartition(agent, pid, family));
      return oldestFirst(found.filter(({ key }) => knownFamilyOf(key.sort) === family));
    },
    async recent(agent, limit, unreadable) {
      const page = await client.send(
        new QueryCommand({
          TableName: tables.audit,
          IndexName: AGENT_INDEX,
          // `agent` is one of DynamoDB's reserved words.
          KeyConditionExpression: '#agent = :agent',
          ExpressionAttributeNames: { '#agent': 'agent' },
          ExpressionAttributeValues: toItem({ ':agent': agent }),
          ScanIndexForward: false,
          Limit: Math.min(limit, MAX_KEYS),
        }),
      );
      // The index holds keys only, so that a decision's put does not pay for its item twice.
      const keys = (page.Items ?? []).flatMap(({ pk, sk }) => (pk && sk ? [{ pk, sk }] : []));
      return oldestFirst(await recordsAt(keys, unreadable)).reverse();
    },
  };
}

/** Orders records by their times, and those of one time by their sorts. */
const oldestFirst = (records: readonly AuditRecord[]): AuditRecord[] =>
  records
    .toSorted((a, b) => compareText(a.key.sort, b.key.sort))
    .toSorted((a, b) => compareText(a.entry.recordedAt, b.entry.recordedAt));

/**
 * The audit table: every entry is put once, in a partition of its family. An agent may read `pk`, `sk`, `verdict` and `decision` of an
 * item; why a call was allowed stands beside them.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  paginateQuery,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { auditEntry } from '../../contract/audit-entry.ts';
import { asStored } from '../../contract/stored.ts';
import { groundsOf, withoutGrounds } from '../../domain/grounds.ts';
import {
  type AuditLog,
  type AuditRecord,
  type ClaimVerdict,
  familyOf,
  knownFamilyOf,
  RECORD_FAMILIES,
  type RecordFamily,
} from '../../ports/audit-log.ts';
import { batchGet } from './batch-get.ts';
import { AGENT_INDEX, auditPartition, fromItem, type Item, standsInItsFamily, type Tables, toItem } from './items.ts';
import { bytesToHex, hexToBytes, packDecision, packEntry, recordedDecision, unpackEntry } from './pack.ts';

/** The put of one record, refused if its key is taken. */
export function auditPut(tables: Tables, record: AuditRecord, more: Record<string, unknown> = {}): PutItemCommandInput {
  const { key, entry, decision } = record;
  const grounds = decision && groundsOf(decision);
  const item = {
    pk: auditPartition(key.agent, key.pid, familyOf(key.sort)),
    sk: key.sort,
    agent: key.agent,
    at: entry.recordedAt,
    ...(hexToBytes({
      entry: unsaid(packEntry(entry, decision), record),
      ...(decision ? { decision: packDecision(withoutGrounds(decision)) } : {}),
      ...(grounds ? { grounds } : {}),
      ...more,
    }) as Record<string, unknown>),
  };
  return {
    TableName: tables.audit,
    Item: toItem(item),
    ConditionExpression: 'attribute_not_exists(pk)',
  };
}

/** Leaves out fields that the item's key and time hold already: a claim has to fit one kilobyte. */
const unsaid = ({ recordedAt: _, type, ...rest }: Record<string, unknown>, { key }: AuditRecord) =>
  type === key.sort ? rest : { ...rest, type };

export function recordFromItem(item: Item): AuditRecord {
  const row = bytesToHex(fromItem(item)) as Record<string, unknown>;
  const pk = String(row['pk']);
  const [agent = '', pid = ''] = pk.slice(pk.indexOf('/') + 1).split('#');
  const sort = String(row['sk']);
  const answered = row['decision'] as Record<string, unknown> | undefined;
  const stored = { type: sort, recordedAt: row['at'], ...(row['entry'] as Record<string, unknown>) };
  return {
    key: { agent, pid, sort },
    entry: asStored(auditEntry).parse(unpackEntry(stored, agent, pid, answered)),
    ...(answered ? { decision: recordedDecision(row) } : {}),
    ...(row['verdict'] ? { verdict: row['verdict'] as ClaimVerdict } : {}),
  };
}

/** An item outside of its family was put there by somebody who may not write where it belongs. Such an item counts nowhere, and is no entry. */
const isInItsFamily = ({ pk, sk }: Item): boolean => standsInItsFamily(pk?.S ?? '', sk?.S ?? '');

/** Most keys of one batched read. */
const MAX_KEYS = 100;

export function dynamoAuditLog(client: DynamoDBClient, tables: Tables): AuditLog {
  const itemsAt = async (keys: readonly Item[]): Promise<readonly Item[]> =>
    (await batchGet(client, { [tables.audit]: { Keys: [...keys], ConsistentRead: true } })).get(tables.audit) ?? [];

  const entriesAt = async (pk: string): Promise<AuditRecord[]> => {
    const records: AuditRecord[] = [];
    const query = {
      TableName: tables.audit,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: toItem({ ':pk': pk }),
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client }, query))
      records.push(...Items.filter(isInItsFamily).map(recordFromItem));
    return records;
  };

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
    async ofProposal(agent, pid, families = RECORD_FAMILIES) {
      // Before there were families every entry stood beside the decision: those are found there, and nothing elsewhere counts as a decision.
      const wanted = new Set<RecordFamily>(['decision', ...families]);
      const found = await Promise.all([...wanted].map((partition) => entriesAt(auditPartition(agent, pid, partition))));
      return oldestFirst(
        found.flat().filter(({ key }) => families.some((family) => family === knownFamilyOf(key.sort))),
      );
    },
    async recent(agent, limit) {
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
      return keys.length ? newestFirst(await itemsAt(keys)) : [];
    },
  };
}

/** Of one time, in the order of their sorts. */
const oldestFirst = (records: readonly AuditRecord[]): AuditRecord[] =>
  records
    .toSorted((a, b) => compare(a.key.sort, b.key.sort))
    .toSorted((a, b) => compare(a.entry.recordedAt, b.entry.recordedAt));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const newestFirst = (items: readonly Item[]): AuditRecord[] =>
  oldestFirst(items.filter(isInItsFamily).map(recordFromItem)).reverse();

/** Stores session rows in DynamoDB, and one count of denials for each agent and day. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { apart } from '../../../contract/additions.ts';
import { EVERY_SESSION, type SessionRow, session as sessionSchema } from '../../../contract/session.ts';
import { readEach } from '../../../domain/read-each.ts';
import { besideRecent, newSession } from '../../../domain/session.ts';
import type { SessionStore, SessionWrites } from '../../../ports/stores/session-store.ts';
import {
  DUE_INDEX,
  deniedKey,
  type Item,
  recentItemKey,
  sessionItemKey,
  sessionsPartition,
  type Tables,
  toItem,
} from '../items.ts';
import { hexToBytes } from '../pack.ts';
import { taskTurnItems } from '../task-store.ts';
import { deniedFromItem, readTogether, recentFromItem, sessionFromItem } from './read-together.ts';

/** A row with counts or memories only is removed after a month without use; a mode or a rule that somebody set stays (fail closed). */
const KEEP_S = 30 * 24 * 60 * 60;
const KEEP_COUNT_S = 3 * 24 * 60 * 60;

/** The put of a next row, refused if another version is stored than the one before it. */
function sessionPut(tables: Tables, next: SessionRow) {
  const at = Date.parse(next.updatedAt);
  const { known, additions } = apart(sessionSchema, next, next.version);
  const forgettable = next.mode === undefined && next.rules.length === 0;
  return {
    TableName: tables.state,
    Item: {
      ...sessionItemKey(next.agent, next.sessionId),
      ...toItem({
        session: hexToBytes(known),
        additions: hexToBytes(additions),
        version: next.version,
        due: sessionsPartition(next.agent),
        dueAt: at,
        ...(forgettable ? { ttl: Math.floor(at / 1000) + KEEP_S } : {}),
      }),
    },
    ...(next.version === 1
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'version = :read',
          ExpressionAttributeValues: toItem({ ':read': next.version - 1 }),
        }),
  };
}

/** Only rows have conditions: a condition of these that fails is a row that changed. */
export function sessionWriteItems(tables: Tables, { rows, denials, turn }: SessionWrites): TransactWriteItem[] {
  const items: TransactWriteItem[] = rows.map((row) => ({ Put: sessionPut(tables, row) }));
  if (turn) items.push(...taskTurnItems(tables, turn));
  if (!denials?.more) return items;
  const { agent, day, more } = denials;
  items.push({
    Update: {
      TableName: tables.state,
      Key: deniedKey(agent, day),
      UpdateExpression: 'SET #ttl = :ttl ADD #total :more',
      ExpressionAttributeNames: { '#ttl': 'ttl', '#total': 'total' },
      ExpressionAttributeValues: toItem({
        ':more': more,
        ':ttl': Math.floor(Date.parse(`${day}T00:00:00Z`) / 1000) + KEEP_COUNT_S,
      }),
    },
  });
  return items;
}

/** Whether the rows that only their recent calls change are still those that were read: read, since a condition would make them hot. */
export async function areUnchanged(client: DynamoDBClient, { state }: Tables, { recents = [] }: SessionWrites) {
  const same = recents.map(async ({ agent, sessionId, version }) => {
    const get = new GetItemCommand({
      TableName: state,
      Key: sessionItemKey(agent, sessionId),
      ConsistentRead: true,
      ProjectionExpression: 'version',
    });
    const { Item } = await client.send(get);
    return Number(Item?.['version']?.N ?? 0) === version;
  });
  return (await Promise.all(same)).every(Boolean);
}

/** After the writes that they belong to. A failure costs a model some of what it is told, and nothing else. */
export async function putRecents(client: DynamoDBClient, { state }: Tables, { recents = [] }: SessionWrites) {
  await Promise.allSettled(
    recents.map(({ agent, sessionId, recent, updatedAt }) => {
      const ttl = Math.floor(Date.parse(updatedAt) / 1000) + KEEP_S;
      const Item = { ...recentItemKey(agent, sessionId), ...toItem({ recent: hexToBytes(recent), ttl }) };
      return client.send(new PutItemCommand({ TableName: state, Item }));
    }),
  );
}

export function dynamoSessionStore(client: DynamoDBClient, tables: Tables): SessionStore {
  const get = async (key: Item): Promise<Item | undefined> =>
    (await client.send(new GetItemCommand({ TableName: tables.state, Key: key, ConsistentRead: true }))).Item;

  return {
    async readTogether(sessions, day) {
      const { claimed: _, ...rows } = await readTogether(client, tables, { claims: [], sessions }, day);
      return rows;
    },
    async read(agent, sessionId) {
      const [item, beside] = await Promise.all([
        get(sessionItemKey(agent, sessionId)),
        sessionId === EVERY_SESSION ? undefined : get(recentItemKey(agent, sessionId)),
      ]);
      if (!item && !beside) return undefined;
      const row = item ? sessionFromItem(item) : newSession(agent, sessionId);
      return besideRecent(row, beside && recentFromItem(beside));
    },
    async deniedOn(agent, day) {
      const item = await get(deniedKey(agent, day));
      return item ? deniedFromItem(item) : 0;
    },
    async write(next) {
      try {
        await client.send(new PutItemCommand(sessionPut(tables, next)));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
    list: (agent, limit) => sessionsOf(client, tables.state, agent, limit),
  };
}

/** The newest `limit` sessions of an agent. One that cannot be read, as of another release, hides no other. */
export async function sessionsOf(
  client: DynamoDBClient,
  stateTable: string,
  agent: string,
  limit: number,
): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  for await (const row of everySessionOf(client, stateTable, agent, limit, () => undefined)) {
    if (rows.push(row) >= limit) break;
  }
  return rows;
}

/**
 * All sessions of an agent, the latest change first, page by page. Read from the index alone: what `grantAudit` allows. `unreadable` is told of a
 * row that cannot be read, which is left out then.
 * @throws the problem of such a row without it
 */
export async function* everySessionOf(
  client: DynamoDBClient,
  stateTable: string,
  agent: string,
  pageSize: number,
  unreadable?: (problem: unknown) => void,
): AsyncGenerator<SessionRow> {
  const query = {
    TableName: stateTable,
    IndexName: DUE_INDEX,
    KeyConditionExpression: 'due = :due',
    ExpressionAttributeValues: toItem({ ':due': sessionsPartition(agent) }),
    ScanIndexForward: false,
  };
  for await (const { Items: items = [] } of paginateQuery({ client, pageSize }, query))
    yield* readEach(items, sessionFromItem, unreadable);
}

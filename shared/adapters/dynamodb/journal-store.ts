/** The journal of a proposal: one item an entry, put once under place and round. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { apart, together } from '../../contract/additions.ts';
import { type JournalEntry, journalEntry } from '../../contract/journal-entry.ts';
import { asStored } from '../../contract/stored.ts';
import type { JournalStore } from '../../ports/stores/journal-store.ts';
import { fromItem, type Item, PREFIX, type Tables, toItem, ttlAfter } from './items.ts';

const partition = (pid: string): string => `${PREFIX.journal}${pid}`;

export function journalItem(pid: string, entry: JournalEntry): Item {
  const { known, additions } = apart(journalEntry, entry);
  return toItem({
    pk: partition(pid),
    sk: `${String(entry.round).padStart(2, '0')}#${entry.place}`,
    entry: known,
    additions,
    ...ttlAfter(entry.at),
  });
}

function entryOf(item: Item): JournalEntry {
  const { entry, additions } = fromItem(item);
  return asStored(journalEntry).parse(together(entry, additions));
}

/** For a transaction that keeps what a round came to. */
export const journalPut = (tables: Tables, pid: string, entry: JournalEntry): TransactWriteItem => ({
  Put: {
    TableName: tables.state,
    Item: journalItem(pid, entry),
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

export function dynamoJournalStore(client: DynamoDBClient, tables: Tables): JournalStore {
  return {
    async read(pid) {
      const entries: JournalEntry[] = [];
      const query = {
        TableName: tables.state,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: toItem({ ':pk': partition(pid) }),
        ConsistentRead: true,
      };
      for await (const page of paginateQuery({ client }, query)) {
        entries.push(...(page.Items ?? []).map(entryOf));
      }
      return entries;
    },
    async append(pid, entry) {
      try {
        await client.send(
          new PutItemCommand({
            TableName: tables.state,
            Item: journalItem(pid, entry),
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}

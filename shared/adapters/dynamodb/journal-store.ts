/** Stores the journal of a proposal: items of entries, each put once under place and round. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { apart, together } from '../../contract/additions.ts';
import type { Approval } from '../../contract/approval.ts';
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

/**
 * The items of a journal as its approval is opened. When the run began is when its session was read, and stands in that item: one of its own
 * is two write units. Not for choices, where the previous release looks for the item.
 */
export function openingItems({ pid, question }: Approval, entries: readonly JournalEntry[]): Item[] {
  const session = question.kind === 'choice' ? undefined : entries.find(({ type }) => type === 'session');
  const start = session && entries.find((entry) => isStart(entry) && entry.at === session.at);
  return entries
    .filter((entry) => entry !== start)
    .map((entry) => ({
      ...journalItem(pid, entry),
      ...(start && entry === session ? toItem({ isStart: true }) : {}),
    }));
}

const startAt = (at: string): JournalEntry => ({ type: 'now', place: 'start', round: 0, at });
const isStart = ({ type, place, round }: JournalEntry): boolean => type === 'now' && place === 'start' && round === 0;

function entriesOf(item: Item): JournalEntry[] {
  const { entry, additions, isStart: begins } = fromItem(item);
  const read = asStored(journalEntry).parse(together(entry, additions));
  return begins === true ? [read, startAt(read.at)] : [read];
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
        entries.push(...(page.Items ?? []).flatMap(entriesOf));
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

/**
 * Stores the lists of waiting calls on DynamoDB.
 *
 * Each list has a row, and so have the newest cards of an agent in a channel.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Burst, CardList, CardListStore } from '../../../ports/stores/card-lists.ts';
import { fromItem, type Item, PREFIX, type Tables, toItem, ttlAfter } from '../items.ts';

/** Bursts that a process remembers; forgetting them costs one read more. */
const REMEMBERED = 1_000;

/**
 * Remembers the bursts that this process read or wrote, and does not read them again. If another process changed one, its version is higher: the
 * next write fails and returns the stored burst.
 */
export function dynamoCardLists(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): CardListStore {
  const burstKey = (agent: string, channel: string): Item =>
    toItem({ pk: `${PREFIX.list}burst#${agent}#${channel}`, sk: 'burst' });
  const listKey = (id: string): Item => toItem({ pk: `${PREFIX.list}of#${id}`, sk: 'list' });
  const read = async (key: Item): Promise<unknown> => {
    const get = new GetItemCommand({ TableName: state, Key: key, ConsistentRead: true });
    const { Item: item } = await client.send(get);
    return item && fromItem(item)['row'];
  };
  /** Gives undefined once the row is written, else the row that stands there, or null for none. */
  const write = async (key: Item, next: Burst | CardList, usedAt: number): Promise<unknown> => {
    const isFirst = next.version === 1;
    try {
      await client.send(
        new PutItemCommand({
          TableName: state,
          Item: { ...key, ...toItem({ row: next, version: next.version, ...ttlAfter(usedAt) }) },
          ConditionExpression: isFirst ? 'attribute_not_exists(pk)' : 'version = :read',
          ...(isFirst ? {} : { ExpressionAttributeValues: toItem({ ':read': next.version - 1 }) }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return undefined;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return error.Item ? fromItem(error.Item)['row'] : null;
      throw error;
    }
  };
  const bursts = new Map<string, Burst>();
  const remember = (name: string, burst: Burst | undefined): void => {
    if (bursts.size >= REMEMBERED) bursts.clear();
    if (burst) bursts.set(name, burst);
    else bursts.delete(name);
  };
  const nameOf = (agent: string, channel: string): string => `${agent}#${channel}`;
  return {
    async readBurst(agent, channel) {
      const name = nameOf(agent, channel);
      const known = bursts.get(name);
      if (known) return known;
      const burst = (await read(burstKey(agent, channel))) as Burst | undefined;
      remember(name, burst);
      return burst;
    },
    readList: async (id) => (await read(listKey(id))) as CardList | undefined,
    async writeBurst(next) {
      const { agent, channel } = next;
      const name = nameOf(agent, channel);
      // Where the answer is lost nobody knows which of the two stands there.
      bursts.delete(name);
      const other = await write(burstKey(agent, channel), next, next.at);
      remember(name, other === undefined ? next : ((other ?? undefined) as Burst | undefined));
      return other === undefined;
    },
    writeList: async (next) => (await write(listKey(next.id), next, next.joinedAt)) === undefined,
  };
}

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

export function dynamoCardLists(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): CardListStore {
  const burstKey = (agent: string, channel: string): Item =>
    toItem({ pk: `${PREFIX.list}burst#${agent}#${channel}`, sk: 'burst' });
  const listKey = (id: string): Item => toItem({ pk: `${PREFIX.list}of#${id}`, sk: 'list' });
  const read = async (key: Item): Promise<unknown> => {
    const get = new GetItemCommand({ TableName: state, Key: key, ConsistentRead: true });
    const { Item: item } = await client.send(get);
    return item && fromItem(item)['row'];
  };
  const write = async (key: Item, next: Burst | CardList, usedAt: number): Promise<boolean> => {
    const isFirst = next.version === 1;
    try {
      await client.send(
        new PutItemCommand({
          TableName: state,
          Item: { ...key, ...toItem({ row: next, version: next.version, ...ttlAfter(usedAt) }) },
          ConditionExpression: isFirst ? 'attribute_not_exists(pk)' : 'version = :read',
          ...(isFirst ? {} : { ExpressionAttributeValues: toItem({ ':read': next.version - 1 }) }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };
  return {
    readBurst: async (agent, channel) => (await read(burstKey(agent, channel))) as Burst | undefined,
    readList: async (id) => (await read(listKey(id))) as CardList | undefined,
    writeBurst: (next) => write(burstKey(next.agent, next.channel), next, next.at),
    writeList: (next) => write(listKey(next.id), next, next.joinedAt),
  };
}

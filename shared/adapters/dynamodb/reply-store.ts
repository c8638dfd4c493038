/** Stores the task agent's replies by the message that each answers. */
import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { person } from '../../contract/approval.ts';
import { asStored } from '../../contract/stored.ts';
import type { ReplyStore } from '../../ports/conversation.ts';
import { fromItem, type Item, PREFIX, type Tables, toItem } from './items.ts';

const storedReply = z.object({
  channel: z.string(),
  ts: z.string(),
  person,
  final: z.boolean(),
  text: z.string(),
});

const KEEP_S = 7 * 24 * 60 * 60;
const keyOf = (pid: string): Item => toItem({ pk: `${PREFIX.reply}${pid}`, sk: 'reply' });

export function dynamoReplyStore(client: DynamoDBClient, tables: Pick<Tables, 'state'>): ReplyStore {
  return {
    async read(pid) {
      const get = new GetItemCommand({ TableName: tables.state, Key: keyOf(pid), ConsistentRead: true });
      const { Item: item } = await client.send(get);
      return item && asStored(storedReply).parse(fromItem(item));
    },
    async put(pid, reply, now) {
      const row = { ...reply, ttl: Math.floor(now / 1000) + KEEP_S };
      await client.send(new PutItemCommand({ TableName: tables.state, Item: { ...keyOf(pid), ...toItem(row) } }));
    },
  };
}

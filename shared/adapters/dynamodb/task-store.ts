/** Stores tasks and conversations in DynamoDB: one partition a user, out of reach of others. */
import { type DynamoDBClient, GetItemCommand, paginateQuery, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { asStored } from '../../contract/stored.ts';
import { type EndedQuestion, endedQuestion, taskConversation } from '../../contract/task-conversation.ts';
import { sha256Hex } from '../../domain/digest.ts';
import type { TaskConversations, TaskTurn } from '../../ports/stores/task-conversations.ts';
import type { Task, TaskStore, TaskWrite } from '../../ports/stores/task-store.ts';
import { fromItem, type Item, PREFIX, type Tables, toItem } from './items.ts';

/** A user's name may be anything, a key may not: the partition is named by its digest. */
const partitionOf = (userId: string): string => `${PREFIX.task}${sha256Hex(userId)}`;
const keyOf = (userId: string, taskId: string): Item => toItem({ pk: partitionOf(userId), sk: taskId });
const conversationKey = (key: string): Item => toItem({ pk: `${PREFIX.conversation}${key}`, sk: 'conversation' });
/** By the message that ended it: another one may have come to the conversation since. */
const endedKey = (pid: string): Item => toItem({ pk: `${PREFIX.conversation}${pid}`, sk: 'ended' });

/** Nothing that waits in a conversation outlives five minutes; a turn of a caller that runs the tools itself is given a day. */
const KEEP_CONVERSATION_S = 24 * 60 * 60;
/** As long as the reply that asked it. */
const KEEP_ENDED_S = 7 * KEEP_CONVERSATION_S;

/** Lists tasks. Each change of one is written with the decision on it, as `TaskTurn` says. */
export function dynamoTasks(client: DynamoDBClient, tables: Pick<Tables, 'state'>): Pick<TaskStore, 'list'> {
  return {
    async list(userId) {
      const tasks: Task[] = [];
      const query = {
        TableName: tables.state,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: toItem({ ':pk': partitionOf(userId) }),
        ConsistentRead: true,
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) tasks.push(...Items.map(taskOf));
      return tasks.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id));
    },
  };
}

export function dynamoTaskConversations(client: DynamoDBClient, tables: Pick<Tables, 'state'>): TaskConversations {
  const rowAt = async (Key: Item) => {
    const { Item: item } = await client.send(
      new GetItemCommand({ TableName: tables.state, Key, ConsistentRead: true }),
    );
    return item && fromItem(item);
  };
  return {
    async read(key) {
      const row = await rowAt(conversationKey(key));
      return row && asStored(taskConversation).parse(row['conversation']);
    },
    async endedBy(pid) {
      const row = await rowAt(endedKey(pid));
      return row && asStored(endedQuestion).parse(row['ended']);
    },
  };
}

/** The writes of a turn, each with the condition that what was read still holds. */
export function taskTurnItems(
  tables: Pick<Tables, 'state'>,
  { conversation, write, ended }: TaskTurn,
): TransactWriteItem[] {
  const items: TransactWriteItem[] = write ? [taskWriteItem(tables, write)] : [];
  if (ended) items.push({ Put: { TableName: tables.state, Item: endedItem(ended) } });
  if (!conversation) return items;
  const { key, version, updatedAt } = conversation;
  const first = version === 1;
  items.push({
    Put: {
      TableName: tables.state,
      Item: {
        ...conversationKey(key),
        ...toItem({ conversation, version, ttl: Math.floor(Date.parse(updatedAt) / 1000) + KEEP_CONVERSATION_S }),
      },
      ConditionExpression: first ? 'attribute_not_exists(pk)' : 'version = :read',
      ...(first ? {} : { ExpressionAttributeValues: toItem({ ':read': version - 1 }) }),
    },
  });
  return items;
}

const endedItem = (ended: EndedQuestion): Item => ({
  ...endedKey(ended.by),
  ...toItem({ ended, ttl: Math.floor(Date.parse(ended.at) / 1000) + KEEP_ENDED_S }),
});

function taskWriteItem({ state }: Pick<Tables, 'state'>, write: TaskWrite): TransactWriteItem {
  const TableName = state;
  if (write.kind === 'delete') {
    return {
      Delete: {
        TableName,
        Key: keyOf(write.userId, write.taskId),
        ConditionExpression: 'attribute_not_exists(pk) OR description = :shown',
        ExpressionAttributeValues: toItem({ ':shown': write.shown }),
      },
    };
  }
  const { userId, task } = write;
  const Item = { ...keyOf(userId, task.id), ...toItem({ ...task }) };
  if (write.kind === 'add') return { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  const { description, completed } = write.from;
  return {
    Put: {
      TableName,
      Item,
      ConditionExpression: 'description = :description AND completed = :completed',
      ExpressionAttributeValues: toItem({ ':description': description, ':completed': completed }),
    },
  };
}

function taskOf(item: Item): Task {
  const { sk: id, description, completed, createdAt, completedAt } = fromItem(item);
  return {
    id: String(id),
    description: String(description),
    completed: completed === true,
    createdAt: String(createdAt),
    completedAt: typeof completedAt === 'string' ? completedAt : null,
  };
}

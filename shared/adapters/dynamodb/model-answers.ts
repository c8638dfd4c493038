/** Remembers answers of the classifier's model on DynamoDB, one row an answer. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ModelAnswer, ModelAnswerStore } from '../../ports/stores/model-answers.ts';
import { fromItem, type Item, modelAnswerKey, type Tables, toItem } from './items.ts';

export function dynamoModelAnswers(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): ModelAnswerStore {
  return {
    async read(keys, now) {
      const found = await Promise.all(
        keys.map(async (key) => {
          const get = new GetItemCommand({ TableName: state, Key: modelAnswerKey(key), ConsistentRead: true });
          const { Item } = await client.send(get);
          const answer = Item && answerOf(Item, now);
          return answer ? [[key, answer] as const] : [];
        }),
      );
      return new Map(found.flat());
    },
    async remember(key, answer, now, expiresAt) {
      const { shouldBlock, reason, confidence } = answer;
      try {
        await client.send(
          new PutItemCommand({
            TableName: state,
            Item: {
              ...modelAnswerKey(key),
              ...toItem({ shouldBlock, reason, confidence, expiresAt, ttl: Math.ceil(expiresAt / 1000) }),
            },
            // Deleted late by its time to live, a row whose time is over is replaced.
            ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
            ExpressionAttributeValues: toItem({ ':now': now }),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return answer;
      } catch (error) {
        const earlier = error instanceof ConditionalCheckFailedException && error.Item && answerOf(error.Item, now);
        if (earlier) return earlier;
        throw error;
      }
    },
  };
}

function answerOf(item: Item, now: number): ModelAnswer | undefined {
  const { shouldBlock, reason, confidence, expiresAt } = fromItem(item);
  const isWhole =
    typeof shouldBlock === 'boolean' &&
    typeof reason === 'string' &&
    typeof confidence === 'number' &&
    typeof expiresAt === 'number';
  return isWhole && now < expiresAt ? { shouldBlock, reason, confidence } : undefined;
}

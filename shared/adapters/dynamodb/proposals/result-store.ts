/** Stores results of calls that the gate ran. An agent reads `pk`, `sk` and `result` of its own. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { callResult } from '../../../contract/execution.ts';
import { asStored } from '../../../contract/stored.ts';
import type { ResultStore } from '../../../ports/stores/result-store.ts';
import { fromItem, resultKey, type Tables, toItem } from '../items.ts';

const KEEP_S = 24 * 60 * 60;

export function dynamoResultStore(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): ResultStore {
  return {
    async read(agent, pid, requestId, read = 'latest') {
      const { Item: item } = await client.send(
        new GetItemCommand({
          TableName: state,
          Key: resultKey(agent, pid, requestId),
          ConsistentRead: read === 'latest',
          // `result` is one of DynamoDB's reserved words.
          ProjectionExpression: 'pk, sk, #result',
          ExpressionAttributeNames: { '#result': 'result' },
        }),
      );
      return item && asStored(callResult).parse(JSON.parse(String(fromItem(item)['result'])));
    },
    async put(agent, pid, result) {
      const ttl = Math.ceil(Date.parse(result.endedAt) / 1000) + KEEP_S;
      // As text: an output may hold numbers and empty names that an item cannot.
      const text = JSON.stringify(result);
      try {
        await client.send(
          new PutItemCommand({
            TableName: state,
            Item: { ...resultKey(agent, pid, result.requestId), ...toItem({ result: text, ttl }) },
            // The same text is its own put, sent again by the SDK.
            ConditionExpression: 'attribute_not_exists(pk) OR #result = :result',
            ExpressionAttributeNames: { '#result': 'result' },
            ExpressionAttributeValues: toItem({ ':result': text }),
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

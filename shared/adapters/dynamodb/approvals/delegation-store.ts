/** Stores delegations on DynamoDB as one item, which votes of people without a seat read. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { delegations, NO_DELEGATIONS } from '../../../contract/delegation.ts';
import { asStored } from '../../../contract/stored.ts';
import type { DelegationStore } from '../../../ports/stores/delegation-store.ts';
import { DELEGATIONS_KEY, fromItem, type Tables, toItem } from '../items.ts';

export function dynamoDelegationStore(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): DelegationStore {
  return {
    async read() {
      const get = new GetItemCommand({ TableName: state, Key: DELEGATIONS_KEY, ConsistentRead: true });
      const { Item: item } = await client.send(get);
      return item ? asStored(delegations).parse(fromItem(item)['delegations']) : NO_DELEGATIONS;
    },
    async write(next) {
      const first = next.version === 1;
      try {
        await client.send(
          new PutItemCommand({
            TableName: state,
            Item: { ...DELEGATIONS_KEY, ...toItem({ delegations: next, version: next.version }) },
            ConditionExpression: first ? 'attribute_not_exists(pk)' : 'version = :read',
            ...(first ? {} : { ExpressionAttributeValues: toItem({ ':read': next.version - 1 }) }),
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

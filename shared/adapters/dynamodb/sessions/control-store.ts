/** Stores the control item: one row that every decision reads. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Control, type ControlStore, NO_CONTROL } from '../../../ports/stores/control.ts';
import { CONTROL_KEY, fromItem, type Item, type Tables, toItem } from '../items.ts';

export const controlFromItem = (item: Item | undefined): Control =>
  item ? (fromItem(item)['control'] as Control) : NO_CONTROL;

export function dynamoControlStore(client: DynamoDBClient, tables: Tables): ControlStore {
  return {
    async read() {
      const get = new GetItemCommand({ TableName: tables.state, Key: CONTROL_KEY, ConsistentRead: true });
      return controlFromItem((await client.send(get)).Item);
    },
    async write(next) {
      try {
        await client.send(
          new PutItemCommand({
            TableName: tables.state,
            Item: { ...CONTROL_KEY, ...toItem({ control: next, version: next.version }) },
            ConditionExpression: next.version === 1 ? 'attribute_not_exists(pk)' : 'version = :read',
            ...(next.version === 1 ? {} : { ExpressionAttributeValues: toItem({ ':read': next.version - 1 }) }),
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

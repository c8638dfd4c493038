/**
 * Stores the secrets behind aliases: two rows for each person, by the id and by the alias.
 *
 * The rows stand in the state table: they are no part of the record, and can be deleted.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type AliasKey, aliasOf } from '../../../domain/record/alias.ts';
import type { AliasStore } from '../../../ports/stores/alias-store.ts';
import { batchGet } from '../batch-get.ts';
import { aliasRowKey, fromItem, type Item, type Tables, toItem } from '../items.ts';
import { bytesToHex, hexToBytes } from '../pack.ts';
import { transact } from '../transact.ts';

/** Keys of one batched read. */
const MAX_KEYS = 100;

export function dynamoAliasStore(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): AliasStore {
  const rowsOf = async (names: readonly string[]): Promise<readonly Item[]> =>
    (await batchGet(client, { [state]: { Keys: names.map(aliasRowKey), ConsistentRead: true } })).get(state) ?? [];

  return {
    async read(names) {
      const wanted = [...new Set(names)];
      const found = new Map<string, AliasKey>();
      for (let start = 0; start < wanted.length; start += MAX_KEYS)
        for (const item of await rowsOf(wanted.slice(start, start + MAX_KEYS))) {
          const [name, key] = keyIn(item);
          if (key.user === name || aliasOf(key) === name) found.set(name, key);
        }
      return found;
    },
    async put(key) {
      const puts = namesOf(key).map((name) => ({
        Put: {
          TableName: state,
          Item: { ...aliasRowKey(name), ...toItem(hexToBytes(key) as Record<string, unknown>) },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      }));
      return (await transact(client, puts)).ok;
    },
    async destroy(key) {
      const isTheirs = {
        ConditionExpression: 'attribute_not_exists(pk) OR secret = :secret',
        ExpressionAttributeValues: secretIn(key),
      };
      const [user = '', alias = ''] = namesOf(key);
      const deletes = [{ ...isTheirs, Key: aliasRowKey(user) }, { Key: aliasRowKey(alias) }];
      const both = await transact(
        client,
        deletes.map((one) => ({ Delete: { TableName: state, ...one } })),
      );
      // The person has another secret by now.
      if (!both.ok) await transact(client, [{ Delete: { TableName: state, Key: aliasRowKey(alias) } }]);
    },
  };
}

const secretIn = ({ secret }: AliasKey): Item => toItem(hexToBytes({ ':secret': secret }) as Record<string, unknown>);
const namesOf = (key: AliasKey): string[] => [key.user, aliasOf(key)];

function keyIn(item: Item): [name: string, key: AliasKey] {
  const { pk, user, secret } = bytesToHex(fromItem(item)) as Record<string, unknown>;
  const name = String(pk);
  return [name.slice(name.indexOf('#') + 1), { user: String(user), secret: String(secret) }];
}

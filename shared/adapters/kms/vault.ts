/**
 * Seals originals: a row of ciphertext whose data key KMS wraps under the pid and the digest.
 *
 * Sealing needs only `kms:GenerateDataKey`, opening only `kms:Decrypt`. KMS writes the encryption context into its own
 * log: both of its fields are hashes.
 */
import { randomBytes } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { openText, sealText } from '../../domain/record/seal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Sealer, SealKey, Unsealer } from '../../ports/vault.ts';
import { fromItem, sealedKey, type Tables, toItem } from '../dynamodb/items.ts';

interface Parts {
  readonly dynamodb: DynamoDBClient;
  readonly kms: KMSClient;
  readonly tables: Pick<Tables, 'state'>;
}

const contextOf = ({ pid, digest }: SealKey) => ({ pid, digest });

export function kmsSealer({ dynamodb, kms, tables }: Parts, keyId: string): Sealer {
  return {
    async seal(at, text, until) {
      const generate = new GenerateDataKeyCommand({
        KeyId: keyId,
        KeySpec: 'AES_256',
        EncryptionContext: contextOf(at),
      });
      const { Plaintext: key, CiphertextBlob: wrappedKey } = await kms.send(generate);
      if (!key || !wrappedKey) throw new Error('KMS gave no data key');
      const sealed = sealText(text, key, randomBytes(12), [at.pid, at.digest]);
      key.fill(0);
      const row = { sealed, wrappedKey, until, ttl: Math.ceil(until / 1000) };
      try {
        await dynamodb.send(
          new PutItemCommand({
            TableName: tables.state,
            Item: { ...sealedKey(at), ...toItem(row) },
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        );
      } catch (error) {
        // The digest says that it is the same text.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
  };
}

export function kmsUnsealer({ dynamodb, kms, tables }: Parts, keyId: string, clock: Clock): Unsealer {
  return {
    async open(at) {
      const get = new GetItemCommand({ TableName: tables.state, Key: sealedKey(at), ConsistentRead: true });
      const { Item: item } = await dynamodb.send(get);
      if (!item) return undefined;
      const { sealed, wrappedKey, until } = fromItem(item) as {
        readonly sealed: Uint8Array;
        readonly wrappedKey: Uint8Array;
        readonly until: number;
      };
      if (clock.now() >= until) return undefined;
      const unwrap = new DecryptCommand({ KeyId: keyId, CiphertextBlob: wrappedKey, EncryptionContext: contextOf(at) });
      const { Plaintext: key } = await kms.send(unwrap);
      if (!key) throw new Error('KMS did not open the data key');
      const text = openText(sealed, key, [at.pid, at.digest]);
      key.fill(0);
      return text;
    },
  };
}

/**
 * Runs the vault on KMS and DynamoDB, as the local endpoint plays them.
 *
 * The endpoint checks the encryption context, and does not enforce the rights on keys: `test/cdk` checks those.
 */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromItem, sealedKey, type Tables, toItem } from '../../shared/adapters/dynamodb/items.ts';
import { kmsSealer, kmsUnsealer } from '../../shared/adapters/kms/vault.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { FakeClock } from '../../shared/testing/fake-clock.ts';
import { clientConfig } from '../local/endpoint/index.ts';
import { sharedEndpoint } from './support/endpoint.ts';
import { createTables } from './support/tables.ts';
import { vaultContract } from './vault.contract.ts';

let dynamodb: DynamoDBClient;
let kms: KMSClient;
let tables: Tables;
let keyId: string;

beforeAll(async () => {
  dynamodb = new DynamoDBClient(clientConfig(sharedEndpoint()));
  kms = new KMSClient(clientConfig(sharedEndpoint()));
  tables = await createTables(dynamodb);
  keyId = (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.Arn ?? '';
}, 180_000);

afterAll(async () => {
  dynamodb?.destroy();
  kms?.destroy();
});

const vaultWith = async (clock: Clock) => {
  const parts = { dynamodb, kms, tables };
  return { ...kmsSealer(parts, keyId), ...kmsUnsealer(parts, keyId, clock) };
};

vaultContract('vault on KMS', vaultWith);

const KEY = { pid: 'a'.repeat(64), digest: 'b'.repeat(64) };
const OTHER = { ...KEY, pid: 'c'.repeat(64) };

test('a row holds ciphertext and a wrapped key, and is no use in another place or changed', async () => {
  const clock = new FakeClock();
  const vault = await vaultWith(clock);
  await vault.seal(KEY, 'canary-text', clock.now() + 60_000);
  const { Item = {} } = await dynamodb.send(new GetItemCommand({ TableName: tables.state, Key: sealedKey(KEY) }));
  const row = fromItem(Item) as { sealed: Uint8Array; wrappedKey: Uint8Array; until: number; ttl: number };
  expect(Buffer.from(row.sealed).includes('canary-text')).toBe(false);
  expect(row.ttl).toBe(Math.ceil(row.until / 1000));

  const put = (key: typeof KEY, changes: object) =>
    dynamodb.send(
      new PutItemCommand({ TableName: tables.state, Item: { ...toItem({ ...row, ...changes }), ...sealedKey(key) } }),
    );
  await put(OTHER, {});
  await expect(vault.open(OTHER)).rejects.toThrow();
  const changed = Uint8Array.from(row.sealed);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  await put(KEY, { sealed: changed });
  await expect(vault.open(KEY)).rejects.toThrow();
  const unwrap = (EncryptionContext: Record<string, string>) =>
    kms.send(new DecryptCommand({ KeyId: keyId, CiphertextBlob: row.wrappedKey, EncryptionContext }));
  expect((await unwrap({ ...KEY })).Plaintext).toHaveLength(32);
  await expect(unwrap({ ...OTHER })).rejects.toThrow();
});

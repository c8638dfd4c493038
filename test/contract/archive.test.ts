/**
 * Checks archives in memory, in a folder and in S3, and the KMS key that signs seals.
 *
 * The local endpoint plays S3 and KMS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileArchive } from '../../shared/adapters/files/archive.ts';
import { kmsSigner } from '../../shared/adapters/kms/signer.ts';
import { memoryArchive } from '../../shared/adapters/memory/archive.ts';
import { s3Archive } from '../../shared/adapters/s3/archive.ts';
import { isSignedBy, kindOfKey } from '../../shared/domain/archive/seal-key.ts';
import { clientConfig } from '../local/endpoint/index.ts';
import { archiveContract } from './archive.contract.ts';
import { sharedEndpoint } from './support/endpoint.ts';

let s3: S3Client;
let buckets = 0;
const folders: string[] = [];

beforeAll(async () => {
  s3 = new S3Client({ ...clientConfig(sharedEndpoint()), forcePathStyle: true });
}, 180_000);

afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  s3?.destroy();
});

archiveContract('the archive in memory', async () => memoryArchive());

archiveContract('a copy of the archive in a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-archive-'));
  folders.push(folder);
  return fileArchive(folder);
});

archiveContract('the archive in a bucket', async () => {
  buckets += 1;
  const Bucket = `archive-${buckets}`;
  await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
  return s3Archive(s3, Bucket);
});

test.each([
  ['ECC_NIST_EDWARDS25519', 'ed25519'],
  ['ECC_NIST_P256', 'p256'],
] as const)('a key of KMS signs what its public key verifies: %s', async (KeySpec, kind) => {
  const kms = new KMSClient(clientConfig(sharedEndpoint()));
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ KeySpec, KeyUsage: 'SIGN_VERIFY' }));
  const signer = kmsSigner(kms, KeyMetadata?.Arn ?? '');
  const [publicKey, signature] = [await signer.publicKey(), await signer.sign('the text')];
  expect(kindOfKey(publicKey)).toBe(kind);
  expect(isSignedBy(publicKey, 'the text', signature)).toBe(true);
  expect(isSignedBy(publicKey, 'the test', signature)).toBe(false);
  kms.destroy();
});

/** Opens the archive of a deployment, and the rows of its record, as they are now. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { CLIENT_OPTIONS } from '../../../adapters/client-options.ts';
import { asStreamed } from '../../../adapters/dynamodb/audit/record-stream.ts';
import { kmsPublicKey } from '../../../adapters/kms/signer.ts';
import { s3Archive } from '../../../adapters/s3/archive.ts';
import type { StoredItem } from '../../../domain/archive/lines.ts';
import { dynamo } from '../clients.ts';
import { type Bundle, readKey } from './archive-bundle.ts';

interface Names {
  readonly deployment: string;
  readonly bucket: string;
  /** The key's ARN; absent where `keyFile` has it. */
  readonly key: string | undefined;
  readonly keyFile: string | undefined;
}

export async function liveArchive({ deployment, bucket, key, keyFile }: Names): Promise<Bundle> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ ...CLIENT_OPTIONS, forcePathStyle: process.env['AWS_ENDPOINT_URL'] !== undefined });
  const publicKey = keyFile === undefined ? await keyOfKms(key ?? '') : readKey(keyFile);
  return { archive: s3Archive(client, bucket), deployment, publicKey };
}

async function keyOfKms(key: string) {
  const { KMSClient } = await import('@aws-sdk/client-kms');
  return kmsPublicKey(new KMSClient(CLIENT_OPTIONS), key);
}

/** Every row of the record, as the stream brought it. */
export async function* rowsOf(table: string): AsyncIterable<StoredItem> {
  const query = { TableName: table, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: await dynamo() }, query))
    for (const item of Items) yield asStreamed(item);
}

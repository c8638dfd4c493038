/** Inputs in a bucket under their digests, checked on reading. */
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../domain/digest.ts';
import type { InputStore } from '../../ports/input-store.ts';

const keyOf = (digest: string): string => `input/${digest}`;

export function s3InputStore(client: S3Client, bucket: string): InputStore {
  return {
    /** Written anew though it may be there: the bucket lets go of an input so long after it was last asked about. */
    async put(digest, text) {
      const object = { Bucket: bucket, Key: keyOf(digest), Body: text, ContentType: 'application/json' };
      await client.send(new PutObjectCommand(object));
    },
    async get(digest) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(digest) }));
      const text = await Body?.transformToString();
      if (text === undefined || sha256Hex(text) !== digest) throw new Error('a kept input is not what its digest says');
      return text;
    },
  };
}

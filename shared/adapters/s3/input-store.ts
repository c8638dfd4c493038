/** Inputs in a bucket, written under the condition that they are new, checked on reading (A15). */
import { GetObjectCommand, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../domain/digest.ts';
import type { InputStore } from '../../ports/input-store.ts';

const keyOf = (digest: string): string => `input/${digest}`;

export function s3InputStore(client: S3Client, bucket: string): InputStore {
  return {
    async put(digest, text) {
      try {
        const object = {
          Bucket: bucket,
          Key: keyOf(digest),
          Body: text,
          ContentType: 'application/json',
          IfNoneMatch: '*',
        };
        await client.send(new PutObjectCommand(object));
      } catch (error) {
        if (!(error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412)) throw error;
      }
    },
    async get(digest) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(digest) }));
      const text = await Body?.transformToString();
      if (text === undefined || sha256Hex(text) !== digest) throw new Error('a kept input is not what its digest says');
      return text;
    },
  };
}

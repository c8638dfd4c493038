/** Stores the archive in a bucket with Object Lock; `If-None-Match: *` refuses a second put. */
import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { textOfBytes } from '../../domain/archive/text.ts';
import type { Archive } from '../../ports/stores/archive.ts';

/** Bytes of UTF-8 text; an object that is none was not written by the gate. */
const CONTENT_TYPE = 'text/plain; charset=utf-8';

export function s3Archive(client: S3Client, bucket: string): Archive {
  return {
    async *names(prefix, after) {
      const query = { Bucket: bucket, Prefix: prefix, ...(after === undefined ? {} : { StartAfter: after }) };
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, query))
        for (const { Key: key } of Contents) if (key !== undefined) yield key;
    },
    async read(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body && textOfBytes(await Body.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async put(key, text) {
      try {
        await client.send(
          new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ContentType: CONTENT_TYPE, IfNoneMatch: '*' }),
        );
        return true;
      } catch (error) {
        // 409: two puts of this name at once, of which one is refused or both; the next run finds out.
        if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return false;
        throw error;
      }
    },
  };
}

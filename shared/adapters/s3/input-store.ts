/** Stores large inputs in a bucket under their digests, and checks them on reading. */
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../domain/digest.ts';
import { InputGoneError, type InputStore, type TextKind } from '../../ports/stores/input-store.ts';

const keyOf = (digest: string, kind: TextKind): string => `${kind}/${digest}`;

/** Texts of the record that this process has stored: policies, questions and inputs come again and again. */
const REMEMBERED = 1_000;

export function s3InputStore(client: S3Client, bucket: string): InputStore {
  const stored = new Set<string>();
  return {
    /** Written anew though it may be there: the bucket lets go of an input so long after it was last asked about. */
    async put(digest, text, kind = 'input') {
      if (kind !== 'input' && stored.has(digest)) return;
      const object = { Bucket: bucket, Key: keyOf(digest, kind), Body: text, ContentType: 'application/json' };
      await client.send(new PutObjectCommand(object));
      if (stored.size >= REMEMBERED) stored.clear();
      if (kind !== 'input') stored.add(digest);
    },
    async get(digest, kind = 'input') {
      const { Body } = await client
        .send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(digest, kind) }))
        .catch(goneIfMissing);
      const text = await Body?.transformToString();
      if (text === undefined || sha256Hex(text) !== digest) throw new InputGoneError();
      return text;
    },
  };
}

/** S3 answers so only to those who may list the bucket; to others a missing object is one that is forbidden, which may pass. */
function goneIfMissing(error: unknown): never {
  throw error instanceof NoSuchKey ? new InputGoneError(error) : error;
}

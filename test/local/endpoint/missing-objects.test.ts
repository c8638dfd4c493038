// Checks that the local endpoint's S3 tells of a missing object only to who may list its bucket.
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientConfig, type Endpoint, startEndpoint } from './index.ts';
import { clientsOf, makeUser, type Statement, uniqueName } from './testing/fixtures.ts';

let endpoint: Endpoint;
const Bucket = uniqueName('bucket');
const arn = `arn:aws:s3:::${Bucket}`;

const s3Of = (credentials?: Awaited<ReturnType<typeof makeUser>>['credentials']) =>
  new S3Client({ ...clientConfig(endpoint), ...(credentials ? { credentials } : {}), forcePathStyle: true });

beforeAll(async () => {
  endpoint = await startEndpoint();
  await s3Of().send(new CreateBucketCommand({ Bucket }));
  await s3Of().send(new PutObjectCommand({ Bucket, Key: 'there', Body: 'text' }));
});
afterAll(() => endpoint?.stop());

/** The text of an object, or the name of the error. */
async function read(Key: string, statements: Statement[]): Promise<string | undefined> {
  const { credentials } = await makeUser(clientsOf(endpoint), statements);
  return s3Of(credentials)
    .send(new GetObjectCommand({ Bucket, Key }))
    .then(
      ({ Body }) => Body?.transformToString(),
      (error: Error) => error.name,
    );
}

const reads = { Action: 's3:GetObject', Resource: `${arn}/*` };
const lists = { Action: 's3:ListBucket', Resource: arn };

test('who may read but not list is refused what is not there', async () => {
  expect(await read('there', [reads])).toBe('text');
  expect(await read('gone', [reads])).toBe('AccessDenied');
});

test('who may list as well is told that it is not there', async () => {
  expect(await read('gone', [reads, lists])).toBe('NoSuchKey');
  expect(await read('gone', [reads, { ...lists, Resource: `${arn}-other` }])).toBe('AccessDenied');
  await expect(s3Of().send(new GetObjectCommand({ Bucket, Key: 'gone' }))).rejects.toThrow('does not exist');
});

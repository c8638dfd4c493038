/**
 * Makes copies of an archived record beside the deployed one: a bucket and a table each.
 *
 * Roles have on the copies what the deployed stack gives them on the originals, so that a test may attack a copy.
 */
import {
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { itemKey, type StoredItem } from '../../../shared/domain/archive/lines.ts';
import type { ArchiveWorld } from '../../unit/use-cases/archive/archive-world.ts';
import type { Operation } from '../../unit/use-cases/archive/attacks.ts';
import { e2eGate } from '../gate.ts';
import { alsoOn } from './rights.ts';

/** Names of all copies begin so. */
const PREFIX = 'record-copy-';

interface Clients {
  readonly s3: S3Client;
  readonly dynamodb: DynamoDBClient;
}

/** Contents of a record: texts of objects by their names, and rows by their keys. */
interface Contents {
  readonly objects: ReadonlyMap<string, string>;
  readonly rows: ReadonlyMap<string, StoredItem>;
}

export const contentsOf = ({ objects, rows }: ArchiveWorld): Contents => ({
  objects: new Map(objects),
  rows: new Map(rows.map((row) => [itemKey(row), row])),
});

interface Step {
  readonly operation: Operation;
  readonly send: (clients: Clients) => Promise<unknown>;
}

/** @returns takes the rights on copies away again */
export async function rightsOnCopies(roles: readonly string[]): Promise<() => Promise<void>> {
  const { outputs } = await e2eGate();
  const copies = (resource: string): string | undefined => {
    const [, start = '', end = ''] =
      new RegExp(`^(arn:.*:)${outputs.ArchiveBucket}(/.*)?$`).exec(resource) ??
      new RegExp(`^(arn:.*:table/)${outputs.AuditTable}()$`).exec(resource) ??
      [];
    return start ? `${start}${PREFIX}*${end}` : undefined;
  };
  const taken = await Promise.all(roles.map((role) => alsoOn(role, copies)));
  return async () => void (await Promise.all(taken.map((take) => take())));
}

export class RecordCopy {
  readonly name: string;

  constructor(number: number) {
    this.name = `${PREFIX}${number}`;
  }

  async make(contents: Contents): Promise<void> {
    const { root } = await e2eGate();
    const keys = ['pk', 'sk'] as const;
    await Promise.all([
      root.s3.send(new CreateBucketCommand({ Bucket: this.name })),
      root.dynamodb.send(
        new CreateTableCommand({
          TableName: this.name,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          KeySchema: keys.map((AttributeName) => ({
            AttributeName,
            KeyType: AttributeName === 'pk' ? 'HASH' : 'RANGE',
          })),
        }),
      ),
    ]);
    const waiter = { client: root.dynamodb, maxWaitTime: 60, minDelay: 0.1, maxDelay: 0.5 };
    await waitUntilTableExists(waiter, { TableName: this.name });
    await this.change({ objects: new Map(), rows: new Map() }, contents, root);
  }

  /**
   * Does what leads from one state to the other, with stolen credentials as far as they reach, else as the account's root.
   *
   * @returns the operations that the thief was refused
   */
  async change(before: Contents, after: Contents, thief: Clients): Promise<Operation[]> {
    const { root } = await e2eGate();
    const refused = await Promise.all(
      this.#steps(before, after).map(async ({ operation, send }) => {
        if (!(await isRefused(send(thief)))) return [];
        await send(root);
        return [operation];
      }),
    );
    return [...new Set(refused.flat())].toSorted();
  }

  #steps(before: Contents, after: Contents): Step[] {
    const { name } = this;
    const key = (row: StoredItem) => ({ pk: row['pk'], sk: row['sk'] }) as Item;
    return [
      ...differing(after.objects, before.objects).map(
        ([Key, Body]): Step => ({
          operation: 'PutObject',
          send: ({ s3 }) => s3.send(new PutObjectCommand({ Bucket: name, Key, Body })),
        }),
      ),
      ...[...before.objects.keys()]
        .filter((Key) => !after.objects.has(Key))
        .map(
          (Key): Step => ({
            operation: 'DeleteObject',
            send: ({ s3 }) => s3.send(new DeleteObjectCommand({ Bucket: name, Key })),
          }),
        ),
      ...differing(after.rows, before.rows).map(
        ([, row]): Step => ({
          operation: 'PutItem',
          send: ({ dynamodb }) => dynamodb.send(new PutItemCommand({ TableName: name, Item: row as Item })),
        }),
      ),
      ...[...before.rows]
        .filter(([one]) => !after.rows.has(one))
        .map(
          ([, row]): Step => ({
            operation: 'DeleteItem',
            send: ({ dynamodb }) => dynamodb.send(new DeleteItemCommand({ TableName: name, Key: key(row) })),
          }),
        ),
    ];
  }

  async remove(): Promise<void> {
    const { s3, dynamodb } = (await e2eGate()).root;
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: this.name }));
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length) await s3.send(new DeleteObjectsCommand({ Bucket: this.name, Delete: { Objects } }));
    await s3.send(new DeleteBucketCommand({ Bucket: this.name }));
    await dynamodb.send(new DeleteTableCommand({ TableName: this.name }));
  }
}

type Item = NonNullable<ConstructorParameters<typeof PutItemCommand>[0]['Item']>;

/** Entries that `from` lacks or has otherwise. */
const differing = <Value>(all: ReadonlyMap<string, Value>, from: ReadonlyMap<string, Value>): [string, Value][] =>
  [...all].filter(([key, value]) => JSON.stringify(from.get(key)) !== JSON.stringify(value));

/** @throws whatever is no refusal */
async function isRefused(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (/AccessDenied/.test((error as Error).name)) return true;
    throw error;
  }
}

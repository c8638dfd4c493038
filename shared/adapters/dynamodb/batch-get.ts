/** Reads up to a hundred items by key, and asks again for those that DynamoDB left out. */
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './items.ts';
import { pauseOf, type RetryPause } from './retry-pause.ts';

const MAX_TRIES = 6;

/** By its name a fault that waiting mends, as that of a request without an answer. */
class BatchTimeout extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Reads items by key, and returns them by table; a key without an item adds none. @throws Error if the service still left keys out after six
 * tries and some two seconds of pauses, because rows missing from the answer would count as rows that do not exist.
 */
export async function batchGet(
  client: DynamoDBClient,
  wanted: NonNullable<BatchGetItemCommandInput['RequestItems']>,
  pause: RetryPause = pauseOf(client),
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const items = new Map(Object.keys(wanted).map((table) => [table, [] as Item[]]));
  let request: BatchGetItemCommandInput['RequestItems'] = wanted;
  for (let attempt = 1; ; attempt++) {
    const page: BatchGetItemCommandOutput = await client.send(new BatchGetItemCommand({ RequestItems: request }));
    for (const [table, found] of Object.entries(page.Responses ?? {})) items.get(table)?.push(...found);
    request = page.UnprocessedKeys;
    if (!request || !Object.keys(request).length) return items;
    if (attempt === MAX_TRIES) throw new BatchTimeout('the tables did not answer the whole batch');
    await pause(attempt);
  }
}

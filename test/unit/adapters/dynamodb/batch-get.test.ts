/**
 * Checks batched reads under throttling: left out keys are read again, never taken as missing.
 *
 * Pauses come before each new read.
 */
import { type BatchGetItemCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { batchGet } from '../../../../shared/adapters/dynamodb/batch-get.ts';
import type { Item } from '../../../../shared/adapters/dynamodb/items.ts';
import { pauseBound } from '../../../../shared/adapters/dynamodb/retry-pause.ts';
import { isOutage } from '../../../../shared/adapters/slack/posting/outage.ts';

const key = (name: string): Item => ({ pk: { S: name } });

/** A service that answers `perCall` keys of each request, and leaves out the others. */
async function against(keys: readonly string[], perCall: number) {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const pauses: number[] = [];
  client.send = async (command: { input: BatchGetItemCommandInput }) => {
    const asked = command.input.RequestItems?.['state']?.Keys ?? [];
    const left = asked.slice(perCall);
    return {
      Responses: { state: asked.slice(0, perCall) },
      UnprocessedKeys: left.length ? { state: { Keys: left } } : {},
    };
  };
  const result = await batchGet(client, { state: { Keys: keys.map(key) } }, async (attempt) => {
    pauses.push(attempt);
  }).catch((error: Error) => error);
  return { found: result instanceof Error ? result : result.get('state'), pauses };
}

describe('keys that the service leaves out', () => {
  test('are asked for again after a pause each, and all are found', async () => {
    expect(await against(['a', 'b', 'c'], 1)).toEqual({ found: [key('a'), key('b'), key('c')], pauses: [1, 2] });
  });

  test('make the read fail when they are still left out after six tries', async () => {
    const { found, pauses } = await against(['a'], 0);
    expect(found).toMatchObject({ name: 'TimeoutError', message: 'the tables did not answer the whole batch' });
    expect(pauses).toEqual([1, 2, 3, 4, 5]);
    // A card that met it waits as for any outage, and is not set aside.
    expect(isOutage(found)).toBe(true);
  });
});

test('the bound of a pause doubles up to a second', () => {
  expect([1, 2, 3, 4, 5, 6, 9].map(pauseBound)).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
});

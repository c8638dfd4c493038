/** Checks that the published vectors are what the code computes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VECTORS_FILE, wireVectors } from '../../python/vectors/vectors.ts';

test('the vectors that the package publishes are what the code computes', async () => {
  const committed = JSON.parse(readFileSync(join(import.meta.dirname, '../../..', VECTORS_FILE), 'utf8')) as unknown;
  const computed = JSON.parse(JSON.stringify(await wireVectors())) as unknown;
  expect(committed, `${VECTORS_FILE} is stale: run npm run vectors`).toEqual(computed);
});

// Checks the cache of what LocalStack needs, when its making was cut off.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cacheDirectory } from '../../../shared/dev/aws/cache.ts';
import { prepareLocalStack } from './start.ts';

const folder = await mkdtemp(join(tmpdir(), 'localstack-cache-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a half-installed cache is made whole by the next start', async () => {
  const real = cacheDirectory();
  await prepareLocalStack(process.env, () => {});
  const env = { ...process.env, COUNTERSIGN_CACHE: folder };
  const cache = cacheDirectory(env);
  await mkdir(cache, { recursive: true });
  // The packages are whole already; the jars were being laid out when their process died.
  for (const name of await readdir(real))
    if (name.startsWith('localstack-py')) await symlink(join(real, name), join(cache, name));
  const jars = (await readdir(real)).find((name) => name.startsWith('localstack-jars-') && !name.includes('partial'));
  await mkdir(join(cache, String(jars), 'dynamodb-local'), { recursive: true });
  await mkdir(join(cache, `${jars}.partial-999999999-abcdef`));
  const printed: string[] = [];
  const { libraries } = await prepareLocalStack(env, (line) => printed.push(line));
  expect(printed).toEqual([expect.stringContaining('fetching DynamoDB Local')]);
  expect(existsSync(join(libraries, 'dynamodb-local', '2', 'DynamoDBLocal.jar'))).toBe(true);
  expect((await readdir(cache)).filter((name) => name.includes('partial'))).toEqual([]);
});

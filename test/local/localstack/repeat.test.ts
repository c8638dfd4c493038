// Checks that start, deploy and stop, again and again, leave nothing but the cache.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { cacheDirectory } from '../../../shared/dev/aws/cache.ts';
import { deployStack, startEndpoint } from '../endpoint/index.ts';
import { ENDPOINTS } from '../endpoint/start-endpoint.ts';
import { groupIsThere, listens } from '../endpoint/testing/left-behind.ts';

const SAMPLE = 'node test/local/endpoint/testing/sample-app.ts';

afterEach(() => vi.unstubAllEnvs());

test.each(ENDPOINTS)(
  '%s: three times in a row leave no process, no port and no file',
  async (name) => {
    const [home, temporary] = [await mkdtemp(join(tmpdir(), 'home-')), await mkdtemp(join(tmpdir(), 'temporary-'))];
    const project = async () => (await readdir('.')).toSorted();
    const before = await project();
    vi.stubEnv('COUNTERSIGN_CACHE', join(cacheDirectory(), '..'));
    // Installed parts may be used (Python, Maven's downloads); new files come to light in these two folders.
    vi.stubEnv('HOME', home);
    vi.stubEnv('TMPDIR', temporary);
    vi.stubEnv('COUNTERSIGN_ENDPOINT', name);
    for (let time = 0; time < 3; time++) {
      const endpoint = await startEndpoint();
      const { Sample } = await deployStack(endpoint, { app: SAMPLE });
      expect(Sample).toHaveProperty('QueueUrl');
      await endpoint.stop();
      expect(groupIsThere(Number(endpoint.pid))).toBe(false);
      expect(await listens(Number(new URL(endpoint.url).port))).toBe(false);
      expect(await readdir(temporary)).toEqual([]);
      expect(await readdir(home)).toEqual([]);
      expect(await project()).toEqual(before);
    }
    await Promise.all([home, temporary].map((folder) => rm(folder, { recursive: true })));
  },
  600_000,
);

// Checks that the endpoint names a missing part in one line with its remedy.
//
// Tests a machine without a part of LocalStack. Nothing is half done, and the next start works.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheDirectory } from '../../../shared/dev/aws/cache.ts';
import { run } from '../../../shared/dev/aws/run.ts';
import { startEndpoint } from './index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'localstack-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program on the path that is nothing but these lines of a shell. */
const program = async (bin: string, name: string, lines: string) => {
  await writeFile(join(bin, name), `#!/bin/sh\n${lines}\n`);
  await chmod(join(bin, name), 0o755);
};

interface Machine {
  readonly bin: string;
  readonly cache: string;
  readonly env: Record<string, string>;
}

/** One that has a Java 17, a Python 3.13 that takes a minute to install anything, and no Maven. */
async function machine(): Promise<Machine> {
  const root = await mkdtemp(join(folder, 'machine-'));
  const bin = join(root, 'bin');
  await mkdir(join(root, 'java', 'bin'), { recursive: true });
  await mkdir(bin);
  await writeFile(join(root, 'java', 'bin', 'java'), '');
  await program(bin, 'java', `printf 'java.specification.version = 17\\njava.home = ${join(root, 'java')}\\n'`);
  await program(
    bin,
    'python3.13',
    `case "$1" in -c) echo True 3.13.9;; *) echo $$ > ${root}/pid; exec sleep 60;; esac`,
  );
  for (const name of ['sh', 'sleep']) await symlink(`/bin/${name}`, join(bin, name));
  const env = { PATH: bin, HOME: root, COUNTERSIGN_CACHE: join(root, 'cache'), COUNTERSIGN_ENDPOINT: 'localstack' };
  return { bin, cache: cacheDirectory(env), env };
}

const unavailable = (message: string | RegExp) => ({
  code: 'endpoint_unavailable',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});

describe.runIf(process.platform === 'linux')('a machine that cannot run LocalStack is told so', () => {
  test('without Java, or with an old one', async () => {
    const { bin, env, cache } = await machine();
    const expected = unavailable('Java 17 or newer is not installed: apt-get install openjdk-17-jre-headless');
    await program(bin, 'java', `printf 'java.specification.version = 11\\njava.home = /usr\\n'`);
    await expect(startEndpoint({ env })).rejects.toMatchObject(expected);
    await rm(join(bin, 'java'));
    await expect(startEndpoint({ env })).rejects.toMatchObject(expected);
    expect(existsSync(cache)).toBe(false);
  });

  test('without Python 3.13, or with a newer one', async () => {
    const { bin, env, cache } = await machine();
    const expected = unavailable('Python 3.13 is not installed: pyenv install 3.13');
    await program(bin, 'python3.13', 'echo False 3.14.0');
    await expect(startEndpoint({ env })).rejects.toMatchObject(expected);
    await rm(join(bin, 'python3.13'));
    await expect(startEndpoint({ env })).rejects.toMatchObject(expected);
    expect(existsSync(cache)).toBe(false);
  });

  test('without Maven, before anything is fetched', async () => {
    const { env, cache } = await machine();
    await expect(startEndpoint({ env })).rejects.toMatchObject(
      unavailable('Maven is not installed: apt-get install maven'),
    );
    expect(existsSync(cache)).toBe(false);
  });

  test('if the jars are not to be had: the installation beside it is ended, nothing is left, and the next start tries again', async () => {
    const { bin, env, cache } = await machine();
    await program(bin, 'mvn', `case "$1" in -v) exit 0;; *) echo '[ERROR] no such host'; exit 1;; esac`);
    for (let time = 0; time < 2; time++) {
      await expect(startEndpoint({ env })).rejects.toMatchObject(
        unavailable(/^The jars for LocalStack could not be fetched \(\[ERROR\] no such host\): mvn -f .* package$/),
      );
      expect((await readdir(cache)).filter((name) => name !== 'install.log')).toEqual([]);
    }
    const { output } = await run('/bin/sh', ['-c', 'kill -0 $(cat pid) 2>&1 || true'], { cwd: join(bin, '..') });
    // Without a number: the program was ended before it had written its own.
    expect(output).toMatch(/no such process|can't open|cannot open|No such|Usage/i);
  });
});

test('a port in use is named, before anything starts', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const port = String((server.address() as { port: number }).port);
  for (const COUNTERSIGN_ENDPOINT of ['localstack', 'ministack']) {
    const env = { ...process.env, COUNTERSIGN_ENDPOINT, COUNTERSIGN_ENDPOINT_PORT: port };
    await expect(startEndpoint({ env })).rejects.toThrow(
      `Port ${port} is in use: end what listens there, or unset COUNTERSIGN_ENDPOINT_PORT`,
    );
  }
  await new Promise((done) => server.close(done));
  await expect(startEndpoint({ env: { ...process.env, COUNTERSIGN_ENDPOINT_PORT: '4566x' } })).rejects.toThrow(
    'COUNTERSIGN_ENDPOINT_PORT is 4566x: it may be a port from 1 to 65535',
  );
});

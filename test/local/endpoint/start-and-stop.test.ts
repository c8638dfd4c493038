// Starts and stops the local endpoint: what it refuses, reports and leaves behind (nothing).
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rootCertificates } from 'node:tls';
import { InvokeCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheDirectory, cachedDirectory, isAlive, isCached } from '../../../shared/dev/aws/cache.ts';
import { isLoopback } from '../../../shared/dev/aws/loopback.ts';
import { MINISTACK } from '../../../shared/dev/aws/ministack-folder.ts';
import { findPython, pythonWith } from '../../../shared/dev/aws/python.ts';
import { run } from '../../../shared/dev/aws/run.ts';
import { PACKAGES } from '../../../shared/dev/aws/start-ministack.ts';
import {
  childEnvironment,
  deployStack,
  type Endpoint,
  localFunctionUrl,
  startEndpoint,
  useInThisProcess,
} from './index.ts';
import { clientsOf, makeFunction } from './testing/fixtures.ts';
import { listens } from './testing/left-behind.ts';
import { until } from './testing/until.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endpoint-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const portOf = (url: string) => Number(new URL(url).port);

async function invoke(endpoint: Endpoint, body: string): Promise<unknown> {
  const root = clientsOf(endpoint);
  const { name } = await makeFunction(root, body);
  const answer = await root.lambda.send(new InvokeCommand({ FunctionName: name }));
  return JSON.parse(answer.Payload?.transformToString() ?? 'null');
}

describe('an endpoint', () => {
  test('answers over TLS, runs functions on Node 24, and is gone after stop', async () => {
    const https = await listens(443);
    const [ca, own = ''] = [join(folder, 'ca.pem'), rootCertificates[0]];
    await writeFile(ca, own);
    const given = { ...process.env, AWS_CA_BUNDLE: ca, NODE_EXTRA_CA_CERTS: undefined, NOT_FOR_FUNCTIONS: 'secret' };
    const endpoint = await startEndpoint({ env: given });
    // Agents ask other services, too, by a proxy of their user.
    for (const name of ['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'])
      expect(await readFile(String(endpoint.env[name]), 'utf8'), name).toContain(own);
    const { sts } = clientsOf(endpoint);
    expect(await sts.send(new GetCallerIdentityCommand({}))).toMatchObject({ Account: '000000000000' });
    expect(await listens(443)).toBe(https);
    const inside = (await invoke(
      endpoint,
      'return { version: process.version, pid: process.pid, env: process.env };',
    )) as {
      version: string;
      pid: number;
      env: Record<string, string>;
    };
    expect(inside.version).toMatch(/^v24\./);
    expect(inside.env).toMatchObject({ AWS_ENDPOINT_URL: endpoint.url, AWS_REGION: 'us-east-1' });
    expect(inside.env).not.toHaveProperty('NOT_FOR_FUNCTIONS');
    expect(isAlive(inside.pid)).toBe(true);
    await endpoint.stop();
    await endpoint.stop();
    expect([isAlive(Number(endpoint.pid)), isAlive(inside.pid), await listens(portOf(endpoint.url))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(existsSync(String(endpoint.env.NODE_EXTRA_CA_CERTS))).toBe(false);
    expect(await readFile(String(endpoint.logFile), 'utf8')).toContain('Ready');
  });

  test("gives each invocation its own lines of the function's log", async () => {
    const endpoint = await startEndpoint();
    const root = clientsOf(endpoint);
    const { name } = await makeFunction(root, `if (event.say) process.stdout.write(event.say + (event.end ?? ''));`);
    const logOf = async (event: object) => {
      const input = { FunctionName: name, Payload: JSON.stringify(event), LogType: 'Tail' as const };
      const answer = await root.lambda.send(new InvokeCommand(input));
      return Buffer.from(String(answer.LogResult ?? ''), 'base64').toString();
    };
    expect(await logOf({ say: 'first', end: '\n' })).toContain('first');
    expect(await logOf({})).not.toContain('first');
    expect(await logOf({ say: 'without end' })).toMatch(/without end$/m);
    await endpoint.stop();
  });

  test('lets a function that is changed finish what it has begun, and then ends it', async () => {
    const endpoint = await startEndpoint();
    const root = clientsOf(endpoint);
    const begun = join(await mkdtemp(join(folder, 'changed-')), 'begun');
    const { name } = await makeFunction(
      root,
      `const fs = await import('node:fs');
      const end = Date.now() + 30_000;
      if (event.file) fs.writeFileSync(event.file, '');
      while (event.file && fs.existsSync(event.file) && Date.now() < end) await new Promise((done) => setTimeout(done, 10));
      return { pid: process.pid, variable: process.env.VARIABLE ?? 'none' };`,
      { timeout: 60 },
    );
    const answerTo = async (event: object) => {
      const input = { FunctionName: name, Payload: JSON.stringify(event) };
      const { Payload, FunctionError } = await root.lambda.send(new InvokeCommand(input));
      expect(FunctionError).toBeUndefined();
      return JSON.parse(String(Payload?.transformToString())) as { pid: number; variable: string };
    };
    const first = answerTo({ file: begun });
    await until('the first invocation', () => existsSync(begun));
    const Environment = { Variables: { VARIABLE: 'changed' } };
    await root.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: name, Environment }));
    await until('the changed function', async () => (await answerTo({})).variable === 'changed');
    await rm(begun);
    const { pid, variable } = await first;
    expect(variable).toBe('none');
    await until('the end of the process of before', () => !isAlive(pid));
    await endpoint.stop();
  });

  test('whose MiniStack was killed leaves no function behind, and can still be stopped', async () => {
    const endpoint = await startEndpoint();
    const functionPid = Number(await invoke(endpoint, 'return process.pid;'));
    expect(isAlive(functionPid)).toBe(true);
    process.kill(Number(endpoint.pid), 'SIGKILL');
    await until('the function to end', () => !isAlive(functionPid));
    await endpoint.stop();
  });

  test('is one of several side by side, and known to this process and its children by the environment alone', async () => {
    const [one, two] = await Promise.all([startEndpoint(), startEndpoint()]);
    try {
      expect(portOf(one.url)).not.toBe(portOf(two.url));
      const before = { ...process.env };
      useInThisProcess(one);
      expect((await fetch(`${process.env.AWS_ENDPOINT_URL}/_ministack/health`)).status).toBe(200);
      expect((await fetch(`https://localhost:${portOf(one.url)}/_ministack/health`)).status).toBe(200);
      for (const name of Object.keys(one.env)) process.env[name] = before[name] ?? '';
      const child = `fetch(process.env.AWS_ENDPOINT_URL + '/_ministack/health').then((r) => console.log(r.status))`;
      const result = await run(process.execPath, ['-e', child], { env: childEnvironment(two) });
      expect(result.output).toContain('200');
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});

describe('when the process that started it', () => {
  let parent: ChildProcess | undefined;
  afterAll(() => parent?.kill('SIGKILL'));

  test.each(['SIGKILL', 'SIGINT'] as const)('ends by %s, no process, port or file is left', async (signal) => {
    const script = join(import.meta.dirname, 'testing/start-and-wait.ts');
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    parent = child;
    const line = await new Promise<string>((done) => createInterface({ input: child.stdout }).once('line', done));
    const { pid, functionPid, url } = JSON.parse(line) as { pid: number; functionPid: number; url: string };
    expect([isAlive(pid), isAlive(functionPid), await listens(portOf(url))]).toEqual([true, true, true]);
    child.kill(signal);
    await until(
      'everything to end',
      async () => !isAlive(pid) && !isAlive(functionPid) && !(await listens(portOf(url))),
    );
    await until(
      'its files to be removed',
      async () => !(await readdir(tmpdir())).some((name) => name.includes(`-endpoint-${child.pid}-`)),
    );
  });
});

describe('AWS_ENDPOINT_URL', () => {
  test.each([
    'https://dynamodb.us-east-1.amazonaws.com',
    'http://10.0.0.1:4566',
    'http://127.0.0.1.example.com',
    'http://user@example.com',
    'localhost:4566',
  ])('%s is refused', async (url) => {
    await expect(startEndpoint({ env: { AWS_ENDPOINT_URL: url } })).rejects.toMatchObject({
      code: 'endpoint_not_local',
      message: expect.stringContaining(url),
    });
    const endpoint = { kind: 'given', url, env: {}, pid: undefined, logFile: undefined, stop: async () => {} } as const;
    await expect(deployStack(endpoint, { app: 'true' })).rejects.toMatchObject({ code: 'endpoint_not_local' });
  });

  test('on this machine is used as it is, with the credentials that are there', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const endpoint = await startEndpoint({ env: { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'mine' } });
    expect(endpoint).toMatchObject({ kind: 'given', url, env: { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'mine' } });
    // Buckets have no names of their own there.
    expect(endpoint.env['AWS_ENDPOINT_URL_S3']).toBe(url.replace('localhost', '127.0.0.1'));
    const given = 'http://abc.lambda-url.us-east-1.localhost.localstack.cloud:4566/slack';
    expect(localFunctionUrl(endpoint, given)).toBe('http://abc.lambda-url.us-east-1.localhost:4566/slack');
    await endpoint.stop();
    expect(server.listening).toBe(true);
    await new Promise((done) => server.close(done));
    await expect(startEndpoint({ env: { AWS_ENDPOINT_URL: url } })).rejects.toThrow(
      /does not answer.*start it, or unset/,
    );
  });

  test('is loopback by address or name', () => {
    const local = [
      'http://127.0.0.1:1',
      'https://127.8.8.8',
      'http://[::1]:4566',
      'http://localhost',
      'http://LOCALHOST:1',
      'http://a.localhost',
    ];
    expect(local.filter((url) => !isLoopback(url))).toEqual([]);
  });
});

/** A folder with scripts that play Pythons, by their names. */
async function pythons(scripts: Readonly<Record<string, string>>): Promise<string> {
  const bin = await mkdtemp(join(folder, 'bin-'));
  for (const [name, text] of Object.entries(scripts))
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return bin;
}

/** A Python of this version; `pip` is the script of the one in its virtual environments. */
const pythonOf = (version: string, pip: string): string =>
  `case "$1" in -c) echo True ${version};; *) for last; do :; done; mkdir -p "$last/bin"; printf "#!/bin/sh\\n${pip}" > "$last/bin/python"; chmod +x "$last/bin/python";; esac`;
const FAILS = 'echo ERROR: no network; exit 1';

describe('a machine that cannot run it is told so', () => {
  const start = (path: string, env = {}) =>
    startEndpoint({ env: { PATH: path, COUNTERSIGN_CACHE: join(folder, 'cache'), ...env } });
  const python = (output: string) => pythons({ python3: output });

  test('without Python, or with an old one', async () => {
    const message = 'Python 3.10 or newer is not installed: apt-get install python3 python3-venv';
    const expected = { code: 'endpoint_unavailable', ...(process.platform === 'linux' ? { message } : {}) };
    await expect(start(folder)).rejects.toMatchObject(expected);
    await expect(start(await python('echo False 3.9.2'))).rejects.toMatchObject(expected);
  });

  test('without its venv module', async () => {
    const message = "Python's venv module is not installed: apt-get install python3-venv";
    await expect(start(await python('echo True 3.12.1; exit 1'))).rejects.toMatchObject({
      code: 'endpoint_unavailable',
      message,
    });
  });

  test('if MiniStack cannot be installed, and the next start tries again', async () => {
    const bin = await pythons({ python3: pythonOf('3.12.1', FAILS) });
    // Without another Python of this machine, which would be tried next.
    const only = { COUNTERSIGN_PYTHON: join(bin, 'python3') };
    const expected = {
      code: 'endpoint_unavailable',
      message: expect.stringMatching(/could not be installed \(.*no network.*install\.log/),
    };
    await expect(start('/bin', only)).rejects.toMatchObject(expected);
    await expect(start('/bin', only)).rejects.toMatchObject(expected);
    expect(await readdir(join(folder, 'cache/endpoint'))).toEqual(['install.log']);
  });
});

describe('a Python that cannot install the packages', () => {
  const told: string[] = [];
  const installed = async (bin: string, cache: string): Promise<string> => {
    const packages = { ...PACKAGES, commands: ['python3', 'python3.13', 'python3.14'] };
    told.length = 0;
    const env = { PATH: `${bin}:/bin`, HOME: bin };
    const python = await pythonWith(packages, join(folder, cache), (line) => told.push(line), env);
    return python.slice(join(folder, cache).length);
  };

  test('makes room for the next one, which is the one of later runs', async () => {
    const works = 'exit 0';
    const bin = await pythons({
      python3: pythonOf('3.12.1', FAILS),
      'python3.13': pythonOf('3.13.1', works),
      'python3.14': pythonOf('3.14.1', works),
    });
    const found = expect.stringMatching(/^\/ministack-py3\.13\.1-\w+\/bin\/python$/);
    expect(await installed(bin, 'next')).toEqual(found);
    expect(told).toEqual([
      expect.stringMatching(/^installing MiniStack into .*py3\.12\.1/),
      expect.stringMatching(/could not be installed \(.*no network.*python3; trying another Python$/),
      expect.stringMatching(/^installing MiniStack into .*py3\.13\.1/),
    ]);
    expect(await installed(bin, 'next')).toEqual(found);
    expect(told).toEqual([]);
  });

  test('is the last one: its problem is told', async () => {
    const bin = await pythons({
      python3: pythonOf('3.12.1', 'echo ERROR: first; exit 1'),
      'python3.13': pythonOf('3.12.1', 'echo ERROR: the same; exit 1'),
      'python3.14': pythonOf('3.14.1', 'echo ERROR: last; exit 1'),
    });
    await expect(installed(bin, 'none')).rejects.toThrow(
      /could not be installed \(.*last.*another Python than python3\.14/,
    );
    expect(told.filter((line) => line.startsWith('installing'))).toHaveLength(2);
  });
});

test.runIf(process.platform === 'linux')("the distribution's Python comes before another on the path", async () => {
  const bin = await pythons({ python3: 'echo True 3.12.1' });
  const own = await findPython(PACKAGES, { PATH: '/usr/bin' }).catch(() => undefined);
  const found = await findPython(PACKAGES, { PATH: `${bin}:/usr/bin` });
  expect(found).toEqual(own ?? { command: 'python3', version: '3.12.1' });
});

test('the launcher refuses a MiniStack that its corrections are not written for', async () => {
  const other = join(folder, 'ministack');
  await cp(MINISTACK, other, { recursive: true });
  const requirements = await readFile(join(other, 'requirements.txt'), 'utf8');
  await writeFile(join(other, 'requirements.txt'), requirements.replace(/^ministack==.*$/m, 'ministack==9.9.9'));
  const interpreter = await pythonWith(PACKAGES, cacheDirectory(), () => {});
  const result = await run(interpreter, ['-B', join(other, 'launcher.py')]);
  expect(result).toMatchObject({
    code: 1,
    output: 'The corrections are written for MiniStack 9.9.9, but this is 1.5.33.',
  });
});

describe('the cache', () => {
  const fill = (text: string) => (directory: string) => writeFile(join(directory, 'content'), text);

  test('replaces what was not finished, and keeps what was', async () => {
    const cache = join(folder, 'half');
    await mkdir(join(cache, 'thing'), { recursive: true });
    await writeFile(join(cache, 'thing/content'), 'half');
    await mkdir(join(cache, 'thing.partial-999999999-abcdef'));
    const path = await cachedDirectory(cache, 'thing', fill('whole'));
    expect(await readFile(join(path, 'content'), 'utf8')).toBe('whole');
    expect(await readdir(cache)).toEqual(['thing']);
    expect(await cachedDirectory(cache, 'thing', fill('other'))).toBe(path);
    expect(await readFile(join(path, 'content'), 'utf8')).toBe('whole');
  });

  test('forgets what failed', async () => {
    const cache = join(folder, 'failed');
    const failing = cachedDirectory(cache, 'thing', () => Promise.reject(new Error('no disk')));
    await expect(failing).rejects.toThrow('no disk');
    expect(await readdir(cache)).toEqual([]);
  });

  test('has one winner if several fill it at once', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `${index}`);
    for (let round = 0; round < 50; round++) {
      const cache = join(folder, `race-${round}`);
      // Every second time what is there is not whole.
      if (round % 2) {
        await mkdir(join(cache, 'thing'), { recursive: true });
        await fill('half')(join(cache, 'thing'));
      }
      const paths = await Promise.all(texts.map((text) => cachedDirectory(cache, 'thing', fill(text))));
      expect(new Set(paths)).toEqual(new Set([join(cache, 'thing')]));
      expect(await readdir(cache)).toEqual(['thing']);
      expect(isCached(cache, 'thing')).toBe(true);
    }
  });
});

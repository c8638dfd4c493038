/** Checks the env files by a shell and by Node, and who may have their folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { envFileText, makeEnvFolder } from '../../../shared/dev/env-files.ts';

const base = mkdtempSync(join(tmpdir(), 'countersign-env-'));
afterAll(() => rmSync(base, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());
let folders = 0;
const fresh = (): string => join(base, String(++folders));

test('a shell and Node read the same values, and what has none is not set', () => {
  const text = envFileText({ PLAIN: 'a b $HOME `x`', QUOTED: 'c d', AWS_PROFILE: '', GONE: undefined });
  const file = join(base, 'one.env');
  writeFileSync(file, text);
  const script = `AWS_PROFILE=mine GONE=x; export AWS_PROFILE GONE; . ${file}; printf '%s|%s|%s' "$PLAIN" "$QUOTED" "\${AWS_PROFILE-unset} \${GONE-unset}"`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe('a b $HOME `x`|c d|unset unset');
  expect(parseEnv(text)).toEqual({ PLAIN: 'a b $HOME `x`', QUOTED: 'c d' });
});

test('a quote in a value stays within it', () => {
  const script = `${envFileText({ SLY: "a'; echo broken '" })}printf %s "$SLY"`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe("a'; echo broken '");
});

test('only its owner reads a file, git ignores it, and a name that is gone has none', () => {
  const folder = makeEnvFolder(fresh());
  folder.write({ a: { X: '1' }, b: { X: '2' } });
  folder.write({ b: { X: '3' } });
  expect(readdirSync(folder.path).toSorted()).toEqual(['.gitignore', 'aws', 'b.env', 'pid']);
  expect(readFileSync(join(folder.path, 'b.env'), 'utf8')).toMatch(/^export X='3'\n/);
  expect(readFileSync(join(folder.path, '.gitignore'), 'utf8')).toBe('*\n');
  const modeOf = (...names: string[]) => statSync(join(folder.path, ...names)).mode & 0o777;
  expect([modeOf(), modeOf('b.env'), modeOf('aws'), modeOf('aws', 'credentials')]).toEqual([
    0o700, 0o600, 0o700, 0o600,
  ]);
  folder.remove();
  expect(() => statSync(folder.path)).toThrow('ENOENT');
});

test('each file is a profile that an AWS SDK finds by the variables of every file, and no other profile is', async () => {
  const folder = makeEnvFolder(fresh());
  const of = (name: string, rest = {}) => ({
    AWS_REGION: 'eu-west-3',
    AWS_ENDPOINT_URL: 'https://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: `KEY-${name}`,
    AWS_SECRET_ACCESS_KEY: 's',
    ...rest,
  });
  folder.write({ builder: of('builder'), 'operators/oncall': of('oncall', { AWS_SESSION_TOKEN: 't' }) });
  const text = readFileSync(join(folder.path, 'operators', 'oncall.env'), 'utf8');
  const { AWS_CONFIG_FILE: config = '', AWS_SHARED_CREDENTIALS_FILE: credentials = '' } = parseEnv(text);
  // Variables win over a profile.
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONFIG_FILE', config);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', credentials);
  const used = async (profile: string) => {
    const client = new SQSClient({ profile });
    const { accessKeyId, sessionToken } = await client.config.credentials();
    return [accessKeyId, sessionToken, await client.config.region()];
  };
  expect(await used('builder')).toEqual(['KEY-builder', undefined, 'eu-west-3']);
  expect(await used('operators/oncall')).toEqual(['KEY-oncall', 't', 'eu-west-3']);
  await expect(used('default')).rejects.toThrow('Could not load credentials');
  expect(readFileSync(config, 'utf8')).toBe(
    ['builder', 'operators/oncall']
      .map((name) => `[profile ${name}]\nregion = eu-west-3\nendpoint_url = https://127.0.0.1:1\n`)
      .join('\n'),
  );
});

test('a second run in the same folder is refused, and names the first', () => {
  const { path } = makeEnvFolder(fresh());
  expect(() => makeEnvFolder(path)).toThrow(`countersign dev runs here already (process ${process.pid})`);
});

test('the folder of a run that was killed is taken over, with nothing of it', () => {
  const killed = makeEnvFolder(fresh());
  killed.write({ old: { X: '1' } });
  const { path } = makeEnvFolder(killed.path, () => false);
  expect(readdirSync(path).toSorted()).toEqual(['.gitignore', 'pid']);
});

test('a folder of somebody else stays as it is', () => {
  const path = fresh();
  mkdirSync(path);
  writeFileSync(join(path, 'notes.txt'), 'mine');
  expect(() => makeEnvFolder(path)).toThrow('is no folder of countersign dev');
  expect(readdirSync(path)).toEqual(['notes.txt']);
});

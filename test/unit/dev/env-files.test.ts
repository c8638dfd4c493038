/** Checks the env files by a shell and by Node, and who may have their folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { envFileText, makeEnvFolder } from '../../../shared/dev/env-files.ts';

const base = mkdtempSync(join(tmpdir(), 'countersign-env-'));
afterAll(() => rmSync(base, { recursive: true }));
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
  expect(readdirSync(folder.path).toSorted()).toEqual(['.gitignore', 'b.env', 'pid']);
  expect(readFileSync(join(folder.path, 'b.env'), 'utf8')).toBe("export X='3'\n");
  expect(readFileSync(join(folder.path, '.gitignore'), 'utf8')).toBe('*\n');
  expect([statSync(folder.path).mode & 0o777, statSync(join(folder.path, 'b.env')).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
  folder.remove();
  expect(() => statSync(folder.path)).toThrow('ENOENT');
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

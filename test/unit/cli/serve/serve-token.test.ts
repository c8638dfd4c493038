/** Tests the token of the door, and the settings of `countersign serve`. */
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { tokenOf } from '../../../../shared/cli/serve/token-file.ts';
import { cli } from '../run-cli.ts';

describe('the token file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-token-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'deep', 'token');

  test('is made for its user alone, and read again', () => {
    const token = tokenOf(file);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
    expect(tokenOf(file)).toBe(token);
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
  });

  test.each([
    ['that others may read', 0o644, 'x'.repeat(40), /others may read or change/],
    ['that is empty', 0o600, '', /holds no token/],
    ['that holds a short word', 0o600, 'secret', /holds no token/],
  ])('%s is refused by its name', (name, mode, text, why) => {
    const other = join(folder, name);
    writeFileSync(other, text, { mode });
    expect(() => tokenOf(other)).toThrow(why);
    expect(() => tokenOf(other)).toThrow(other);
  });

  test('that is a link is refused', () => {
    const link = join(folder, 'link');
    symlinkSync(file, link);
    expect(() => tokenOf(link)).toThrow(/cannot be used/);
  });
});

describe('serve', () => {
  test.each([
    [['--hold', '5s'], '--hold'],
    [['--token-env', 'billing=HOME'], '--token-env'],
    [['--policy', 'other.yaml'], '--policy'],
  ])('refuses %j, which without --mcp would do nothing', async (argv, flag) => {
    const { code, err } = await cli(['serve', ...argv]);
    expect([code, err]).toEqual([2, expect.stringContaining(`${flag}: only with --mcp`)]);
  });

  const folder = mkdtempSync(join(tmpdir(), 'countersign-serve-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('names a setting that is missing', async () => {
    const { code, err } = await cli(['serve', '--port', '0', '--token-file', join(folder, 'token')]);
    expect([code, err]).toEqual([2, expect.stringContaining('COUNTERSIGN_AGENT')]);
  });

  test.each(['70000', 'x', '-1', ''])('takes no port %s', async (port) => {
    const { code, err } = await cli(['serve', `--port=${port}`]);
    expect([code, err]).toEqual([2, expect.stringContaining('is no port')]);
  });
});

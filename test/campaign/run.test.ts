/** Checks how the command answers what it does not know. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const ran = (...options: string[]) =>
  spawnSync(process.execPath, ['test/campaign/run.ts', ...options], { encoding: 'utf8' });

test('help and an unknown option are answered with the usage, and nothing is deployed', () => {
  const help = ran('--help');
  expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('npm run campaign -- [kill|interleave')]);
  const unknown = ran('--nope');
  expect([unknown.status, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('npm run campaign -- [kill|interleave'),
  ]);
  expect(unknown.stderr).toContain("Unknown option '--nope'");
  expect(unknown.stderr).not.toContain('    at ');
});

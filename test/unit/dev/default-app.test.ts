/** Checks that the command of the default stack reaches its program whole. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { defaultApp } from '../../../shared/dev/deployed/default-app.ts';

test('paths with spaces and quotes are one word each, and no quote stands at both ends', () => {
  const command = defaultApp("/home/o'neil/my policies/$HOME.yaml", '/a cache/cdk');
  expect(command).toMatch(/^exec '.*'$/);
  const shown = command.replace(/^exec '[^']*' '[^']*'/, 'printf "%s\\n"');
  expect(execFileSync('sh', ['-c', shown], { encoding: 'utf8' }).split('\n')).toEqual([
    "/home/o'neil/my policies/$HOME.yaml",
    'A0COUNTERSIGN',
    '/a cache/cdk',
    '',
  ]);
});

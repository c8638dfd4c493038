/** Runs `countersign check` as a process of its own, which ends when the call is judged. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '../../../shared/cli/main.ts');
const COMMAND = 'for file in a b; do cat <(echo $file) | grep x; done';

test('one command is parsed without optimised code, for which the process would wait a second', async () => {
  const input = JSON.stringify({ command: COMMAND });
  const argv = ['--trace-wasm-compilation-times', MAIN, 'check', '--tool', 'Bash', '--input', input];
  const ran = promisify(execFile)(process.execPath, argv, { maxBuffer: 64 << 20 });
  const { stdout } = await ran.catch((error: { stdout: string }) => error);
  expect(stdout).toMatch(/using Liftoff/);
  expect(stdout).not.toMatch(/using TurboFan/);
});

/** Checks that a program which a test command runs ends with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const HELPER = join(import.meta.dirname, '../../support/run-to-end.ts');
/** Runs a program that waits for ever and prints its process id, as a test command does. */
const COMMAND = `
import { runToEnd } from ${JSON.stringify(HELPER)};
const program = 'console.log(process.pid); setInterval(() => undefined, 1000)';
await runToEnd(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] });
console.log('the next step');
`;

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s to the command alone ends its program, and no further step begins',
  async (signal) => {
    const command = spawn(process.execPath, ['--input-type=module', '-e', COMMAND], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [first] = (await once(command.stdout, 'data')) as [Buffer];
    const program = Number(String(first));
    expect(program).toBeGreaterThan(0);
    const later: string[] = [];
    command.stdout.on('data', (chunk: Buffer) => later.push(String(chunk)));
    command.kill(signal);
    expect(await once(command, 'close')).toEqual([1, null]);
    expect(() => process.kill(program, 0)).toThrow();
    expect(later).toEqual([]);
  },
);

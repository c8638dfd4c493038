/** Checks that a program which is called off takes along every program that it started. */
import { expect, test } from 'vitest';
import { run } from '../../../shared/dev/aws/run.ts';
import { isAlive } from '../../support/processes.ts';

/** Starts a program, tells its number, and waits for it, as the CDK waits for the app. */
const started = (inner: string) => ['-c', `sh -c '${inner}' & echo $!; wait`];

test.each([
  ['ends when it is told', 'exec sleep 60'],
  ['does not end when it is told', 'trap "" TERM; while :; do sleep 1; done'],
])('a program below it that %s ends with it', async (_, inner) => {
  const stopping = new AbortController();
  let pid = 0;
  const onLine = (line: string) => {
    pid = Number(line);
    setTimeout(() => stopping.abort(new Error('enough')), 100);
  };
  await expect(run('sh', started(inner), { onLine, signal: stopping.signal })).rejects.toThrow('enough');
  expect(pid).toBeGreaterThan(0);
  // A process closes its pipes a moment before it is gone.
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('nothing is started after the end, and a program that is not there is told', async () => {
  await expect(run('sh', ['-c', 'exit 3'], { signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow('over');
  await expect(run('no-such-program', [])).rejects.toThrow('ENOENT');
  expect(await run('sh', ['-c', 'echo a; exit 3'])).toEqual({ code: 3, output: 'a' });
});

/**
 * Checks that the oracles see the effects of a text in a real shell, by class.
 *
 * The gate's view of the text has no part in it.
 */
import { afterAll, expect, test } from 'vitest';
import { Gate } from '../../shell-fuzz/gate.ts';
import { failuresOf } from '../../shell-fuzz/oracles.ts';
import { isSafe } from '../../shell-fuzz/safe.ts';
import { Runner, SHELL_NAMES } from '../../shell-fuzz/shells.ts';
import type { Rule } from './support.ts';

const runners = SHELL_NAMES.map((shell) => new Runner(shell));
afterAll(() => {
  for (const runner of runners) runner.close();
});

const kindsOf = async (rules: readonly Rule[], text: string, runner: Runner) => {
  const gate = new Gate({ rules, mode: 'default' });
  return failuresOf(gate, await runner.run(text)).map(({ kind }) => kind);
};

const RULES: readonly Rule[] = [
  ['allow', 'Bash(cat:*)'],
  ['allow', 'Bash(echo:*)'],
  ['allow', 'Bash(find:*)'],
  ['allow', 'Bash(sort:*)'],
  ['allow', 'Bash(python3:*)'],
  ['allow', 'Bash(git:*)'],
  ['allow', 'Bash(rm:*)'],
  ['deny', 'Bash(npm run deploy:*)'],
  ['deny', 'Read(secrets/**)'],
];

test.each([
  ['[ x || evil ]', 'marker'],
  ['v=./src/e.sh; $v', 'marker'],
  ['npm run dep$1loy', 'denied'],
  ['cat $@.env', 'protected'],
  ['cd conf && cat secr${E}ets/key', 'protected'],
  ['git config core.fsmonitor x get', 'protected'],
  ['echo x > src/index.ts', 'written'],
  ['read v < conf/secrets/key; echo $v', 'read'],
  ['sort "$1"-rno src/x y.txt', 'option'],
  ['rm -rf ${HOME}', 'critical'],
  ['echo code | python3', 'code'],
  ['GIT_PAGER=evil git log', 'environment'],
  ['find . $1-exec ls {} +', 'literal'],
  ['evil & wait', 'marker'],
])('%s is %s in both shells', async (text, kind) => {
  for (const runner of runners) expect(await kindsOf(RULES, text, runner)).toContain(kind);
});

test.each(['cat x', 'sort x | cat', 'find . -name x', 'echo a > /dev/null', 'git log', 'rm x', 'cat < src/index.ts'])(
  '%s is no failure',
  async (text) => {
    for (const runner of runners) expect(await kindsOf(RULES, text, runner)).toEqual([]);
  },
);

test('a text that does not end is ended, and the next one runs in a whole folder', async () => {
  const [runner] = runners;
  expect((await runner?.run('while :; do :; done'))?.killed).toBe(true);
  expect((await runner?.run('echo > x'))?.changed).toEqual(['/workspace/app/x']);
  expect((await runner?.run(': > /dev/null'))?.changed).toEqual([]);
});

test.each([
  'cat /etc/passwd',
  'kill -9 1',
  "k'i'll 1",
  'echo x > /dev/tcp/a/1',
  '/usr/b"in"/rm x',
  'rm $E/*',
  'command -p rm x',
])('%s is not run', (text) => {
  expect(isSafe(text)).toBe(false);
});

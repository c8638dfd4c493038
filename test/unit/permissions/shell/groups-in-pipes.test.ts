/** Checks that groups between pipes, and outputs that flow back, are looked at once each (G10). */
import { expect, test } from 'vitest';
import { processorMs } from '../../../support/processor-time.ts';
import { commandVerdict, type Rule } from '../support.ts';

const RULES: readonly Rule[] = ['cat', 'xargs', 'grep', 'tee', 'git'].map((name) => ['allow', `Bash(${name}:*)`]);
const groups = (command: string): string => `{ ${`${command};`.repeat(12)} } | `.repeat(7);

test.each([
  `${groups('grep a')}xargs cat`,
  `${groups('grep a')}git apply`,
  `${groups('grep a')}xargs cat ~/x`,
  `${'tee >(xargs a) | '.repeat(40)}xargs b`,
  `${'cat >(cat) | '.repeat(30)}xargs git apply`,
])('%s', (command) => {
  commandVerdict('ls', RULES);
  const judged = () => {
    for (const mode of ['default', 'bypass'] as const) commandVerdict(command, RULES, { mode });
  };
  expect(processorMs(judged)).toBeLessThan(2_000);
});

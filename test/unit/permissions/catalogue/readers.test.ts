/** Checks how the readers of the catalogue take options, places and commands within a command. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

/** The verdict where only rules with these words allow. */
const verdictUnder = (command: string, words: readonly string[]): string =>
  commandVerdict(
    command,
    words.map((each): Rule => ['allow', `Bash(${each})`]),
  );

describe('what an allow rule covers', () => {
  test.each([
    ['xargs with its mark as a word of its own', 'ls src | xargs -I {} cat {}', ['ls:*', 'cat:*']],
    ['xargs with its mark attached', 'ls src | xargs -I{} cat {}', ['ls:*', 'cat:*']],
    ['an address behind harmless options', 'curl -s https://api.test/x', ['curl https://api.test/x:*']],
    ['a program behind harmless options of its runner', 'npx --no-install jest', ['npx jest:*']],
    ['a sub-command behind a folder of the project', 'git -C sub log', ['git log:*']],
    ['popd alone', 'popd', ['x:*']],
  ])('%s', (_what, command, rules) => {
    expect(verdictUnder(command, rules)).toBe('allow');
  });
});

describe('what no allow rule covers', () => {
  test.each([
    ['a program by its path in the folder of each file', 'find . -execdir ./run {} +', ['find:*', './run:*']],
    ['a runner with an option that is not known', 'npx --foo jest', ['npx jest:*']],
    ['a folder outside of the project before the sub-command', 'git -C /etc log', ['git log:*']],
    ['an option before the sub-command that is not harmless', 'git -c core.pager=x log', ['git log:*']],
    ['popd with a word', 'popd +1', ['x:*']],
  ])('%s', (_what, command, rules) => {
    expect(verdictUnder(command, rules)).toBe('ask');
  });
});

describe('what a deny rule sees', () => {
  test.each([
    ['the place behind an option, with a wildcard', 'foo -v deploy x now', 'foo deploy * now'],
    ['the place behind an option and its value', 'foo -v x deploy y now', 'foo deploy * now'],
    ['the sub-command behind an option', 'foo -v deploy', 'foo deploy:*'],
  ])('%s', (_what, command, words) => {
    expect(
      commandVerdict(command, [
        ['allow', 'Bash'],
        ['deny', `Bash(${words})`],
      ]),
    ).toBe('deny');
  });
});

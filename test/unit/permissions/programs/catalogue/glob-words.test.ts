/** Checks globs that the shell may make an option of, or an operand that a program writes. */
import { describe, expect, test } from 'vitest';
import type { Mode } from '../../../../../shared/permissions/model/types.ts';
import { commandVerdict, judge, type Rule } from '../../support.ts';

const PROGRAMS =
  'pytest|jest|npm test|go test|eslint|mocha|ruff check|cargo test|foo|sort|find|rg|xxd|uniq|git|rsync|pdftotext|ar|cat';
const RULES: readonly Rule[] = [
  ...PROGRAMS.split('|').map((name): Rule => ['allow', `Bash(${name}:*)`]),
  ['allow', 'Edit(build/**)'],
];
const verdict = (command: string, mode: Mode = 'default'): string => commandVerdict(command, RULES, { mode });

describe('a glob in the name of an option may be any option, and no prefix covers it', () => {
  test.each([
    ...['pytest --b?setemp=src', 'pytest --b*', 'jest --conf?g=e.js', 'npm test --s[c]ript-shell=./e', 'eslint -?'],
    ...[
      'go test -ex[e]c ./e',
      'mocha --requ?re=./e',
      'ruff check --conf?g e',
      'cargo test --conf?g x',
      'eslint src -?',
    ],
    ...['foo --conf?g x', 'foo --exe?=id', 'foo -[o]x', 'foo -*', 'foo --[[:alpha:]]onfig=x', 'foo -"-conf"?g x'],
    ...['foo --conf?g$x', 'sort --out?ut=x', 'sort -[o]x'],
  ])('%s', (command) => expect(verdict(command)).toBe('ask'));

  test.each([
    'foo --x=src/*.ts',
    'rg x src/*.ts',
    'pytest -k*',
    'foo -k "-a*"',
    "foo '-*'",
    'foo -- -?',
    'foo "--b"=*',
  ])('and %s names its options', (command) => expect(verdict(command)).toBe('allow'));

  test.each(['find . -del[e]te', 'find src/.. -d?lete', 'find . -*'])('%s may delete all', (command) =>
    expect(judge('Bash', { command }, RULES, { mode: 'bypass' }).code).toBe('critical-delete'),
  );
});

describe('a glob that may be several operands fills the one that is written', () => {
  test.each([
    ...['xxd src/*', 'xxd -p src/*', 'uniq src/*', 'rsync src/*', 'pdftotext src/* build/x', 'ar src/* build/x'],
    ...['uniq R -', 'xxd R -', 'git config user.na?e', 'git config src/*', 'git config "$k"'],
  ])('%s', (command) => expect(verdict(command)).not.toBe('allow'));

  test.each(['xxd src/x', 'uniq src/x build/y', 'git config user.name'])('and %s writes no other file', (command) =>
    expect(verdict(command)).toBe('allow'),
  );
});

describe('an option that names an output is a file that is written, in every mode', () => {
  test.each(['sort -oHEAD x', 'sort -o HEAD x', 'sort -uoHEAD x', 'foo --output=HEAD', 'foo --out HEAD', 'foo -oHEAD'])(
    '%s may make a repository',
    (command) => expect(judge('Bash', { command }, RULES, { mode: 'bypass' }).verdict).toBe('ask'),
  );

  test.each(['git revert HEAD', 'git grep -o HEAD', 'foo diff HEAD'])('%s names a revision', (command) =>
    expect(verdict(command, 'bypass')).toBe('allow'),
  );
});

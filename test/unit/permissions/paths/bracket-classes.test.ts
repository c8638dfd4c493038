/** Checks sets of characters with POSIX classes in globs, path rules and critical deletes. */
import { describe, expect, test } from 'vitest';
import type { Mode } from '../../../../shared/permissions/model/types.ts';
import { PathPatternError, parsePathPattern } from '../../../../shared/permissions/paths/pattern.ts';
import { commandVerdict, judge, type Rule } from '../support.ts';

const RULES: readonly Rule[] = [
  ['deny', 'Read(secrets/**)'],
  ...['cat', 'cp', 'rm'].map((name): Rule => ['allow', `Bash(${name}:*)`]),
];
const MODES: readonly Mode[] = ['default', 'acceptEdits', 'bypass'];
const allowed = (command: string): readonly string[] =>
  MODES.filter((mode) => commandVerdict(command, RULES, { mode }) === 'allow');

describe('a class within a set does not end the set', () => {
  test.each([
    ...['cat .[[:alpha:]]nv', 'cat .[[:alpha:]x]nv', 'cat .[x[:alpha:]]nv', 'cat .[[:alpha:][:digit:]]nv'],
    ...['cat .[![:digit:]]nv', 'cat .[^[:digit:]]nv', 'cat .[][:alpha:]]nv', 'cat .[!][:digit:]]nv'],
    ...['cat id_rs[[:alpha:]]', 'cat [[:alpha:]]d_rsa', 'cat .ss[[:lower:]]/x', 'cp x .gi[[:alpha:]]/hooks/pre-commit'],
    ...['cat secret[[:lower:]]/key', 'cat [[:alpha:]]ecrets/key', 'cat secret[[:lower:]]/[[:alpha:]]*'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));

  test.each(['cat src/[[:digit:]].ts', 'cat src/x[[:alpha:]].ts', 'cp src/[[:alpha:]].ts y'])(
    '%s names no other file',
    (command) => expect(allowed(command)).toEqual(MODES),
  );
});

describe('a set that shells read differently may be any text', () => {
  test.each([
    ...['cat .[[=e=]]nv', 'cat .[[.e.]]nv', 'cat secret[[.s.]]/key', 'cat .[[.hyphen.]e]nv', 'cat .[[.]e'],
    ...['cat .["[":alpha:]]nv', 'cat .[[":alpha:"]]nv', 'cat .[[:alpha:"]"]nv', 'cat .[[:al"p"ha:]]nv'],
    ...['cat .[x[:alpha:]nv', 'cat .[[:alpha]nv', 'cat .[[:ALPHA:]]nv', 'cat .[[:$x:]]nv'],
  ])('%s', (command) => expect(allowed(command)).toEqual([]));
});

describe('a delete of all that begins with most characters', () => {
  test.each(['rm -rf [[:alnum:]]*', 'rm -r [![:space:]]*', 'rm -rf /[[:print:]]*', 'rm -rf ~/[[:alpha:][:digit:]]*'])(
    '%s asks',
    (command) => expect(judge('Bash', { command }, RULES, { mode: 'bypass' }).code).toBe('critical-delete'),
  );
});

describe('a class in a path rule', () => {
  const verdict = (pattern: string, file_path: string) =>
    judge('Read', { file_path }, [['deny', `Read(${pattern})`]]).verdict;

  test.each([
    ['secret[[:alpha:]]/**', 'secrets/key', 'secret1/key'],
    ['secret[[:lower:]_]/**', 'secret_/key', 'secret-/key'],
    ['secret[![:digit:]]/**', 'secrets/key', 'secret1/key'],
    ['key[[:digit:]][[:xdigit:]]', 'key1f', 'key1g'],
    ['key[[:upper:]]', 'keyB', 'key1'],
    ['key[[:punct:]]', 'key-', 'keys'],
    ['key[][:digit:]x]', 'key7', 'keyy'],
  ])('%s takes %s and not %s', (pattern, taken, left) => {
    expect([verdict(pattern, taken), verdict(pattern, left)]).toEqual(['deny', 'allow']);
  });

  test.each(['secret[[:letter:]]', 'secret[[=e=]]', 'secret[[.e.]]', 'secret[[:alpha]', 'secret[[:alpha:]'])(
    '%s is refused',
    (pattern) => expect(() => parsePathPattern(pattern)).toThrow(PathPatternError),
  );
});

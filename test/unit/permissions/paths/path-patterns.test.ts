/** Checks patterns of rules on paths (gitignore syntax). */
import { describe, expect, test } from 'vitest';
import { normalisePath } from '../../../../shared/permissions/paths/normalise.ts';
import { allowsPath, deniesPath, parsePathPattern } from '../../../../shared/permissions/paths/pattern.ts';

const AT = { cwd: '/p/src', projectRoot: '/p', home: '/home/u' } as const;

describe('patterns of rules (gitignore syntax)', () => {
  const allowsOf = (pattern: string, path: string) =>
    allowsPath(parsePathPattern(pattern), normalisePath(path, AT), AT);
  const deniesOf = (pattern: string, path: string) =>
    deniesPath(parsePathPattern(pattern), normalisePath(path, AT), AT);
  test.each<[string, string, boolean, boolean]>([
    ['a', 'a', true, true],
    ['a', 'a/b', false, true],
    ['a', 'x/a', false, true],
    ['a', 'x/a/b', false, true],
    ['a', 'A', false, true],
    ['a', 'ab', false, false],
    ['a/', 'a/b', true, true],
    ['a/', 'a/b/c', true, true],
    ['a/', 'a', true, true],
    ['./a', 'a', true, true],
    ['a/**', 'a/b/c', true, true],
    ['a/**', 'a', true, true],
    ['a/*', 'a/b', true, true],
    ['a/*', 'a/b/c', false, true],
    ['a/**/c', 'a/c', true, true],
    ['a/**/c', 'a/b/b/c', true, true],
    ['a/**/**/c', 'a/b/b/c', true, true],
    ['a/**/c', 'a/b/b/d', false, false],
    ['**/c', 'a/b/c', true, true],
    ['**/b/c', 'a/b/x/b/c', true, true],
    ['*.ts', 'a.ts', true, true],
    ['*.ts', 'x/a.ts', false, true],
    ['?.ts', 'ab.ts', false, false],
    ['[a-c].ts', 'b.ts', true, true],
    ['[a-c].ts', 'd.ts', false, false],
    ['[!a-c].ts', 'd.ts', true, true],
    ['[^a].ts', 'a.ts', false, false],
    ['[]a].ts', 'a.ts', true, true],
    ['[a-].ts', '-.ts', true, true],
    ['[A].ts', 'a.ts', false, true],
    ['[!a].ts', '[.ts', false, false],
    ['\\[a].ts', '[a].ts', true, true],
    ['\\*', '*', true, true],
    ['\\*', 'x', false, false],
    ['[\\]].x', '].x', false, false],
    ['/a', '/p/a', true, true],
    ['/a', 'a', false, false],
    ['/a', '/p/a/b', false, true],
    ['//p/a', '/p/a', true, true],
    ['//', '/p/a', true, true],
    ['~/a', '~/a', true, true],
    ['~', '~', true, true],
    ['~', '~/a', false, true],
    ['~x', '~/x', false, false],
    ['../a', '/p/a', true, true],
    ['../a', '/p/src/a', false, false],
    ['../../../../a', '/a', true, true],
    ['a/../b', 'b', true, true],
    ['/p/a', 'a', false, false],
    ['/', '/p', false, true],
    ['/', '/p/x', true, true],
    ['/', '/q', false, false],
    ['/A', '/p/a', false, true],
    ['Ab*', 'Abc', true, true],
    ['Ab*', 'xab', false, false],
    ['[a\\-z]', 'b', false, false],
    ['../..', '/', true, true],
  ])('%s and %s: an allow %s, a deny %s', (pattern, path, allows, denies) => {
    expect([allowsOf(pattern, path), deniesOf(pattern, path)]).toEqual([allows, denies]);
  });

  test('an allow needs every spelling, a deny any', () => {
    expect([allowsOf('ab', 'ab::x'), deniesOf('ab', 'ab::x')]).toEqual([false, true]);
    expect([allowsOf('*', 'a\n'), allowsOf('a', 'a\0')]).toEqual([false, false]);
  });

  test.each([
    ['[a', 'the bracket is not closed'],
    ['[a-', 'the bracket is not closed'],
    ['[\\', 'the pattern ends in a backslash'],
  ])('why %s is malformed is told', (pattern, why) => expect(() => parsePathPattern(pattern)).toThrow(why));

  test.each(['[a', '[]', '[!]', 'a\\', '[\\', '!a', '**/..', 'a/**/../b'])('%s is malformed', (pattern) => {
    expect(() => parsePathPattern(pattern)).toThrow();
  });
});

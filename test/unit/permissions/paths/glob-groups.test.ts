/** Checks groups such as `@(a|b)` in globs: some programs read them, and some do not (G6). */
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from '../support.ts';

describe('a group in a glob, which some programs read and some do not', () => {
  const verdictOf = (tool: string, input: object) =>
    judge(tool, input, [
      ['deny', 'Read(secrets/**)'],
      ['allow', tool],
    ]).verdict;

  test.each([
    '@(secrets|x)/*',
    '+(secrets)/*',
    '?(a)secrets/key',
    '*(x|secrets)/key',
    's@(e|a)crets/key',
    '@(@(secrets|y)|x)/key',
    '@(.env)',
    'src/@(.git|x)/config',
    // Ranges of letters and numbers.
    'sec{r..s}ets/key',
    'secre{a..z..1}s/key',
    '.en{u..w}',
  ])('%s names what stands in it', (pattern) => {
    expect(verdictOf('Glob', { pattern })).toBe('deny');
    expect(verdictOf('mcp__fs__search', { glob: pattern })).toBe('deny');
  });

  test.each(['@(secrets)/key', '(secrets)/key'])('%s is a name as well', (pattern) => {
    const rules: Rule[] = [
      ['deny', `Read(${pattern.slice(0, -4)}/**)`],
      ['allow', 'Glob'],
    ];
    expect(judge('Glob', { pattern }, rules).verdict).toBe('deny');
  });

  test.each(['src/*.@(ts|js)', 'app/(auth)/page.tsx', 'src/!(a).ts', '@('.repeat(40), 'a|b', 'a{1..3}.ts', 'x{..}/a'])(
    '%s is no harm',
    (pattern) => expect(verdictOf('Glob', { pattern })).toBe('allow'),
  );
});

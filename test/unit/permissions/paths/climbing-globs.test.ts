/** Checks globs that lead to the folder above without saying `..`, or by fewer folders than they show. */
import { describe, expect, test } from 'vitest';
import type { Mode } from '../../../../shared/permissions/model/types.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { checker, commandVerdict, judge, type Rule } from '../support.ts';

const MODES: readonly Mode[] = ['default', 'acceptEdits', 'bypass'];
const OTHER: Rule = ['deny', 'Read(//workspace/other/**)'];

describe('the tool Glob without a rule', () => {
  const verdict = (pattern: string) => judge('Glob', { pattern }, []).verdict;

  // Node's fs.glob finds the files above with each of them.
  test.each(['[.][.]/x', '.[.]/x', '[.]./x', '[.-.]./x', 'src/[.][.]/.[.]/x', '{src,[.].}/x'])(
    '%s leaves the project by a set that is a dot',
    (pattern) => expect(verdict(pattern)).toBe('ask'),
  );

  test.each(['**/../x', 'src/**/../../x', '**/**/../x', '{**,src}/../x', '**/src/../../x'])(
    '%s leaves it where ** stands for no folder',
    (pattern) => expect(verdict(pattern)).toBe('ask'),
  );

  // Node's fs.glob finds the files above with each of them, too: an escape is part of no name.
  test.each(['**\\/../x', 'src/**\\/../../x', '**/\\../x', '\\**/../x', '[.].\\/x', '**\\/..\\/x'])(
    '%s leaves it behind an escape',
    (pattern) => expect(verdict(pattern)).toBe('ask'),
  );

  test.each(['/etc', '..', '../other/s*'])('%s leaves it as one of many alternatives', (outside) => {
    const others = Array.from({ length: 64 }, (_, at) => `a${at}`);
    expect(verdict(`{${[...others, outside].join(',')}}/x`)).toBe('ask');
    expect(verdict(`${'{a,a}'.repeat(20)}{${outside},b}/x`)).toBe('ask');
    expect(verdict(`src/{${others.join(',')}}/x`)).toBe('allow');
  });

  test.each([
    '**/*.ts',
    'src/../lib/*',
    'src/*/../x',
    'src/[.]hidden',
    'src/**/x/../y',
    '..x/*',
    'a[.]b',
    'src/\\*\\.ts',
    'src\\/*',
  ])('%s stays inside', (pattern) => expect(verdict(pattern)).toBe('allow'));

  test.each([`${'**/'.repeat(10_000)}../x`, `${'**/../'.repeat(10_000)}x`, `${'*/'.repeat(10_000)}[.].`])(
    'is answered for %#, which is long',
    (pattern) => expect(verdict(pattern)).toBe('ask'),
  );

  // A copy of the folders for each `..` took half a minute.
  test('is answered soon for as many folders as leave them', () => {
    const word = `${'a/'.repeat(50_000)}${'../'.repeat(50_000)}*`;
    expect(processorMs(() => expect(verdict(word)).toBe('ask'))).toBeLessThan(5_000);
    const fs = { symlinks: { '/workspace/app/lnk': '/workspace/sub' } };
    expect(processorMs(() => judge('Glob', { pattern: word }, [], { fs }))).toBeLessThan(5_000);
  });
});

describe('a deny rule on a path', () => {
  const allowed = (word: string, rule: Rule) =>
    MODES.filter((mode) => commandVerdict(`cat ${word}`, [rule, ['allow', 'Bash(cat:*)']], { mode }) === 'allow');

  // dash, busybox and bash before 5.2 read the parent with each of them.
  test.each([
    ...['.?/other/x', '.[.]/other/x', '..*/other/x', '.[!a]/other/x', 'src/.?/../other/x', '.?/o*/x', '.?*/other/x'],
    ...['src/.?/.?/other/x', '.?/.?/.?/.?/.?/.?/.?/.?/workspace/other/x'],
  ])('sees %s', (word) => expect(allowed(word, OTHER)).toEqual([]));

  // Five of them have more readings than are followed, of which one is the rule's.
  test('sees more readings than are followed', () => {
    const word = '.?/.?/.?/.?/.?/*/*';
    const deep = { cwd: '/workspace/app/a/b/c/d', mode: 'bypass' } as const;
    expect(commandVerdict(`cat ${word}`, [OTHER, ['allow', 'Bash(cat:*)']], deep)).toBe('ask');
  });

  test.each(['src/**/../hid/x', 'src/**/y/../hid/x', 'src/**/../../src/b/hid/x'])('sees %s behind **', (word) =>
    expect(allowed(word, ['deny', 'Read(/src/b/hid/**)'])).toEqual([]),
  );

  test.each(['.?x/other/y', 'src/.?/x', '.[!a-z]x/other/y', '..?/other/x', 'src/**/../lib/x'])(
    '%s is another path',
    (word) => expect(allowed(word, OTHER)).toEqual(MODES),
  );

  test.each(['../other/x', '.env', 'src/key.p?m'])('and a protected one is not hidden by 64 others: %s', (word) => {
    const others = Array.from({ length: 64 }, (_, at) => `a${at}`);
    const glob = `{${[...others, word].join(',')}}`;
    const rules: readonly Rule[] = [OTHER, ['allow', 'mcp__fs__*'], ['allow', 'Grep'], ['allow', 'Glob']];
    for (const [tool, input] of [
      ['mcp__fs__read', { glob }],
      ['Grep', { pattern: 'x', glob }],
      ['Glob', { pattern: glob }],
    ] as const)
      expect(judge(tool, input, rules, { mode: 'bypass' }).verdict).not.toBe('allow');
    expect(checker.check('Grep', { pattern: 'x', glob })).toMatchObject({ kind: 'Protected' });
  });

  // Node's matcher reads each of them as the name within.
  test.each([`${'@()'.repeat(16)}@(.env)`, `${'@('.repeat(17)}.env${')'.repeat(17)}`])(
    'and a protected one is not hidden by more groups than are read: %#',
    (glob) =>
      expect(judge('mcp__fs__read', { glob }, [['allow', 'mcp__fs__*']], { mode: 'bypass' }).verdict).toBe('ask'),
  );

  // A shell takes the folder above the target.
  test.each([
    ...['ln*/../other/x', 'ln?/../oth?r/x', 'lnk/../oth*/x', 'src/*/../other/x', 'src/**/../other/x', 'lnk/.?/other/x'],
    ...['ln*/a/../../other/x', `${'l*/../'.repeat(9)}other/x`],
  ])('sees %s behind a known link', (word) => {
    const fs = { symlinks: { '/workspace/app/lnk': '/workspace/sub', '/workspace/app/src/k': '../../sub' } };
    const rules: readonly Rule[] = [OTHER, ['allow', 'Bash(cat:*)'], ['allow', 'Glob']];
    expect(judge('Bash', { command: `cat ${word}` }, rules, { mode: 'bypass', fs }).verdict).toBe('ask');
    expect(judge('Glob', { pattern: word }, rules, { mode: 'bypass', fs }).verdict).toBe('ask');
    expect(judge('Glob', { pattern: 'src/a*/../other/x' }, rules, { mode: 'bypass', fs }).verdict).toBe('allow');
  });

  test('holds for tools that read globs themselves', () => {
    const rules: readonly Rule[] = [OTHER, ['allow', 'mcp__fs__*'], ['allow', 'Glob']];
    expect(judge('mcp__fs__read', { glob: '[.]./other/x' }, rules).verdict).toBe('deny');
    expect(judge('Glob', { pattern: '**/../other/x' }, rules).verdict).toBe('deny');
    expect(judge('mcp__fs__read', { glob: '.?/other/x' }, rules).verdict).toBe('ask');
    expect(judge('mcp__fs__read', { glob: '!(a)/../../other/x' }, rules).verdict).toBe('deny');
    expect(judge('mcp__fs__read', { glob: '!../other/x' }, rules).verdict).toBe('allow');
  });
});

// `..` is none of the names that each stands for.
test.each([
  ...['rm -rf .[c]ache', 'rm .[0-9]*', 'rm -rf dist/.[a-z]x', 'rm -rf dist/.[!.]*', "rm -rf '.[c]ache'"],
  ...['rm -rf dist/.[!.]x', 'rm -rf dist/.[]./*'],
])('%s is no critical delete', (command) =>
  expect(judge('Bash', { command }, [['allow', 'Bash']], { mode: 'bypass' })).not.toHaveProperty(
    'code',
    'critical-delete',
  ),
);

test.each([
  ...['rm -rf .?/*', 'rm -rf .[.]/*', 'rm -rf .*/*', 'rm -rf src/.?/.?/*', 'rm -rf **/../*'],
  ...['rm -rf .["!."]/*', 'rm -rf .[^.]/*', 'rm -rf .[!.-!]/*', 'echo .? | xargs rm -rf'],
])('%s may delete all in the folder above', (command) =>
  expect(judge('Bash', { command }, [['allow', 'Bash']], { mode: 'bypass' })).toMatchObject({
    verdict: 'ask',
    code: 'critical-delete',
  }),
);

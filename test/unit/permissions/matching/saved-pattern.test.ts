/** Checks patterns that are written from calls (R4-070): saved approvals escape. */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../../shared/permissions/index.ts';
import { savedPattern } from '../../../../shared/permissions/matching/saved-pattern.ts';
import { judge } from '../support.ts';

describe('the rule that a decision for good is saved as (R4-070)', () => {
  const PLACE = { cwd: '/w/app', projectRoot: '/w/app', home: '/home/u' };
  const registry = createToolRegistry();
  const saved = (toolName: string, input: unknown) => savedPattern(toolName, input, { ...PLACE, tools: registry });
  const SAVED: readonly [string, object, string][] = [
    ['Bash', { command: 'npm test' }, 'Bash(npm test)'],
    ['Bash', { command: ' git log && (ls) ' }, 'Bash(git log && (ls))'],
    ['Write', { file_path: '[2024-06] Reports/a' }, 'Edit(//w/app/\\[2024-06\\] Reports/a)'],
    ['Edit', { file_path: '../x*?.ts' }, 'Edit(//w/x\\*\\?.ts)'],
    ['NotebookEdit', { notebook_path: '/n(1).ipynb' }, 'Edit(//n(1).ipynb)'],
    ['Read', { path: '~/a b' }, 'Read(//home/u/a b)'],
  ];
  test.each(SAVED)('%s %j is %s', (toolName, input, pattern) => expect(saved(toolName, input)).toBe(pattern));

  test('and matches that call, and not the one beside it', () => {
    const verdict = (pattern: string, toolName: string, input: object) =>
      judge(toolName, input, [['allow', pattern]], { ...PLACE, mode: 'dontAsk' }).verdict;
    for (const [toolName, input, pattern] of SAVED)
      expect([pattern, verdict(pattern, toolName, input)]).toEqual([pattern, 'allow']);
    const [, , reports] = SAVED[2] as (typeof SAVED)[number];
    for (const path of ['2 Reports/a', '[2024-06] Reports/b', '[2024-06] Reports/a/b'])
      expect(verdict(reports, 'Write', { file_path: path })).toBe('deny');
    expect(verdict('Edit(//w/x\\*\\?.ts)', 'Edit', { file_path: '../xab.ts' })).toBe('deny');
  });

  test.each<[string, unknown]>([
    ['Bash', { command: 'ls *' }],
    ['Bash', { command: 'rm:*' }],
    ['Bash', { command: 'make:all' }],
    ['Bash', { command: 'echo "a  b"' }],
    ['Bash', { command: 'ls\nrm x' }],
    ['Bash', { command: '' }],
    ['Bash', { command: 7 }],
    ['Bash', null],
    ['Write', { file_path: 'a%2e' }],
    ['Write', { file_path: 'a', path: 'b' }],
    ['Write', { file_path: '/' }],
    ['Write', { file_path: 7 }],
    ['Grep', { pattern: 'x' }],
    ['WebSearch', { query: 'x' }],
    ['deploy', { name: 'prod' }],
    ['bash', { command: 'ls' }],
  ])('no rule says exactly %s %j', (toolName, input) => expect(saved(toolName, input)).toBeUndefined());
});

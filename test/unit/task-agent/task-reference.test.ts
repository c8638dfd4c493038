/** Checks how a reference finds a task: by exact text, part of it, position, then number. */
import { describe, expect, test } from 'vitest';
import { resolveReference } from '../../../shared/task-agent/rules/rule-3-task-reference.ts';

const task = (id: string, description: string, completed = false) => ({ id, description, completed });
const TASKS = [task('a', 'buy groceries'), task('b', 'call mom', true), task('c', 'buy milk'), task('d', 'Fix #7')];
const idOf = (reference: string, options = {}) => {
  const resolution = resolveReference(reference, TASKS, options);
  return resolution.kind === 'one' ? resolution.task.id : resolution.kind;
};

describe('a task reference', () => {
  test('goes by exact text, then part of it, then position, then number', () => {
    expect(idOf('Buy Milk')).toBe('c');
    expect(idOf('MOM')).toBe('b');
    expect(idOf('the last one')).toBe('d');
    expect(idOf('3rd')).toBe('c');
    expect(idOf('number 2')).toBe('b');
    expect(idOf('#7')).toBe('d');
  });

  test('several matches end the search', () => {
    expect(idOf('buy')).toBe('several');
    const named = [task('x', 'first draft'), task('y', 'first aid'), task('z', 'other')];
    expect(resolveReference('first', named)).toEqual({ kind: 'several', tasks: named.slice(0, 2) });
  });

  test('out of range, nought, nothing and no tasks are nobody', () => {
    for (const reference of ['#9', '0', 'task 0', 'fifth', '', '   ', '-1', '99999999999999999999']) {
      expect(idOf(reference)).toBe('none');
    }
    expect(resolveReference('first', [])).toEqual({ kind: 'none' });
  });

  test('completing looks for open tasks by text, and counts all of them by number (R2-090)', () => {
    expect(idOf('call mom', { openOnly: true })).toBe('none');
    expect(idOf('task 2', { openOnly: true })).toBe('b');
    expect(idOf('task 3', { openOnly: true })).toBe('c');
  });

  test('a part is a part of the description, and not the reverse (R2-083)', () => {
    expect(idOf('CERI')).toBe('a');
    expect(idOf('buy groceries and more')).toBe('none');
    expect(idOf('buy milk today')).toBe('none');
  });

  test('an empty reference is nobody, also where there is one task (R2-088)', () => {
    for (const reference of ['', '  '])
      expect(resolveReference(reference, TASKS.slice(0, 1))).toEqual({ kind: 'none' });
  });
});

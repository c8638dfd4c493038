/** Checks that a scenario is passed by a test of its name, and by nothing else. */
import { expect, test } from 'vitest';
import { filesNaming, outcomesOf } from './named.ts';

const of = (path: string, text: string) => ({ path, text });

test('tests are found by the ids in their names, also within a suite that several files run', () => {
  const all = [
    of('test/unit/a.test.ts', "test('GR-001 runs', …)"),
    of('test/unit/b.test.ts', "test('nothing', …)"),
    of('test/contract/c.contract.ts', "test('T-002 GR-005', …)"),
    of('test/contract/c-memory.test.ts', "import { c } from './c.contract.ts'"),
  ];
  expect(filesNaming(['GR-001'], all)).toEqual(['test/unit/a.test.ts']);
  expect(filesNaming(['T-002'], all)).toEqual(['test/contract/c-memory.test.ts']);
  expect(filesNaming(['T-009'], all)).toEqual([]);
});

test('an id passes only if its tests were run and all of them passed', () => {
  const reported = [
    { fullName: 'budget GR-001 under the limit', status: 'passed' },
    { fullName: 'budget GR-002 GR-003 over it', status: 'passed' },
    { fullName: 'on DynamoDB GR-003', status: 'failed' },
  ];
  const outcomes = outcomesOf(['GR-001', 'GR-002', 'GR-003', 'GR-004'], reported);
  expect([...outcomes].map(([id, { passed }]) => [id, passed])).toEqual([
    ['GR-001', true],
    ['GR-002', true],
    ['GR-003', false],
    ['GR-004', false],
  ]);
  expect(outcomes.get('GR-004')?.got).toBe('no such test');
});

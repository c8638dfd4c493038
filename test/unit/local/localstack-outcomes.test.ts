/** A test of LocalStack's suite has failed if it fails in the run and again alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  argumentsFor,
  leftOutOf,
  NO_TIME,
  type Outcome,
  outcomesIn,
  verdictOf,
} from '../../local/localstack/outcomes.ts';

const FILE = 'test/e2e/slack/slack-down.test.ts';
const passed: Outcome = { file: FILE, test: 'a', state: 'passed' };
const failed: Outcome = { file: FILE, test: 'that > is (busy)', state: 'failed' };

test('what passes alone is told by its name, and fails nothing', () => {
  expect(verdictOf([passed, failed], [{ ...failed, state: 'passed' }])).toEqual({
    failed: false,
    text: '2 passed (1 of them only when run again alone: slack-down.test.ts > that > is (busy)), 0 failed',
  });
});

test('what fails again alone has failed, and so has what had no time to be run again', () => {
  const text = '1 passed, 1 failed (and did not pass alone either: slack-down.test.ts > that > is (busy))';
  expect(verdictOf([passed, failed], [failed])).toEqual({ failed: true, text });
  expect(verdictOf([passed, failed], []).failed).toBe(true);
  expect(verdictOf([passed, failed], [{ ...failed, state: 'skipped' }]).failed).toBe(true);
});

test('a file that failed without a test passes if all that ran of it passed', () => {
  const broken: Outcome = { file: FILE, state: 'failed' };
  expect(verdictOf([broken], [passed]).failed).toBe(false);
  expect(verdictOf([broken], [passed, failed]).failed).toBe(true);
  expect(verdictOf([broken], [passed, broken]).failed).toBe(true);
});

test('with no failure nothing is said of a second run', () => {
  expect(verdictOf([passed, { ...passed, state: 'skipped' }], [])).toEqual({
    failed: false,
    text: '1 passed, 0 failed',
  });
});

test('tests that differ on AWS, that were not reached, and a run that was stopped are told apart', () => {
  const listed: Outcome = { ...passed, state: 'skipped', note: 'AWS: enforces IAM' };
  const late: Outcome = { ...passed, state: 'skipped', note: NO_TIME };
  expect(leftOutOf([passed, failed, listed], false)).toBe('1 not run because LocalStack differs from AWS');
  expect(leftOutOf([listed, late, late], true)).toBe(
    '1 not run because LocalStack differs from AWS, 2 NOT REACHED in the time, STOPPED when the time was over, so that the last files are missing',
  );
});

test('vitest is told the exact names, and whole files where a file failed by itself', () => {
  const [file, option, pattern = ''] = argumentsFor([failed]);
  expect([file, option]).toEqual([FILE, '-t']);
  expect('that is (busy)').toMatch(new RegExp(pattern));
  expect('that is (busy) too').not.toMatch(new RegExp(pattern));
  expect(argumentsFor([failed, { file: FILE, state: 'failed' }])).toEqual([FILE]);
});

test('lines that were written before a run was stopped are read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-outcomes-'));
  try {
    const log = join(folder, 'log');
    expect(outcomesIn(log)).toEqual([]);
    writeFileSync(log, `${JSON.stringify(passed)}\n${JSON.stringify(failed)}\n`);
    expect(outcomesIn(log)).toEqual([passed, failed]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

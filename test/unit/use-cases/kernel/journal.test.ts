/** Tests a run's reading of its own past, and the end of a pause (A16, A18). */
import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../../../shared/contract/index.ts';
import { NO_CONTROL, pauseFor } from '../../../../shared/ports/stores/control.ts';
import { Journal } from '../../../../shared/use-cases/kernel/state/journal.ts';

const START = '2026-11-21T09:00:00.000Z';
const at = '2026-11-21T08:00:00.000Z';
const now: JournalEntry = { type: 'now', place: 'start', round: 0, at: START };
const hook = (place: string, round: number, reason = 'fine'): JournalEntry => {
  const answer = { state: 'answered', decision: 'allow', reason } as const;
  return { type: 'hook', place, round, at, by: 'review', answer };
};

describe('a journal', () => {
  test('began when its first entry says, whatever was answered before', () => {
    expect(new Journal([hook('h', 0), now]).startedAt).toBe(Date.parse(START));
    expect(() => new Journal([hook('h', 0)]).startedAt).toThrow('no first entry');
  });

  test('knows an entry by its type, its place and its round', () => {
    const journal = new Journal([now, hook('h', 0), hook('h', 1)]);
    expect(journal.has(hook('h', 1, 'another answer'))).toBe(true);
    expect(journal.has(hook('h', 2))).toBe(false);
    expect(journal.has(hook('other', 1))).toBe(false);
    expect(journal.has({ ...now, place: 'h', round: 1 })).toBe(false);
  });

  test('keeps no secret that an answer repeats', () => {
    const journal = new Journal([now, hook('h', 0, 'uses hunter22')]);
    expect(journal.without(['hunter22']).answer('hook', 'h')?.answer).toMatchObject({
      reason: 'uses ‹redacted: repeated›',
    });
    expect(journal.without([]).entries).toEqual(journal.entries);
  });
});

test('a pause holds until its end, and not at it', () => {
  const until = Date.parse(START);
  const pause = { scope: { all: true }, effect: 'deny', reason: 'drill', until } as const;
  const control = { ...NO_CONTROL, pauses: [{ ...pause, by: 'oncall' }] };
  expect(pauseFor(control, 'coder', 'Bash', until - 1)).toMatchObject({ effect: 'deny' });
  expect(pauseFor(control, 'coder', 'Bash', until)).toBeUndefined();
});

/** Checks times as people type them: what is no date is no time, and a time without a zone is in UTC. */
import { expect, test } from 'vitest';
import { parseInstant } from '../../../shared/domain/parse-instant.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

test.each([
  ['30m', '2026-11-21T10:30:00.000Z'],
  ['2026-12-01', '2026-12-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-12-01T09:30:00Z', '2026-12-01T09:30:00.000Z'],
  ['2026-12-01T09:30:00+02:00', '2026-12-01T07:30:00.000Z'],
  ['2026-12-01T09:30', '2026-12-01T09:30:00.000Z'],
])('%s is %s', (text, instant) => {
  expect(new Date(parseInstant(text, NOW) ?? Number.NaN).toISOString()).toBe(instant);
});

test('a time that names no zone is the same wherever it is typed', () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    expect(parseInstant('2026-12-01T09:30', NOW)).toBe(Date.parse('2026-12-01T09:30:00Z'));
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test.each(['2026-02-31', '2026-02-29', '2026-02-30T09:30:00Z', '2026-13-01', '2026-12-01T', '30', 'tomorrow', ''])(
  '%j is no time',
  (text) => {
    expect(parseInstant(text, NOW)).toBeUndefined();
  },
);

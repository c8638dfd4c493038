/** Checks that each decision of the record is told once, whenever its entry arrives. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followRecord } from '../../../shared/dev/follow-record.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';

const START = Date.parse('2026-11-26T10:00:00.000Z');
beforeEach(() => vi.useFakeTimers({ now: START }));
afterEach(() => vi.useRealTimers());

const DECISION = { outcome: 'denied', reasonCode: 'rule_match', decidedBy: { type: 'rule', id: 'project:1' } };

/** An entry of `builder` that was recorded so many milliseconds after the start. */
function entry(at: number, sort: string, rest: object = {}, about: object = {}): AuditRecord {
  const pid = 'p1';
  return {
    key: { agent: 'builder', pid, sort },
    entry: {
      ...{ type: sort.split('#')[0], pid, proposalId: 'call-1', agent: 'builder' },
      ...{ recordedAt: new Date(START + at).toISOString(), calls: [{ toolName: 'Bash' }], ...about },
    },
    ...rest,
  } as unknown as AuditRecord;
}

/** Finds what is in `records` as the record does: newest first, page by page. */
function following(records: AuditRecord[], { pageOf = 100, fails = (): boolean => false } = {}) {
  const told: string[] = [];
  const asked: string[] = [];
  const stop = followRecord({
    log: {
      async find({ since = '', after }) {
        if (fails()) throw new Error('no connection');
        asked.push(since);
        const all = records
          .filter(({ entry: { recordedAt } }) => recordedAt >= since)
          .toSorted((a, b) => (a.entry.recordedAt < b.entry.recordedAt ? 1 : -1));
        const from = Number(after ?? 0);
        const next = from + pageOf;
        return { records: all.slice(from, next), ...(all.length > next ? { next: String(next) } : {}) };
      },
    },
    agents: () => ['builder'],
    tell: (line) => told.push(line),
    clock: systemClock,
    timers: systemTimers,
  });
  return { told, asked, stop };
}

test('a question and its decision are a line each, in their order and once; votes and what was before are none', async () => {
  const records = [entry(-1, 'evaluated', { decision: DECISION }), entry(10, 'evaluated', { verdict: 'ask' })];
  const { told, stop } = following(records, { pageOf: 1 });
  await vi.advanceTimersByTimeAsync(1_000);
  records.push(entry(20, 'vote#1'), entry(900, 'decided', { decision: { ...DECISION, outcome: 'approved' } }));
  await vi.advanceTimersByTimeAsync(5_000);
  await stop();
  expect(told).toEqual([
    'builder  Bash  call-1  waits for people',
    'builder  Bash  call-1  approved by rule project:1 (rule_match)',
  ]);
});

test('an entry that arrives late is told; a proposal without calls is named by its kind', async () => {
  const records: AuditRecord[] = [];
  const { told, asked, stop } = following(records);
  await vi.advanceTimersByTimeAsync(30_000);
  const kind = { calls: undefined, proposal: '{"kind":"input-request"}' };
  records.push(entry(15_000, 'decided', { decision: { outcome: 'answered' } }, kind));
  await vi.advanceTimersByTimeAsync(60_000);
  await stop();
  expect(told).toEqual(['builder  input-request  call-1  answered']);
  expect(asked.at(-1)).toBe(new Date(START + 70_000).toISOString());
});

test('a record that cannot be read is told once, and read on when it can be', async () => {
  let isAway = true;
  const records = [entry(10, 'evaluated', { decision: DECISION })];
  const { told, stop } = following(records, { fails: () => isAway });
  await vi.advanceTimersByTimeAsync(3_500);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  await stop();
  expect(told).toEqual([
    'the record cannot be read now: no connection',
    'builder  Bash  call-1  denied by rule project:1 (rule_match)',
  ]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(vi.getTimerCount()).toBe(0);
});

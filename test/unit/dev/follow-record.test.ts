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
const RULE = { id: 'project:1', effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' };
const APPROVED = { outcome: 'approved', reasonCode: 'approved', decidedBy: { type: 'human', id: 'T1/U1, T1/U2' } };
const BASH = { toolName: 'Bash', verdict: 'deny', reason: 'rule_match', rule: RULE };
const NAMES = {
  personName: ({ user }: { readonly user: string }) => (user === 'U1' ? 'Alice' : undefined),
  ruleAt: ({ pattern }: { readonly pattern: string }) => (pattern === RULE.pattern ? 'countersign.yaml:9' : undefined),
};

/** An entry of `builder` that was recorded so many milliseconds after the start. */
function entry(at: number, sort: string, rest: object = {}, about: object = {}): AuditRecord {
  const pid = 'p1';
  return {
    key: { agent: 'builder', pid, sort },
    entry: {
      ...{ type: sort.split('#')[0], pid, proposalId: 'call-1', agent: 'builder' },
      ...{ recordedAt: new Date(START + at).toISOString(), calls: [BASH], ...about },
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
    names: () => NAMES,
    tell: (line) => told.push(line),
    clock: systemClock,
    timers: systemTimers,
  });
  return { told, asked, stop };
}

test('a question and its decision are a line each, in their order and once; votes and what was before are none', async () => {
  const asking = { calls: [{ toolName: 'Bash', verdict: 'ask', reason: 'no_rule' }] };
  const records = [entry(-1, 'evaluated', { decision: DECISION }), entry(10, 'evaluated', { verdict: 'ask' }, asking)];
  const { told, stop } = following(records, { pageOf: 1 });
  await vi.advanceTimersByTimeAsync(1_000);
  records.push(entry(20, 'vote#1'), entry(900, 'decided', { decision: APPROVED }));
  await vi.advanceTimersByTimeAsync(5_000);
  await stop();
  expect(told).toEqual([
    'builder  Bash  call-1  waits for people (no_rule)',
    'builder  Bash  call-1  approved by Alice, T1/U2',
  ]);
});

test.each([
  ['evaluated', { decision: DECISION }, 'denied by rule deny Bash(rm:*), countersign.yaml:9'],
  ['evaluated', { verdict: 'ask' }, 'waits for people (rule ask Refund)'],
  [
    'decided',
    { decision: { outcome: 'error', reasonCode: 'too_many_waiting', decidedBy: { type: 'system', id: 'x' } } },
    'error (too_many_waiting)',
  ],
  [
    'decided',
    { decision: { outcome: 'cancelled', reasonCode: 'cancelled', decidedBy: { type: 'system', id: 'x' } } },
    'cancelled',
  ],
  [
    'decided',
    { decision: { outcome: 'denied', reasonCode: 'unsafe', decidedBy: { type: 'classifier', id: 'm' } } },
    'denied by classifier m (unsafe)',
  ],
  // A rule of before, which the entry no longer holds.
  [
    'decided',
    { decision: { ...DECISION, decidedBy: { type: 'rule', id: 'project:9' } } },
    'denied by rule project:9 (rule_match)',
  ],
])('%s: %j is worded as people know it', async (sort, rest, line) => {
  const refund = { toolName: 'Refund', verdict: 'ask', rule: { ...RULE, effect: 'ask', pattern: 'Refund' } };
  const { told, stop } = following([entry(10, sort, rest, { calls: [BASH, refund] })]);
  await vi.advanceTimersByTimeAsync(1_000);
  await stop();
  expect(told).toEqual([`builder  Bash, Refund  call-1  ${line}`]);
});

test('an entry that arrives late is told; a proposal without calls is named by its kind', async () => {
  const records: AuditRecord[] = [];
  const { told, asked, stop } = following(records);
  await vi.advanceTimersByTimeAsync(30_000);
  const kind = { calls: undefined, proposal: '{"kind":"input-request"}' };
  records.push(entry(15_000, 'decided', { decision: { outcome: 'answered', reasonCode: 'answered' } }, kind));
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
    'builder  Bash  call-1  denied by rule deny Bash(rm:*), countersign.yaml:9',
  ]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(vi.getTimerCount()).toBe(0);
});

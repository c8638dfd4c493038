/**
 * Checks the rows that stay for good, and how an agent reads them (G35, G39, A13).
 *
 * Rows: journal, emergency brake, record.
 */
import { describe, expect, test } from 'vitest';
import type { HumanAnswer } from '../../../shared/contract/index.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import type { RecordFamily } from '../../../shared/domain/record/record-families.ts';
import { at, decisionOf, NOW_ENTRY, newCase, recordOf } from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

export function recordContract({ it, opened, finish }: Stores): void {
  describe('the journal', () => {
    const answer = (round: number, reason: string): HumanAnswer => ({
      type: 'human',
      place: 'calls',
      round,
      at: at(0),
      digest: sha256Hex('question'),
      stagesDigest: sha256Hex('stages'),
      calls: ['call'],
      result: 'rejected',
      by: [{ person: { team: 'T0DEMO', user: 'U0ALICE' }, name: 'Alice' }],
      reason,
    });

    test('puts an entry once under its place and round, and reads in order', async () => {
      const { pid } = newCase();
      expect(await it().journal.append(pid, answer(2, 'two'))).toBe(true);
      expect(await it().journal.append(pid, answer(1, 'one'))).toBe(true);
      expect(await it().journal.append(pid, answer(1, 'again'))).toBe(false);
      expect(await it().journal.append(pid, NOW_ENTRY)).toBe(true);
      expect(await it().journal.read(pid)).toEqual([NOW_ENTRY, answer(1, 'one'), answer(2, 'two')]);
    });

    test('takes one of eight at once', async () => {
      const { pid } = newCase();
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) => it().journal.append(pid, answer(1, `number ${n}`))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await it().journal.read(pid)).toEqual([answer(1, `number ${results.indexOf(true)}`)]);
    });
  });

  describe('the emergency brake', () => {
    test('changes on the condition that nobody was faster', async () => {
      const before = await it().control.read();
      const pause = (by: string) => ({
        ...before,
        version: before.version + 1,
        pauses: [{ scope: { all: true as const }, effect: 'deny' as const, reason: 'test', by }],
        orders: { scopes: [{ scope: '{"all":true}', newest: { at: 1, id: `${by}/o1` } }], before: { at: 0, id: 'x' } },
      });
      const results = await Promise.all(['a', 'b', 'c', 'd'].map((by) => it().control.write(pause(by))));
      expect(results.filter(Boolean)).toHaveLength(1);
      const after = await it().control.read();
      expect(after).toEqual(pause(['a', 'b', 'c', 'd'][results.indexOf(true)] ?? ''));
      expect(await it().control.write(pause('late'))).toBe(false);
      expect(await it().control.write({ ...after, version: after.version + 2 })).toBe(false);
      expect(await it().control.write({ ...after, version: after.version + 1, pauses: [] })).toBe(true);
    });
  });

  test('the epoch of permits, and since when approvals for later count, are read as they were written (A26)', async () => {
    const before = await it().control.read();
    const next = { ...before, version: before.version + 1, permitEpoch: 1_795_000_000, voidedAt: 1_795_000_000_123 };
    expect(await it().control.write(next)).toBe(true);
    expect(await it().control.read()).toEqual(next);
    const about = newCase();
    expect((await it().claims.readBatch([about], '2026-11-21')).control).toEqual(next);
  });

  test('delegations change on the condition that nobody was faster', async () => {
    const before = await it().delegations.read();
    const next = (user: string) => ({
      version: before.version + 1,
      delegations: [{ person: { team: 'T0', user }, to: { team: 'T0', user: 'U0B' }, until: at(1_000), by: user }],
      done: [],
    });
    const users = ['U0A', 'U0C', 'U0D', 'U0E'];
    const results = await Promise.all(users.map((user) => it().delegations.write(next(user))));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await it().delegations.read()).toEqual(next(users[results.indexOf(true)] ?? ''));
    expect(await it().delegations.write(next('U0LATE'))).toBe(false);
  });

  describe('the record', () => {
    test('puts an entry once and never changes it (G39)', async () => {
      const about = newCase();
      const first = recordOf(about, 'click#1', { detail: 'first' });
      const results = await Promise.all([
        it().audit.put(first),
        it().audit.put(first),
        it().audit.put(recordOf(about, 'click#2')),
      ]);
      expect(results.filter(Boolean)).toHaveLength(2);
      expect(await it().audit.put(recordOf(about, 'click#1', { detail: 'second' }))).toBe(false);
      const [kept] = await it().audit.ofProposal(about.agent, about.pid);
      expect(kept).toEqual(first);
    });

    test('gives the entries of one proposal oldest first', async () => {
      const about = newCase();
      for (const [sort, ms] of [
        ['vote#2', 2_000],
        ['evaluated', 0],
        ['vote#1', 1_000],
      ] as const) {
        await it().audit.put(recordOf(about, sort, { recordedAt: at(ms) }));
      }
      const sorts = (await it().audit.ofProposal(about.agent, about.pid)).map(({ key }) => key.sort);
      expect(sorts).toEqual(['evaluated', 'vote#1', 'vote#2']);
    });

    test('gives the newest entries of an agent, newest first, and of no other agent', async () => {
      const { agent } = newCase();
      const abouts = [newCase({ agent }), newCase({ agent }), newCase({ agent })];
      for (const [n, about] of abouts.entries()) {
        const decision = decisionOf('approved', `number ${n}`);
        await it().audit.put(recordOf(about, 'evaluated', { decision, recordedAt: at(n * 1_000) }));
      }
      await it().audit.put(recordOf(newCase(), 'evaluated', { recordedAt: at(9_000) }));
      const recent = await it().audit.recent(agent, 2);
      expect(recent.map(({ decision }) => decision?.message)).toEqual(['number 2', 'number 1']);
      expect(recent[0]?.key).toEqual({ agent, pid: abouts[2]?.pid, sort: 'evaluated' });
    });

    test('gives the entries of the families that are asked for, and keeps what belongs to none out', async () => {
      const about = newCase();
      for (const sort of ['evaluated', 'vote#1', 'click#1']) await it().audit.put(recordOf(about, sort));
      const sorts = async (...families: RecordFamily[]) =>
        (await it().audit.ofProposal(about.agent, about.pid, families)).map(({ key }) => key.sort);
      expect(await sorts('decision')).toEqual(['evaluated']);
      expect(await sorts('vote')).toEqual(['vote#1']);
      expect(await sorts('decision', 'click')).toEqual(['click#1', 'evaluated']);
      const votes = await it().audit.ofFamily(about.agent, about.pid, 'vote');
      expect(votes.map(({ key }) => key.sort)).toEqual(['vote#1']);
      await expect(it().audit.put(recordOf(about, 'nonsense#1'))).rejects.toThrow('belong to no family');
    });

    test('two messages of one operation have an entry each, in a family of their own', async () => {
      const about = newCase();
      for (const sort of ['operation#m1', 'operation#m2', 'operation#m1']) {
        const record = recordOf(about, sort);
        const entry = { ...record.entry, type: 'operation' as const, operation: { operationId: 'o1', agent: 'coder' } };
        await it().audit.put({ ...record, entry });
      }
      const entries = await it().audit.ofProposal(about.agent, about.pid, ['operation']);
      expect(entries.map(({ key }) => key.sort)).toEqual(['operation#m1', 'operation#m2']);
      expect(entries[0]?.entry.operation).toEqual({ operationId: 'o1', agent: 'coder' });
      expect(await it().audit.ofProposal(about.agent, about.pid, ['decision'])).toEqual([]);
    });

    test('tells of a claim what it came to', async () => {
      const about = await opened();
      const [claim] = await it().audit.ofProposal(about.agent, about.pid, ['decision']);
      expect(claim?.verdict).toBe('ask');
    });

    test('holds nothing of what never came', async () => {
      const absent = newCase();
      expect(await it().audit.ofProposal(absent.agent, absent.pid)).toEqual([]);
      expect(await it().audit.recent(absent.agent, 5)).toEqual([]);
    });
  });

  describe('what an agent reads', () => {
    test('is the claim with its verdict and decision, then the decided row', async () => {
      const about = await opened();
      expect(await it().reader.read(about.agent, about.pid, 'evaluated')).toEqual({ verdict: 'ask' });
      expect(await it().reader.read(about.agent, about.pid, 'decided')).toBeUndefined();
      await finish(about);
      expect(await it().reader.read(about.agent, about.pid, 'decided')).toEqual({ decision: decisionOf('approved') });
    });

    test('is nothing under another agent', async () => {
      const about = await opened();
      expect(await it().reader.read(newCase().agent, about.pid, 'evaluated')).toBeUndefined();
    });
  });
}

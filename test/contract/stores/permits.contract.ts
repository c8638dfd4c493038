/** Checks permits in use and results, in memory and on DynamoDB alike (A19). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type CallResult, SCHEMA_VERSION } from '../../../shared/contract/index.ts';
import type { HeldPermit, PermitStore } from '../../../shared/ports/stores/permit-store.ts';
import type { ResultStore } from '../../../shared/ports/stores/result-store.ts';

export function permitsContract(
  name: string,
  make: () => Promise<{ readonly permits: PermitStore; readonly results: ResultStore }>,
): void {
  const permitOf = (more: Partial<HeldPermit> = {}): HeldPermit => ({
    pid: randomUUID(),
    callId: 'call',
    agent: 'coder',
    proposalId: 'p1',
    permitId: 'x',
    redemptionId: 'r1',
    auditDigest: 'a'.repeat(64),
    toolName: 'Refund',
    effect: 'NonIdempotentWrite',
    stage: 'taken',
    takenAt: 1_000,
    reportBy: 2_000,
    ...more,
  });

  describe(name, () => {
    test('G17 200 callers at once: one takes the permit, and nobody takes it after', async () => {
      const { permits } = await make();
      const permit = permitOf();
      const taken = await Promise.all(
        Array.from({ length: 200 }, (_, index) => permits.take({ ...permit, redemptionId: `r${index}` }, 2_000)),
      );
      expect(taken.filter((other) => other === undefined)).toHaveLength(1);
      const held = await permits.read(permit.pid, 'call');
      expect(held?.stage).toBe('taken');
      expect(await permits.take({ ...permit, redemptionId: 'late' }, 2_000)).toEqual(held);
    });

    test('moves only at the stage it is at, and only for who holds it', async () => {
      const { permits } = await make();
      const permit = permitOf();
      await permits.take(permit, 2_000);
      const begun: HeldPermit = { ...permit, stage: 'begun', ticket: { leases: [] } };
      expect(await permits.move({ ...begun, redemptionId: 'other' }, 'taken', 2_000)).toBe(false);
      expect(await permits.move(begun, 'taken', 2_000)).toBe(true);
      // Sent again by the SDK.
      expect(await permits.move(begun, 'taken', 2_000)).toBe(true);
      expect(await permits.move({ ...permit, stage: 'free' }, 'taken')).toBe(false);
      const ended: HeldPermit = {
        ...begun,
        stage: 'ended',
        ended: { status: 'succeeded', startedAt: '2026-11-21T09:00:00.000Z', durationMs: 1, reported: true },
      };
      expect(await permits.move(ended, 'begun', 3_000)).toBe(true);
      expect(await permits.move({ ...ended, ended: undefined }, 'begun', 3_000)).toBe(false);
      expect(await permits.read(permit.pid, 'call')).toEqual(ended);
    });

    test('one that was given back is there for the next', async () => {
      const { permits } = await make();
      const permit = permitOf();
      await permits.take(permit, 2_000);
      expect(await permits.move({ ...permit, stage: 'free' }, 'taken')).toBe(true);
      expect(await permits.take({ ...permit, redemptionId: 'r2' }, 2_000)).toBeUndefined();
      expect(await permits.move({ ...permit, stage: 'begun' }, 'taken', 2_000)).toBe(false);
    });

    test('is due when its time has come, until everybody was told', async () => {
      const { permits } = await make();
      const permit = permitOf();
      const isDue = async (now: number) => (await permits.due(now, 1_000)).some(({ pid }) => pid === permit.pid);
      await permits.take(permit, 2_000);
      expect(await isDue(1_999)).toBe(false);
      expect(await isDue(2_000)).toBe(true);
      await permits.move({ ...permit, stage: 'free' }, 'taken');
      expect(await isDue(9_000)).toBe(false);
    });

    test('is set back by its key, says how often, and can be dropped', async () => {
      const { permits } = await make();
      const permit = permitOf();
      const due = async (now: number) => (await permits.due(now, 1_000)).find(({ pid }) => pid === permit.pid);
      await permits.setBack(permit.pid, permit.callId, 5_000, 1);
      expect(await permits.read(permit.pid, permit.callId)).toBeUndefined();
      await permits.take(permit, 2_000);
      expect(await due(2_000)).toEqual({ pid: permit.pid, callId: permit.callId, dueAt: 2_000, failures: 0 });
      await permits.setBack(permit.pid, permit.callId, 5_000, 2);
      expect(await due(4_999)).toBeUndefined();
      expect(await due(5_000)).toMatchObject({ dueAt: 5_000, failures: 2 });
      expect(await permits.due(9_000, 1_000, await due(5_000))).not.toContainEqual(
        expect.objectContaining({ pid: permit.pid }),
      );
      await permits.dropDue(permit.pid, permit.callId);
      expect(await due(9_000)).toBeUndefined();
      expect(await permits.read(permit.pid, permit.callId)).toEqual(permit);
    });

    test('a result is put once, and read as it was put', async () => {
      const { results } = await make();
      const pid = randomUUID();
      const result: CallResult = {
        schemaVersion: SCHEMA_VERSION,
        requestId: 'r1',
        proposalId: 'p1',
        callId: 'call',
        status: 'succeeded',
        permit: 'spent',
        output: { '': 1, big: 9_007_199_254_740_991, tiny: 1e-300, none: null, list: [[]], text: '\u2028' },
        attempts: 1,
        durationMs: 0.5,
        endedAt: '2026-11-21T09:00:00.000Z',
      };
      expect(await results.read('coder', pid, 'r1')).toBeUndefined();
      expect(await results.put('coder', pid, result)).toBe(true);
      // A put whose answer was lost is sent again.
      expect(await results.put('coder', pid, result)).toBe(true);
      expect(await results.put('coder', pid, { ...result, status: 'failed' })).toBe(false);
      expect(await results.read('coder', pid, 'r1')).toEqual(result);
      expect(await results.read('writer', pid, 'r1')).toBeUndefined();
    });
  });
}

/**
 * Checks the stores' sessions, in memory and on DynamoDB (A3, A6, D12).
 *
 * Sessions are read in one batch, their rows have versions, and one transaction writes them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { EVERY_SESSION, type SessionRow } from '../../../shared/contract/index.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { newSession } from '../../../shared/domain/session.ts';
import type { ApprovalStore } from '../../../shared/ports/stores/approval-store.ts';
import { type ClaimStore, sessionKey } from '../../../shared/ports/stores/claim-store.ts';
import type { SessionStore, SessionWrites } from '../../../shared/ports/stores/session-store.ts';
import { approvalOf, at, claimOf, decisionOf, newCase, openingOf, recordOf, START } from '../support/rows.ts';

interface SessionStores {
  readonly claims: ClaimStore;
  readonly approvals: ApprovalStore;
  readonly sessions: SessionStore;
}

const DAY = '2026-11-21';

function rowOf(agent: string, sessionId: string, over: Partial<SessionRow> = {}): SessionRow {
  return { ...newSession(agent, sessionId), version: 1, updatedAt: at(0), ...over };
}

/** Every field that a row can have. */
const whole = (agent: string): SessionRow =>
  rowOf(agent, 's1', {
    mode: 'auto',
    rules: [{ effect: 'deny', pattern: 'Bash(git push:*)', source: 'session', by: 'oncall', expiresAt: at(60_000) }],
    consecutive: 2,
    total: 5,
    lastDeniedAt: at(0),
    denied: [sha256Hex('a'), sha256Hex('b')],
    grants: [
      {
        key: sha256Hex('g'),
        scope: 'session',
        toolName: 'Bash',
        approvedBy: 'Alice',
        approvedAt: at(0),
        expiresAt: at(60_000),
      },
    ],
    refusals: [{ key: sha256Hex('r'), by: 'Bob', reason: 'not today', at: at(0) }],
    recent: [{ key: sha256Hex('c'), toolName: 'Bash', verdict: 'allow', files: ['/workspace/a.ts'], at: at(0) }],
    parent: { agentId: 'lead', sessionId: 's0' },
    order: { newest: { at: 2, id: 'oncall/o2' }, tightened: { at: 1, id: 'oncall/o1' } },
  });

export function sessionsContract(name: string, make: () => Promise<SessionStores>): void {
  describe(name, () => {
    let it: SessionStores;
    beforeAll(async () => {
      it = await make();
    });
    const read = async (agent: string, ...sessionIds: string[]) => {
      const { pid } = newCase();
      const sessions = sessionIds.map((sessionId) => ({ agent, sessionId }));
      return it.claims.readBatch([{ agent, pid, sessions }], DAY);
    };
    const denying = (row: SessionRow, more = 1): SessionWrites => ({
      rows: [row],
      denials: { agent: row.agent, day: DAY, more },
    });

    test('recent calls alone are kept beside the row, which stays as it is', async () => {
      const { agent } = newCase();
      const call = { key: sha256Hex('x'), toolName: 'Bash', verdict: 'allow' as const, files: [], at: at(1_000) };
      const recents = [{ ...newSession(agent, 's1'), recent: [call], updatedAt: at(1_000) }];
      expect(await it.claims.claim(claimOf(newCase({ agent }), 'allow'), { rows: [], recents })).toEqual({
        kind: 'claimed',
      });
      expect(await it.sessions.read(agent, 's1')).toMatchObject({ version: 0, recent: [call] });
      // A row that was read before is written: nothing of it has changed.
      expect(await it.sessions.write(rowOf(agent, 's1', { mode: 'plan' }))).toBe(true);
      const { sessions } = await read(agent, 's1');
      expect(sessions.get(sessionKey(agent, 's1'))).toMatchObject({ version: 1, mode: 'plan', recent: [call] });
    });

    test('recent calls beside a row are left out where nobody asks for them, and stay', async () => {
      const { agent } = newCase();
      const call = { key: sha256Hex('x'), toolName: 'Bash', verdict: 'allow' as const, files: [], at: at(1_000) };
      const beside = (sessionId: string, version: number) => ({
        ...newSession(agent, sessionId),
        ...{ version, recent: [call], updatedAt: at(1_000) },
      });
      expect(await it.sessions.write(rowOf(agent, 'row', { mode: 'plan' }))).toBe(true);
      const recents = [beside('row', 1), beside('none', 0)];
      await it.claims.claim(claimOf(newCase({ agent }), 'allow'), { rows: [], recents });
      const names = ['row', 'none'].map((sessionId) => ({ agent, sessionId, withoutRecent: true }));
      const { sessions } = await it.sessions.readTogether(names, DAY);
      expect([...sessions]).toEqual([[sessionKey(agent, 'row'), rowOf(agent, 'row', { mode: 'plan' })]]);
      expect((await it.sessions.read(agent, 'none'))?.recent).toEqual([call]);
    });

    test('recent calls of a row that changed since it was read are a session that changed', async () => {
      const { agent } = newCase();
      expect(await it.sessions.write(rowOf(agent, 's1', { mode: 'plan' }))).toBe(true);
      const recents = [newSession(agent, 's1')];
      const about = newCase({ agent });
      const changed = { kind: 'session_changed' };
      expect(await it.claims.claim(claimOf(about, 'allow'), { rows: [], recents })).toEqual(changed);
      expect(await it.claims.open(claimOf(about, 'ask'), openingOf(about), { rows: [], recents })).toEqual(changed);
      expect(await it.claims.claim(claimOf(about, 'allow'))).toEqual({ kind: 'claimed' });
      expect(await it.claims.claim(claimOf(about, 'allow'), { rows: [], recents })).toMatchObject({ kind: 'exists' });
    });

    test('of recent calls in the row and beside it the later ones count', async () => {
      const { agent } = newCase();
      const call = (time: number) => ({
        key: sha256Hex(`${time}`),
        toolName: 'Bash',
        verdict: 'allow' as const,
        files: [],
        at: at(time),
      });
      const beside = (time: number, version: number) => ({
        rows: [],
        recents: [{ ...newSession(agent, 's1'), version, recent: [call(time)], updatedAt: at(time) }],
      });
      await it.sessions.write(rowOf(agent, 's1', { recent: [call(5_000)] }));
      await it.claims.claim(claimOf(newCase({ agent }), 'allow'), beside(4_000, 1));
      expect((await it.sessions.read(agent, 's1'))?.recent).toEqual([call(5_000)]);
      await it.claims.claim(claimOf(newCase({ agent }), 'allow'), beside(6_000, 1));
      expect((await it.sessions.read(agent, 's1'))?.recent).toEqual([call(6_000)]);
    });

    test('a row is read back as it was written, alone and in the batch, whatever it holds', async () => {
      const { agent } = newCase();
      const row = whole(agent);
      expect(await it.sessions.write(row)).toBe(true);
      expect(await it.sessions.read(agent, 's1')).toEqual(row);
      const { sessions, denials } = await read(agent, 's1', 's1', 'absent');
      expect([...sessions]).toEqual([[sessionKey(agent, 's1'), row]]);
      expect(denials.get(agent)).toBe(0);
      expect(await it.sessions.read(agent, 'absent')).toBeUndefined();
    });

    test('the row of every session holds a mode, rules and refusals as any other, and is written with one of them or not at all', async () => {
      const about = newCase();
      const { agent } = about;
      const { grants: _, ...more } = whole(agent);
      const always = { ...more, sessionId: EVERY_SESSION, grants: [], mode: 'plan' as const };
      const rows = [rowOf(agent, 's1'), always];
      await it.claims.claim(claimOf(about, 'deny', 'x', decisionOf('denied')), { rows });
      expect(await it.sessions.read(agent, EVERY_SESSION)).toEqual(always);
      const next = { rows: [rowOf(agent, 's1', { version: 2, total: 7 }), { ...always, version: 3 }] };
      const again = newCase({ agent });
      expect(await it.claims.claim(claimOf(again, 'deny', 'y', decisionOf('denied')), next)).toEqual({
        kind: 'session_changed',
      });
      expect(await it.sessions.read(agent, 's1')).toMatchObject({ version: 1 });
    });

    test('of writers of the same version one wins, and a skipped version is refused', async () => {
      const { agent } = newCase();
      const writes = await Promise.all(
        [1, 2, 3, 4, 5].map((total) => it.sessions.write(rowOf(agent, 's1', { total }))),
      );
      expect(writes.filter(Boolean)).toHaveLength(1);
      expect(await it.sessions.write(rowOf(agent, 's1', { version: 3 }))).toBe(false);
      expect(await it.sessions.write(rowOf(agent, 's1', { version: 2, total: 9 }))).toBe(true);
      expect(await it.sessions.read(agent, 's1')).toMatchObject({ version: 2, total: 9 });
    });

    test('a claim writes its session and the count of the day with it, or nothing of the three', async () => {
      const about = newCase();
      const { agent } = about;
      const first = rowOf(agent, 's1', { consecutive: 1, total: 1 });
      expect(await it.claims.claim(claimOf(about, 'deny', 'one', decisionOf('denied')), denying(first))).toEqual({
        kind: 'claimed',
      });
      // The same proposal again: it exists, and is not counted twice.
      const again = denying({ ...first, version: 2, total: 2 });
      expect(await it.claims.claim(claimOf(about, 'deny', 'one', decisionOf('denied')), again)).toMatchObject({
        kind: 'exists',
      });
      // Another proposal that read an older row.
      const other = newCase({ agent });
      expect(await it.claims.claim(claimOf(other, 'deny', 'two', decisionOf('denied')), denying(first))).toEqual({
        kind: 'session_changed',
      });
      const { sessions, claims, denials } = await it.claims.readBatch(
        [{ ...other, sessions: [{ agent, sessionId: 's1' }] }],
        DAY,
      );
      expect(claims.size).toBe(0);
      expect(sessions.get(sessionKey(agent, 's1'))).toEqual(first);
      expect(denials.get(agent)).toBe(1);
    });

    test('denials are counted per agent and day, over all its sessions', async () => {
      const { agent } = newCase();
      for (const [n, sessionId] of ['s1', 's2', 's3'].entries()) {
        const about = newCase({ agent });
        await it.claims.claim(
          claimOf(about, 'deny', `${n}`, decisionOf('denied')),
          denying(rowOf(agent, sessionId), 2),
        );
      }
      expect((await read(agent, 'another')).denials.get(agent)).toBe(6);
      const names = ['s1', 's2', 'none'].map((sessionId) => ({ agent, sessionId }));
      const together = await it.sessions.readTogether(names, DAY);
      expect(together.denials).toEqual(new Map([[agent, 6]]));
      // DynamoDB answers a batch in any order.
      expect(together.sessions).toEqual(
        new Map(['s1', 's2'].map((sessionId) => [sessionKey(agent, sessionId), rowOf(agent, sessionId)])),
      );
      expect(together.control).toEqual((await read(agent, 'another')).control);
      expect(await it.sessions.deniedOn(agent, DAY)).toBe(6);
      expect(await it.sessions.deniedOn(agent, '2026-11-22')).toBe(0);
      // Read where one of the names wants them, and nowhere else.
      const without = names.map((name) => ({ ...name, withoutDenials: true }));
      expect((await it.sessions.readTogether(without, DAY)).denials).toEqual(new Map());
      expect((await it.sessions.readTogether([...without, ...names], DAY)).denials).toEqual(new Map([[agent, 6]]));
    });

    test('an approval is opened with its session, or not at all', async () => {
      const about = newCase();
      await it.sessions.write(rowOf(about.agent, 's1'));
      const stale = { rows: [rowOf(about.agent, 's1', { total: 1 })] };
      expect(await it.claims.open(claimOf(about, 'ask'), openingOf(about), stale)).toEqual({ kind: 'session_changed' });
      expect(await it.approvals.read(about.pid)).toBeUndefined();
      const next = { rows: [rowOf(about.agent, 's1', { version: 2, total: 1 })] };
      expect(await it.claims.open(claimOf(about, 'ask'), openingOf(about), next)).toEqual({ kind: 'claimed' });
      expect(await it.sessions.read(about.agent, 's1')).toMatchObject({ version: 2, total: 1 });
    });

    test('an approval is finished with its session, or not at all', async () => {
      const about = newCase();
      await it.claims.open(claimOf(about, 'ask'), openingOf(about));
      const record = recordOf(about, 'decided', { decision: decisionOf('denied') });
      const finish = (writes: SessionWrites) => it.approvals.finish(approvalOf(about), record, START, writes);
      expect(await finish({ rows: [rowOf(about.agent, 's1', { version: 2 })] })).toBe('session_changed');
      expect((await it.approvals.read(about.pid))?.decision).toBeUndefined();
      expect(await finish(denying(rowOf(about.agent, 's1')))).toBe('written');
      expect(await finish(denying(rowOf(about.agent, 's1', { version: 2 })))).toBe('exists');
      expect(await it.sessions.deniedOn(about.agent, DAY)).toBe(1);
    });

    test('two rows are written together or not at all', async () => {
      const about = newCase();
      const { agent } = about;
      await it.sessions.write(rowOf(agent, 'child'));
      const rows = [rowOf(agent, 's1'), rowOf(agent, 'child')];
      expect(await it.claims.claim(claimOf(about, 'allow', 'x', decisionOf('approved')), { rows })).toEqual({
        kind: 'session_changed',
      });
      expect(await it.sessions.read(agent, 's1')).toBeUndefined();
    });

    test('the sessions of an agent are listed, the latest change first', async () => {
      const { agent } = newCase();
      await it.sessions.write(rowOf(agent, 's1', { updatedAt: at(1_000) }));
      await it.sessions.write(rowOf(agent, 's2', { updatedAt: at(3_000) }));
      await it.sessions.write(rowOf(agent, 's3', { updatedAt: at(2_000) }));
      await it.sessions.write(rowOf(newCase().agent, 's4', { updatedAt: at(4_000) }));
      expect((await it.sessions.list(agent, 10)).map(({ sessionId }) => sessionId)).toEqual(['s2', 's3', 's1']);
      expect(await it.sessions.list(agent, 1)).toHaveLength(1);
      // A session is nothing to look after.
      expect(await it.approvals.due(Number.MAX_SAFE_INTEGER, 1_000)).not.toContain('s1');
    });

    test('a session that cannot be read, as of another release, hides no other in their list', async () => {
      const { agent } = newCase();
      await it.sessions.write(rowOf(agent, 's1'));
      await it.sessions.write(rowOf(agent, 's2', { mode: 'a mode of the next release' as never }));
      await expect(it.sessions.read(agent, 's2')).rejects.toThrow();
      expect((await it.sessions.list(agent, 10)).map(({ sessionId }) => sessionId)).toEqual(['s1']);
    });
  });
}

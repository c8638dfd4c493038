/** What the stores of the gate must do, in memory and on DynamoDB alike (A6, A7, A14, A15, G39). */
import { beforeAll, describe, expect, test } from 'vitest';
import type { HumanAnswer } from '../../shared/contract/index.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import type { DecisionReader } from '../../shared/ports/agent-side.ts';
import type { ApprovalStore } from '../../shared/ports/approval-store.ts';
import type { AuditLog } from '../../shared/ports/audit-log.ts';
import type { ClaimLimits, ClaimStore, Opening } from '../../shared/ports/claim-store.ts';
import type { ControlStore } from '../../shared/ports/control.ts';
import type { InputStore } from '../../shared/ports/input-store.ts';
import type { JournalStore } from '../../shared/ports/journal-store.ts';
import {
  approvalOf,
  at,
  type Case,
  claimOf,
  decisionOf,
  HUMAN_ENTRY,
  NOW_ENTRY,
  newCase,
  openingOf,
  recordOf,
  START,
  voted,
} from './rows.ts';

export interface StoresUnderTest {
  readonly claims: ClaimStore;
  readonly approvals: ApprovalStore;
  readonly journal: JournalStore;
  readonly control: ControlStore;
  readonly audit: AuditLog;
  readonly inputs: InputStore;
  readonly reader: DecisionReader;
}

/** Any: these tests remember nothing of sessions. */
const DAY = '2026-11-21';

/** Small, so that a test fills them: 2 waiting for an agent, 3 for a group, 1 KB of proposal in the row. */
export const TEST_LIMITS: ClaimLimits = { perAgent: 2, perGroup: 3, inlineBytes: 1024 };

export function storesContract(name: string, make: () => Promise<StoresUnderTest>): void {
  describe(name, () => {
    let it: StoresUnderTest;
    beforeAll(async () => {
      it = await make();
    });
    const open = (about: Case, over: Parameters<typeof openingOf>[1] = {}) =>
      it.claims.open(claimOf(about, 'ask'), openingOf(about, over));
    const opened = async (over: Partial<Case> = {}): Promise<Case> => {
      const about = newCase(over);
      expect(await open(about)).toEqual({ kind: 'claimed' });
      return about;
    };
    const finish = (about: Case, dueAt = START) =>
      it.approvals.finish(approvalOf(about), recordOf(about, 'decided', { decision: decisionOf('approved') }), dueAt);
    /** Of the rows that are due, those of this test. */
    const dueOf = async (abouts: readonly Case[], now: number) => {
      const mine = new Set(abouts.map(({ pid }) => pid));
      return (await it.approvals.due(now, 1_000)).filter((pid) => mine.has(pid));
    };

    describe('claims', () => {
      test('of eight claims at once one is put, and the others are given what it says', async () => {
        const about = newCase();
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            it.claims.claim(claimOf(about, 'allow', `content ${n}`, decisionOf('approved', `number ${n}`))),
          ),
        );
        expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
        const first = results.findIndex(({ kind }) => kind === 'claimed');
        const stored = {
          verdict: 'allow',
          contentDigest: sha256Hex(`content ${first}`),
          decision: decisionOf('approved', `number ${first}`),
        };
        for (const [n, result] of results.entries()) {
          if (n !== first) expect(result).toEqual({ kind: 'exists', claim: stored });
        }
        expect((await it.claims.readBatch([about], DAY)).claims.get(about.pid)).toEqual(stored);
      });

      test('a claim with another digest is seen as such, and the first stands', async () => {
        const about = newCase();
        await it.claims.claim(claimOf(about, 'deny', 'one', decisionOf('denied')));
        const second = await it.claims.claim(claimOf(about, 'allow', 'two', decisionOf('approved')));
        expect(second).toMatchObject({
          kind: 'exists',
          claim: { contentDigest: sha256Hex('one'), decision: { outcome: 'denied' } },
        });
      });

      test('a tombstone has no content digest', async () => {
        const about = newCase();
        const record = recordOf(about, 'evaluated', { decision: decisionOf('cancelled') });
        await it.claims.claim({ record, verdict: 'cancelled', contentDigest: null });
        expect((await it.claims.readBatch([about], DAY)).claims.get(about.pid)).toMatchObject({
          verdict: 'cancelled',
          contentDigest: null,
        });
      });

      test('a batch is read with the same key twice, with absent claims, and with the emergency brake', async () => {
        const [there, absent] = [newCase(), newCase()];
        await it.claims.claim(claimOf(there, 'allow', 'content', decisionOf('approved')));
        const { claims, control } = await it.claims.readBatch([there, there, absent], DAY);
        expect([...claims.keys()]).toEqual([there.pid]);
        expect(control).toEqual(await it.control.read());
      });

      test('the same id of two agents is two claims', async () => {
        const mine = newCase();
        const theirs = newCase({ pid: mine.pid });
        expect(await it.claims.claim(claimOf(mine, 'allow', 'content', decisionOf('approved')))).toEqual({
          kind: 'claimed',
        });
        expect(await it.claims.claim(claimOf(theirs, 'deny', 'content', decisionOf('denied')))).toEqual({
          kind: 'claimed',
        });
      });
    });

    describe('opening an approval', () => {
      test('writes claim, row, proposal and journal together', async () => {
        const about = await opened();
        expect(await it.approvals.read(about.pid)).toEqual({
          approval: approvalOf(about),
          proposal: '{"proposalId":"p1"}',
          cards: [],
          waiters: [],
        });
        expect(await it.journal.read(about.pid)).toEqual([NOW_ENTRY]);
        expect((await it.claims.readBatch([about], DAY)).claims.get(about.pid)).toMatchObject({ verdict: 'ask' });
        expect(await dueOf([about], START + 60_000)).toEqual([about.pid]);
      });

      test('writes nothing if the claim is there already', async () => {
        const about = newCase();
        await it.claims.claim(claimOf(about, 'deny', 'one', decisionOf('denied')));
        expect(await open(about)).toMatchObject({ kind: 'exists', claim: { verdict: 'deny' } });
        expect(await it.approvals.read(about.pid)).toBeUndefined();
        expect(await it.journal.read(about.pid)).toEqual([]);
        // No place was taken: the agent still has all of its own.
        await opened({ agent: about.agent });
        await opened({ agent: about.agent });
      });

      test('of eight at once for the same proposal one opens, and one place is taken', async () => {
        const about = newCase();
        const results = await Promise.all(Array.from({ length: 8 }, () => open(about)));
        expect(results.map(({ kind }) => kind).toSorted()).toEqual(['claimed', ...Array(7).fill('exists')]);
        await opened({ agent: about.agent });
        expect(await open(newCase({ agent: about.agent }))).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
      });

      test('writes nothing if too many of the agent wait; a decision frees one place, once', async () => {
        const first = await opened();
        await opened({ agent: first.agent });
        const third = newCase({ agent: first.agent });
        expect(await open(third)).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
        expect(await it.approvals.read(third.pid)).toBeUndefined();
        expect((await it.claims.readBatch([third], DAY)).claims.size).toBe(0);

        expect([await finish(first), await finish(first), await finish(first)]).toEqual([
          'written',
          'exists',
          'exists',
        ]);
        expect(await open(third)).toEqual({ kind: 'claimed' });
        expect(await open(newCase({ agent: first.agent }))).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
      });

      test('writes nothing if too many wait for the group; of several at once as many open as there are places', async () => {
        const { group } = newCase();
        const abouts = Array.from({ length: 6 }, () => newCase({ group }));
        const results = await Promise.all(abouts.map((about) => open(about)));
        expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(3);
        expect(results.filter(({ kind }) => kind === 'too_many_waiting')).toEqual(
          Array(3).fill({ kind: 'too_many_waiting', limit: 'group' }),
        );
        const free = abouts[results.findIndex(({ kind }) => kind === 'claimed')];
        if (!free) throw new Error('none opened');
        await finish(free);
        await opened({ group });
      });
    });

    describe('a proposal that is too large for a row', () => {
      const large = JSON.stringify({ proposalId: 'p1', input: 'ü'.repeat(9_000) });

      test('is kept by its digest and read back whole', async () => {
        const about = newCase();
        await open(about, { proposal: large });
        expect((await it.approvals.read(about.pid))?.proposal).toBe(large);
        expect(await it.inputs.get(sha256Hex(large))).toBe(large);
      });

      test('is kept once, whoever keeps it', async () => {
        const digest = sha256Hex(large);
        await Promise.all([it.inputs.put(digest, large), it.inputs.put(digest, large)]);
        expect(await it.inputs.get(digest)).toBe(large);
      });

      test('is refused if it is not what its digest says, or is not there', async () => {
        const digest = sha256Hex(`another ${newCase().pid}`);
        await expect(it.inputs.get(digest)).rejects.toThrow();
        await it.inputs.put(digest, 'something else');
        await expect(it.inputs.get(digest)).rejects.toThrow('not what its digest says');
      });
    });

    describe('changing an approval', () => {
      test('is written with its record if the version is the one read', async () => {
        const about = await opened();
        const next = voted(approvalOf(about), 'U0ALICE');
        expect(await it.approvals.write(next, recordOf(about, 'vote#1'), START)).toBe(true);
        expect((await it.approvals.read(about.pid))?.approval).toEqual(next);
        expect((await it.audit.ofProposal(about.agent, about.pid)).map(({ key }) => key.sort)).toContain('vote#1');
      });

      test('of eight at once one is written, with its record and no other', async () => {
        const about = await opened();
        const written = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            it.approvals.write(voted(approvalOf(about), `U0${n}`), recordOf(about, `vote#1-${n}`), START),
          ),
        );
        expect(written.filter(Boolean)).toHaveLength(1);
        const winner = written.indexOf(true);
        expect((await it.approvals.read(about.pid))?.approval.votes.map(({ by }) => by.user)).toEqual([`U0${winner}`]);
        const records = await it.audit.ofProposal(about.agent, about.pid);
        expect(records.map(({ key }) => key.sort).toSorted()).toEqual(['evaluated', `vote#1-${winner}`]);
      });

      test('is not written at another version, on a row that is not there, or on one that is decided', async () => {
        const about = await opened();
        const first = voted(approvalOf(about), 'U0ALICE');
        expect(await it.approvals.write({ ...first, version: 2 }, undefined, START)).toBe(false);
        expect(await it.approvals.write(voted(approvalOf(newCase()), 'U0ALICE'), undefined, START)).toBe(false);
        await finish(about);
        expect(await it.approvals.write(first, recordOf(about, 'vote#1'), START)).toBe(false);
        expect(await it.audit.ofProposal(about.agent, about.pid)).toHaveLength(2);
      });

      test('is not written if its record cannot be (G35)', async () => {
        const about = await opened();
        await it.audit.put(recordOf(about, 'vote#1'));
        const next = voted(approvalOf(about), 'U0ALICE');
        await expect(it.approvals.write(next, recordOf(about, 'vote#1'), START)).rejects.toThrow();
        expect((await it.approvals.read(about.pid))?.approval.version).toBe(0);
      });
    });

    describe('another round', () => {
      test('keeps what the last one came to, with the change or not at all', async () => {
        const about = await opened();
        const next = voted(approvalOf(about), 'U0ALICE');
        expect(await it.approvals.write(next, recordOf(about, 'evaluated#2'), START, HUMAN_ENTRY)).toBe(true);
        expect(await it.journal.read(about.pid)).toEqual([NOW_ENTRY, HUMAN_ENTRY]);
        expect(
          await it.approvals.write(next, recordOf(about, 'evaluated#3'), START, { ...HUMAN_ENTRY, round: 2 }),
        ).toBe(false);
        expect(await it.journal.read(about.pid)).toHaveLength(2);
      });
    });

    describe('identical waiting calls (A24)', () => {
      const openAs = (about: Case, same: Opening['same'], follows?: string) =>
        it.claims.open(claimOf(about, 'ask'), {
          ...openingOf(about, same ? { same } : {}),
          approval: { ...approvalOf(about), ...(follows ? { follows } : {}) },
        });

      test('of eight at once one asks, and the others are told which', async () => {
        const key = newCase().pid;
        const abouts = Array.from({ length: 8 }, () => newCase());
        const results = await Promise.all(abouts.map((about) => openAs(about, { key })));
        expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
        const lead = abouts[results.findIndex(({ kind }) => kind === 'claimed')];
        for (const result of results)
          if (result.kind !== 'claimed') expect(result).toEqual({ kind: 'same_waits', pid: lead?.pid });
        const waiting = await Promise.all(abouts.map(({ pid }) => it.approvals.read(pid)));
        expect(waiting.filter(Boolean)).toHaveLength(1);
      });

      test('one follows while the other waits, and is found with it', async () => {
        const key = newCase().pid;
        const [lead, follower] = [newCase(), newCase()];
        await openAs(lead, { key });
        expect(await openAs(follower, undefined, lead.pid)).toEqual({ kind: 'claimed' });
        expect((await it.approvals.read(lead.pid))?.waiters).toEqual([follower.pid]);
        expect((await it.approvals.read(follower.pid))?.approval.follows).toBe(lead.pid);
      });

      test('nobody follows what has ended or is not there; another one takes its place, and only that of this one', async () => {
        const key = newCase().pid;
        const [lead, late, third] = [newCase(), newCase(), newCase()];
        await openAs(lead, { key });
        await it.approvals.write(voted(approvalOf(lead), 'U0ALICE'), undefined, START);
        expect(await openAs(late, undefined, lead.pid)).toEqual({ kind: 'lead_ended' });
        expect(await openAs(late, undefined, newCase().pid)).toEqual({ kind: 'lead_ended' });
        expect(await it.approvals.read(late.pid)).toBeUndefined();
        expect(await openAs(late, { key, instead: newCase().pid })).toEqual({ kind: 'same_waits', pid: lead.pid });
        expect(await openAs(late, { key, instead: lead.pid })).toEqual({ kind: 'claimed' });
        expect(await openAs(third, { key })).toEqual({ kind: 'same_waits', pid: late.pid });
      });

      test('what is pointed at is forgotten with the end of its wait (G16)', async () => {
        const key = newCase().pid;
        const [lead, later] = [newCase(), newCase()];
        await openAs(lead, { key });
        const requestedAt = approvalOf(lead).expiresAt;
        const opening = openingOf(later, { same: { key } });
        const approval = { ...approvalOf(later), requestedAt };
        expect(await it.claims.open(claimOf(later, 'ask'), { ...opening, approval })).toEqual({ kind: 'claimed' });
      });
    });

    describe('finishing an approval', () => {
      test('is of the version that was decided, and keeps what people said', async () => {
        const about = await opened();
        const next = voted(approvalOf(about), 'U0ALICE');
        await it.approvals.write(next, undefined, START);
        const record = recordOf(about, 'decided', { decision: decisionOf('approved') });
        expect(await it.approvals.finish(approvalOf(about), record, START, undefined, HUMAN_ENTRY)).toBe('exists');
        expect((await it.approvals.read(about.pid))?.decision).toBeUndefined();
        expect(await it.approvals.finish(next, record, START, undefined, HUMAN_ENTRY)).toBe('written');
        expect(await it.journal.read(about.pid)).toEqual([NOW_ENTRY, HUMAN_ENTRY]);
      });

      test('puts the decision once, in the row and in the record', async () => {
        const about = await opened();
        const decide = (n: number) =>
          it.approvals.finish(
            approvalOf(about),
            recordOf(about, 'decided', { decision: decisionOf('approved', `number ${n}`) }),
            START,
          );
        const results = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(decide));
        expect(results.filter((result) => result === 'written')).toHaveLength(1);
        const winner = decisionOf('approved', `number ${results.indexOf('written')}`);
        expect((await it.approvals.read(about.pid))?.decision).toEqual(winner);
        expect(await it.reader.read(about.agent, about.pid, 'decided')).toEqual({ decision: winner });
      });

      test('is refused for an approval that is not there', async () => {
        const about = newCase();
        expect(await finish(about)).toBe('exists');
        expect(await it.audit.ofProposal(about.agent, about.pid)).toEqual([]);
      });
    });

    describe('what has to be looked after', () => {
      test('is listed from its time on, the longest due first', async () => {
        const abouts = [newCase(), newCase(), newCase()];
        const [one, two, three] = abouts as [Case, Case, Case];
        await open(one, { dueAt: START + 3_000 });
        await open(two, { dueAt: START + 1_000 });
        await open(three, { dueAt: START + 2_000 });
        expect(await dueOf(abouts, START + 999)).toEqual([]);
        expect(await dueOf(abouts, START + 2_000)).toEqual([two.pid, three.pid]);
        expect(await dueOf(abouts, START + 3_000)).toEqual([two.pid, three.pid, one.pid]);
      });

      test('is at most as much as is asked for', async () => {
        await opened();
        await opened();
        expect(await it.approvals.due(Number.MAX_SAFE_INTEGER, 1)).toHaveLength(1);
      });

      test('moves with every change and with a postponement, but not if the row changed since it was read', async () => {
        const about = await opened();
        await it.approvals.postpone(about.pid, START + 90_000, 0);
        expect(await dueOf([about], START + 89_999)).toEqual([]);
        await it.approvals.write(voted(approvalOf(about), 'U0ALICE'), undefined, START + 70_000);
        await it.approvals.postpone(about.pid, START + 3_600_000, 0);
        expect(await dueOf([about], START + 70_000)).toEqual([about.pid]);
      });

      test('stays until everybody was told of the decision', async () => {
        const about = await opened();
        await it.approvals.release(about.pid);
        expect(await dueOf([about], START + 60_000)).toEqual([about.pid]);
        await finish(about, START + 120_000);
        expect(await dueOf([about], START + 119_999)).toEqual([]);
        expect(await dueOf([about], START + 120_000)).toEqual([about.pid]);
        await it.approvals.release(about.pid);
        await it.approvals.release(about.pid);
        await it.approvals.postpone(about.pid, START, 0);
        expect(await dueOf([about], Number.MAX_SAFE_INTEGER)).toEqual([]);
      });

      test('is nothing that is not there', async () => {
        const absent = newCase();
        await it.approvals.postpone(absent.pid, START, 0);
        await it.approvals.release(absent.pid);
        expect(await it.approvals.read(absent.pid)).toBeUndefined();
        expect(await dueOf([absent], Number.MAX_SAFE_INTEGER)).toEqual([]);
      });
    });

    describe('task tokens', () => {
      const token = (name: string, enteredAt: number, retryCount: number) => ({
        token: name,
        enteredAt: at(enteredAt),
        retryCount,
      });

      test('are overwritten by later places of the execution only (A7)', async () => {
        const { pid } = newCase();
        expect(await it.approvals.readToken(pid)).toBeUndefined();
        expect(await it.approvals.storeToken(pid, token('first', 0, 0))).toBe(true);
        expect(await it.approvals.storeToken(pid, token('retried', 0, 10))).toBe(true);
        expect(await it.approvals.storeToken(pid, token('late', 0, 2))).toBe(false);
        expect(await it.approvals.readToken(pid)).toEqual(token('retried', 0, 10));
        expect(await it.approvals.storeToken(pid, token('next round', 1, 0))).toBe(true);
        expect(await it.approvals.storeToken(pid, token('late', 0, 11))).toBe(false);
        expect(await it.approvals.readToken(pid)).toEqual(token('next round', 1, 0));
      });

      test('end as the latest place, in whatever order they come', async () => {
        const { pid } = newCase();
        const places = [token('d', 9_000, 1), token('a', 0, 0), token('c', 9_000, 0), token('b', 0, 3)];
        await Promise.all(places.map((place) => it.approvals.storeToken(pid, place)));
        expect(await it.approvals.readToken(pid)).toEqual(token('d', 9_000, 1));
      });
    });

    test('cards are kept once by their place, several to an approval', async () => {
      const about = await opened();
      const cards = [
        { channel: 'C0APPROVALS', ts: '1.1' },
        { channel: 'C0APPROVALS', ts: '2.2' },
      ];
      for (const card of [...cards, ...cards]) await it.approvals.addCard(about.pid, card);
      expect((await it.approvals.read(about.pid))?.cards).toEqual(cards);
      const first = { channel: '', ts: '', ...cards[0], said: ['decided'] };
      await it.approvals.addCard(about.pid, first);
      expect((await it.approvals.read(about.pid))?.cards).toEqual([first, ...cards.slice(1)]);
      await it.approvals.noteCardProblem(about.pid, 'channel_gone');
      expect((await it.approvals.read(about.pid))?.cardProblem).toBe('channel_gone');
      await it.approvals.noteCardProblem(about.pid, undefined);
      expect(await it.approvals.read(about.pid)).not.toHaveProperty('cardProblem');
      await it.approvals.noteCardProblem('f'.repeat(64), 'down');
      expect(await it.approvals.read('f'.repeat(64))).toBeUndefined();
    });

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
        expect(await it.journal.append(pid, answer(2, 'two'))).toBe(true);
        expect(await it.journal.append(pid, answer(1, 'one'))).toBe(true);
        expect(await it.journal.append(pid, answer(1, 'again'))).toBe(false);
        expect(await it.journal.append(pid, NOW_ENTRY)).toBe(true);
        expect(await it.journal.read(pid)).toEqual([NOW_ENTRY, answer(1, 'one'), answer(2, 'two')]);
      });

      test('takes one of eight at once', async () => {
        const { pid } = newCase();
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, n) => it.journal.append(pid, answer(1, `number ${n}`))),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        expect(await it.journal.read(pid)).toEqual([answer(1, `number ${results.indexOf(true)}`)]);
      });
    });

    describe('the emergency brake', () => {
      test('changes on the condition that nobody was faster', async () => {
        const before = await it.control.read();
        const pause = (by: string) => ({
          ...before,
          version: before.version + 1,
          pauses: [{ scope: { all: true as const }, effect: 'deny' as const, reason: 'test', by }],
        });
        const results = await Promise.all(['a', 'b', 'c', 'd'].map((by) => it.control.write(pause(by))));
        expect(results.filter(Boolean)).toHaveLength(1);
        const after = await it.control.read();
        expect(after).toEqual(pause(['a', 'b', 'c', 'd'][results.indexOf(true)] ?? ''));
        expect(await it.control.write(pause('late'))).toBe(false);
        expect(await it.control.write({ ...after, version: after.version + 2 })).toBe(false);
        expect(await it.control.write({ ...after, version: after.version + 1, pauses: [] })).toBe(true);
      });
    });

    describe('the record', () => {
      test('puts an entry once and never changes it (G39)', async () => {
        const about = newCase();
        const first = recordOf(about, 'click#1', { detail: 'first' });
        const results = await Promise.all([
          it.audit.put(first),
          it.audit.put(first),
          it.audit.put(recordOf(about, 'click#2')),
        ]);
        expect(results.filter(Boolean)).toHaveLength(2);
        expect(await it.audit.put(recordOf(about, 'click#1', { detail: 'second' }))).toBe(false);
        const [kept] = await it.audit.ofProposal(about.agent, about.pid);
        expect(kept).toEqual(first);
      });

      test('gives the entries of one proposal oldest first', async () => {
        const about = newCase();
        for (const [sort, ms] of [
          ['vote#2', 2_000],
          ['evaluated', 0],
          ['vote#1', 1_000],
        ] as const) {
          await it.audit.put(recordOf(about, sort, { recordedAt: at(ms) }));
        }
        const sorts = (await it.audit.ofProposal(about.agent, about.pid)).map(({ key }) => key.sort);
        expect(sorts).toEqual(['evaluated', 'vote#1', 'vote#2']);
      });

      test('gives the newest entries of an agent, newest first, and of no other agent', async () => {
        const { agent } = newCase();
        const abouts = [newCase({ agent }), newCase({ agent }), newCase({ agent })];
        for (const [n, about] of abouts.entries()) {
          const decision = decisionOf('approved', `number ${n}`);
          await it.audit.put(recordOf(about, 'evaluated', { decision, recordedAt: at(n * 1_000) }));
        }
        await it.audit.put(recordOf(newCase(), 'evaluated', { recordedAt: at(9_000) }));
        const recent = await it.audit.recent(agent, 2);
        expect(recent.map(({ decision }) => decision?.message)).toEqual(['number 2', 'number 1']);
        expect(recent[0]?.key).toEqual({ agent, pid: abouts[2]?.pid, sort: 'evaluated' });
      });

      test('holds nothing of what never came', async () => {
        const absent = newCase();
        expect(await it.audit.ofProposal(absent.agent, absent.pid)).toEqual([]);
        expect(await it.audit.recent(absent.agent, 5)).toEqual([]);
      });
    });

    describe('what an agent reads', () => {
      test('is the claim with its verdict and decision, then the decided row', async () => {
        const about = await opened();
        expect(await it.reader.read(about.agent, about.pid, 'evaluated')).toEqual({ verdict: 'ask' });
        expect(await it.reader.read(about.agent, about.pid, 'decided')).toBeUndefined();
        await finish(about);
        expect(await it.reader.read(about.agent, about.pid, 'decided')).toEqual({ decision: decisionOf('approved') });
      });

      test('is nothing under another agent', async () => {
        const about = await opened();
        expect(await it.reader.read(newCase().agent, about.pid, 'evaluated')).toBeUndefined();
      });
    });

    test('a row past its end is given as it is: whoever reads compares the time (G16)', async () => {
      const about = newCase();
      const approval = { ...approvalOf(about), expiresAt: '2020-01-01T00:00:00.000Z' };
      await open(about, { approval });
      expect((await it.approvals.read(about.pid))?.approval).toEqual(approval);
    });
  });
}

/**
 * Checks the rows of what waits for people (A7, A14, A22).
 *
 * Rows change under their version, finish once, and are due until everybody was told.
 */
import { describe, expect, test } from 'vitest';
import {
  approvalOf,
  at,
  type Case,
  decisionOf,
  HUMAN_ENTRY,
  NOW_ENTRY,
  newCase,
  recordOf,
  START,
  voted,
} from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

export function approvalsContract({ it, open, opened, finish, dueOf }: Stores): void {
  describe('changing an approval', () => {
    test('is written with its record if the version is the one read', async () => {
      const about = await opened();
      const next = voted(approvalOf(about), 'U0ALICE');
      expect(await it().approvals.write(next, recordOf(about, 'vote#1'), START)).toBe(true);
      expect((await it().approvals.read(about.pid))?.approval).toEqual(next);
      expect((await it().audit.ofProposal(about.agent, about.pid)).map(({ key }) => key.sort)).toContain('vote#1');
    });

    test('of eight at once one is written, with its record and no other', async () => {
      const about = await opened();
      const written = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          it().approvals.write(voted(approvalOf(about), `U0${n}`), recordOf(about, `vote#1-${n}`), START),
        ),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
      const winner = written.indexOf(true);
      expect((await it().approvals.read(about.pid))?.approval.votes.map(({ by }) => by.user)).toEqual([`U0${winner}`]);
      const records = await it().audit.ofProposal(about.agent, about.pid);
      expect(records.map(({ key }) => key.sort).toSorted()).toEqual(['evaluated', `vote#1-${winner}`]);
    });

    test('is not written at another version, on a row that is not there, or on one that is decided', async () => {
      const about = await opened();
      const first = voted(approvalOf(about), 'U0ALICE');
      expect(await it().approvals.write({ ...first, version: 2 }, undefined, START)).toBe(false);
      expect(await it().approvals.write(voted(approvalOf(newCase()), 'U0ALICE'), undefined, START)).toBe(false);
      await finish(about);
      expect(await it().approvals.write(first, recordOf(about, 'vote#1'), START)).toBe(false);
      expect(await it().audit.ofProposal(about.agent, about.pid)).toHaveLength(2);
    });

    test('is not written if its record cannot be (G35)', async () => {
      const about = await opened();
      await it().audit.put(recordOf(about, 'vote#1'));
      const next = voted(approvalOf(about), 'U0ALICE');
      await expect(it().approvals.write(next, recordOf(about, 'vote#1'), START)).rejects.toThrow();
      expect((await it().approvals.read(about.pid))?.approval.version).toBe(0);
    });
  });

  describe('another round', () => {
    test('keeps what the last one came to, with the change or not at all', async () => {
      const about = await opened();
      const next = voted(approvalOf(about), 'U0ALICE');
      expect(await it().approvals.write(next, recordOf(about, 'evaluated#2'), START, HUMAN_ENTRY)).toBe(true);
      expect(await it().journal.read(about.pid)).toEqual([NOW_ENTRY, HUMAN_ENTRY]);
      expect(
        await it().approvals.write(next, recordOf(about, 'evaluated#3'), START, { ...HUMAN_ENTRY, round: 2 }),
      ).toBe(false);
      expect(await it().journal.read(about.pid)).toHaveLength(2);
    });
  });

  describe('finishing an approval', () => {
    test('is of the version that was decided, and keeps what people said', async () => {
      const about = await opened();
      const next = voted(approvalOf(about), 'U0ALICE');
      await it().approvals.write(next, undefined, START);
      const record = recordOf(about, 'decided', { decision: decisionOf('approved') });
      expect(await it().approvals.finish(approvalOf(about), record, START, undefined, HUMAN_ENTRY)).toBe('exists');
      expect((await it().approvals.read(about.pid))?.decision).toBeUndefined();
      expect(await it().approvals.finish(next, record, START, undefined, HUMAN_ENTRY)).toBe('written');
      expect(await it().journal.read(about.pid)).toEqual([NOW_ENTRY, HUMAN_ENTRY]);
    });

    test('puts the decision once, in the row and in the record', async () => {
      const about = await opened();
      const decide = (n: number) =>
        it().approvals.finish(
          approvalOf(about),
          recordOf(about, 'decided', { decision: decisionOf('approved', `number ${n}`) }),
          START,
        );
      const results = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(decide));
      expect(results.filter((result) => result === 'written')).toHaveLength(1);
      const winner = decisionOf('approved', `number ${results.indexOf('written')}`);
      expect((await it().approvals.read(about.pid))?.decision).toEqual(winner);
      expect(await it().reader.read(about.agent, about.pid, 'decided')).toEqual({ decision: winner });
    });

    test('is refused for an approval that is not there', async () => {
      const about = newCase();
      expect(await finish(about)).toBe('exists');
      expect(await it().audit.ofProposal(about.agent, about.pid)).toEqual([]);
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
      expect(await it().approvals.due(Number.MAX_SAFE_INTEGER, 1)).toHaveLength(1);
    });

    test('moves with every change and with a postponement, but not if the row changed since it was read', async () => {
      const about = await opened();
      expect(await it().approvals.postpone(about.pid, START + 90_000, 0)).toBe(true);
      expect(await dueOf([about], START + 89_999)).toEqual([]);
      await it().approvals.write(voted(approvalOf(about), 'U0ALICE'), undefined, START + 70_000);
      expect(await it().approvals.postpone(about.pid, START + 3_600_000, 0)).toBe(false);
      expect(await dueOf([about], START + 70_000)).toEqual([about.pid]);
    });

    test('moves when it is decided as well', async () => {
      const about = await opened();
      await finish(about, START + 10_000);
      expect(await it().approvals.postpone(about.pid, START + 80_000, 0)).toBe(false);
      expect(await dueOf([about], START + 10_000)).toEqual([about.pid]);
      expect(await it().approvals.postpone(about.pid, START + 90_000, 0, true)).toBe(true);
      expect(await dueOf([about], START + 89_999)).toEqual([]);
      expect(await dueOf([about], START + 90_000)).toEqual([about.pid]);
    });

    test('is brought forward, never put off; a row that was released only where that is meant', async () => {
      const about = await opened();
      const { approvals } = it();
      await approvals.bringForward(about.pid, START + 90_000, false);
      expect(await dueOf([about], START + 60_000)).toEqual([about.pid]);
      await approvals.bringForward(about.pid, START + 50_000, false);
      expect(await dueOf([about], START + 50_000)).toEqual([about.pid]);
      await finish(about, START + 10_000);
      await approvals.release(about.pid);
      await approvals.bringForward(about.pid, START + 90_000, false);
      expect(await dueOf([about], Number.MAX_SAFE_INTEGER)).toEqual([]);
      await approvals.bringForward(about.pid, START + 90_000, true);
      expect(await dueOf([about], START + 89_999)).toEqual([]);
      expect(await dueOf([about], START + 90_000)).toEqual([about.pid]);
    });

    test('stays until everybody was told of the decision', async () => {
      const about = await opened();
      await it().approvals.release(about.pid);
      expect(await dueOf([about], START + 60_000)).toEqual([about.pid]);
      await finish(about, START + 120_000);
      expect(await dueOf([about], START + 119_999)).toEqual([]);
      expect(await dueOf([about], START + 120_000)).toEqual([about.pid]);
      expect(await it().approvals.read(about.pid)).not.toHaveProperty('isNotified');
      await it().approvals.markNotified(about.pid);
      expect(await it().approvals.read(about.pid)).toMatchObject({ isNotified: true });
      expect(await dueOf([about], START + 120_000)).toEqual([about.pid]);
      await it().approvals.release(about.pid);
      await it().approvals.release(about.pid);
      expect(await it().approvals.postpone(about.pid, START, 0, true)).toBe(false);
      expect(await dueOf([about], Number.MAX_SAFE_INTEGER)).toEqual([]);
    });

    test('comes page by page, each row once, though rows move meanwhile', async () => {
      const abouts = await Promise.all([1, 2, 3, 4, 5].map(() => opened()));
      const mine = new Set(abouts.map(({ pid }) => pid));
      const seen: string[] = [];
      let page = await it().approvals.due(Number.MAX_SAFE_INTEGER, 2);
      while (page.length) {
        for (const { pid } of page.filter((row) => mine.has(row.pid))) {
          seen.push(pid);
          await it().approvals.postpone(pid, START + 1, 0);
        }
        page = await it().approvals.due(Number.MAX_SAFE_INTEGER, 2, page.at(-1));
      }
      expect(seen.toSorted()).toEqual([...mine].toSorted());
    });

    test('is set back by its key, whatever its version, and says how often; a postponement forgets that', async () => {
      const about = await opened();
      const due = async () =>
        (await it().approvals.due(Number.MAX_SAFE_INTEGER, 1_000)).find(({ pid }) => pid === about.pid);
      expect(await due()).toMatchObject({ dueAt: START + 60_000, failures: 0 });
      await it().approvals.write(voted(approvalOf(about), 'U0ALICE'), undefined, START + 70_000);
      await it().approvals.setBack(about.pid, START + 90_000, 3);
      expect(await due()).toMatchObject({ dueAt: START + 90_000, failures: 3 });
      await it().approvals.postpone(about.pid, START + 80_000, 1);
      expect(await due()).toMatchObject({ dueAt: START + 80_000, failures: 0 });
    });

    test('is no more what was dropped, and what was dropped cannot be set back', async () => {
      const about = await opened();
      await it().approvals.dropDue(about.pid);
      await it().approvals.setBack(about.pid, START, 1);
      expect(await dueOf([about], Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect((await it().approvals.read(about.pid))?.approval.status).toBe('pending');
    });

    test('is a first look while nobody answered and no time of it has come', async () => {
      const about = await opened();
      const isFirstLook = async (now: number) =>
        (await it().approvals.due(now, 1_000)).find(({ pid }) => pid === about.pid)?.isFirstLook;
      expect(await isFirstLook(START + 60_000)).toBe(true);
      expect(await isFirstLook(START + 3_600_000)).toBe(false);
      await it().approvals.write(voted(approvalOf(about), 'U0ALICE'), undefined, START + 70_000);
      expect(await isFirstLook(START + 70_000)).toBe(false);
    });

    test('is nothing that is not there', async () => {
      const absent = newCase();
      expect(await it().approvals.postpone(absent.pid, START, 0)).toBe(false);
      await it().approvals.release(absent.pid);
      await it().approvals.setBack(absent.pid, START, 1);
      await it().approvals.dropDue(absent.pid);
      await it().approvals.bringForward(absent.pid, START, true);
      expect(await it().approvals.read(absent.pid)).toBeUndefined();
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
      expect(await it().approvals.readToken(pid)).toBeUndefined();
      expect(await it().approvals.storeToken(pid, token('first', 0, 0))).toBe(true);
      expect(await it().approvals.storeToken(pid, token('retried', 0, 10))).toBe(true);
      expect(await it().approvals.storeToken(pid, token('late', 0, 2))).toBe(false);
      expect(await it().approvals.readToken(pid)).toEqual(token('retried', 0, 10));
      expect(await it().approvals.storeToken(pid, token('next round', 1, 0))).toBe(true);
      expect(await it().approvals.storeToken(pid, token('late', 0, 11))).toBe(false);
      expect(await it().approvals.readToken(pid)).toEqual(token('next round', 1, 0));
    });

    test('end as the latest place, in whatever order they come', async () => {
      const { pid } = newCase();
      const places = [token('d', 9_000, 1), token('a', 0, 0), token('c', 9_000, 0), token('b', 0, 3)];
      await Promise.all(places.map((place) => it().approvals.storeToken(pid, place)));
      expect(await it().approvals.readToken(pid)).toEqual(token('d', 9_000, 1));
    });
  });

  test('cards are kept once by their place, several to an approval', async () => {
    const about = await opened();
    const cards = [
      { channel: 'C0APPROVALS', ts: '1.1' },
      { channel: 'C0APPROVALS', ts: '2.2' },
    ];
    for (const card of [...cards, ...cards]) await it().approvals.addCard(about.pid, card);
    expect((await it().approvals.read(about.pid))?.cards).toEqual(cards);
    const first = { channel: '', ts: '', ...cards[0], said: ['decided'] };
    await it().approvals.addCard(about.pid, first);
    expect((await it().approvals.read(about.pid))?.cards).toEqual([first, ...cards.slice(1)]);
    await it().approvals.noteCardProblem(about.pid, 'channel_gone');
    expect((await it().approvals.read(about.pid))?.cardProblem).toBe('channel_gone');
    await it().approvals.noteCardProblem(about.pid, undefined);
    expect(await it().approvals.read(about.pid)).not.toHaveProperty('cardProblem');
    await it().approvals.noteCardProblem('f'.repeat(64), 'down');
    expect(await it().approvals.read('f'.repeat(64))).toBeUndefined();
  });

  test('a row past its end is given as it is: whoever reads compares the time (G16)', async () => {
    const about = newCase();
    const approval = { ...approvalOf(about), expiresAt: '2020-01-01T00:00:00.000Z' };
    await open(about, { approval });
    expect((await it().approvals.read(about.pid))?.approval).toEqual(approval);
  });
}

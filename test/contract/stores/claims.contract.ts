/** Checks claims, what opens an approval with them, and the calls that share one (A6, A24, A15). */
import { describe, expect, test } from 'vitest';
import type { Approval, LevelFacts, Permit, SessionEntry } from '../../../shared/contract/index.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { InputGoneError } from '../../../shared/ports/stores/input-store.ts';
import {
  approvalOf,
  at,
  type Case,
  claimOf,
  decisionOf,
  NOW_ENTRY,
  newCase,
  openingOf,
  recordOf,
  START,
  voted,
} from '../support/rows.ts';
import { DAY, type Stores } from '../support/stores.ts';

export function claimsContract({ it, open, opened, finish, dueOf }: Stores): void {
  describe('claims', () => {
    test('of eight claims at once one is put, and the others are given what it says', async () => {
      const about = newCase();
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          it().claims.claim(claimOf(about, 'allow', `content ${n}`, decisionOf('approved', `number ${n}`))),
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
      expect((await it().claims.readBatch([about], DAY)).claims.get(about.pid)).toEqual(stored);
    });

    test('a claim with another digest is seen as such, and the first stands', async () => {
      const about = newCase();
      await it().claims.claim(claimOf(about, 'deny', 'one', decisionOf('denied')));
      const second = await it().claims.claim(claimOf(about, 'allow', 'two', decisionOf('approved')));
      expect(second).toMatchObject({
        kind: 'exists',
        claim: { contentDigest: sha256Hex('one'), decision: { outcome: 'denied' } },
      });
    });

    test('a permit is read back with all that allowed it', async () => {
      const about = newCase();
      const person = { team: 'T0DEMO', user: 'U0ALICE' };
      const permit: Permit = {
        permitId: sha256Hex('permit').slice(0, 32),
        actionDigest: sha256Hex('action'),
        permitEpoch: 0,
        issuedAt: at(0),
        expiresAt: at(60_000),
        allowedBy: {
          people: [person],
          yes: 'silence',
          rules: [sha256Hex('rule')],
          grants: [sha256Hex('grant')],
          requester: person,
          mode: 'bubble',
          answers: [{ type: 'hook', at: '0.review', decision: 'allow', mode: 'plan' }],
        },
      };
      const whole = decisionOf('approved');
      const { outcome, message, reasonCode, decidedBy } = whole;
      const call = { id: 'call', outcome, message, reasonCode, decidedBy, actionDigest: permit.actionDigest, permit };
      const decision = { ...whole, calls: [call] };
      await it().claims.claim(claimOf(about, 'allow', 'one', decision));
      expect((await it().claims.readBatch([about], DAY)).claims.get(about.pid)?.decision).toEqual(decision);
    });

    test('a tombstone has no content digest', async () => {
      const about = newCase();
      const record = recordOf(about, 'evaluated', { decision: decisionOf('cancelled') });
      await it().claims.claim({ record, verdict: 'cancelled', contentDigest: null });
      expect((await it().claims.readBatch([about], DAY)).claims.get(about.pid)).toMatchObject({
        verdict: 'cancelled',
        contentDigest: null,
      });
    });

    test('a batch is read with the same key twice, with absent claims, and with the emergency brake', async () => {
      const [there, absent] = [newCase(), newCase()];
      await it().claims.claim(claimOf(there, 'allow', 'content', decisionOf('approved')));
      const { claims, control } = await it().claims.readBatch([there, there, absent], DAY);
      expect([...claims.keys()]).toEqual([there.pid]);
      expect(control).toEqual(await it().control.read());
    });

    test('the same id of two agents is two claims', async () => {
      const mine = newCase();
      const theirs = newCase({ pid: mine.pid });
      expect(await it().claims.claim(claimOf(mine, 'allow', 'content', decisionOf('approved')))).toEqual({
        kind: 'claimed',
      });
      expect(await it().claims.claim(claimOf(theirs, 'deny', 'content', decisionOf('denied')))).toEqual({
        kind: 'claimed',
      });
    });
  });

  describe('opening an approval', () => {
    test('writes claim, row, proposal and journal together', async () => {
      const about = await opened();
      expect(await it().approvals.read(about.pid)).toEqual({
        approval: approvalOf(about),
        proposal: '{"proposalId":"p1"}',
        cards: [],
        waiters: [],
        dueAt: START + 60_000,
      });
      expect(await it().journal.read(about.pid)).toEqual([NOW_ENTRY]);
      expect((await it().claims.readBatch([about], DAY)).claims.get(about.pid)).toMatchObject({ verdict: 'ask' });
      expect(await dueOf([about], START + 60_000)).toEqual([about.pid]);
    });

    test.each(['calls', 'choice'] as const)('keeps the beginning of the journal of %s', async (kind) => {
      const level: LevelFacts = {
        agent: 'agent',
        sessionId: 's1',
        mode: 'default',
        rules: [],
        consecutive: 0,
        total: 0,
        calls: [],
      };
      const session: SessionEntry = { ...NOW_ENTRY, type: 'session', place: 'session', levels: [level], end: 'root' };
      const later = { ...NOW_ENTRY, at: at(1) };
      for (const journal of [[session, NOW_ENTRY], [session, later], [session]]) {
        const about = newCase();
        const approval = approvalOf(about);
        const asked = { ...approval, question: { ...approval.question, kind } as Approval['question'] };
        await it().claims.open(claimOf(about, 'ask'), openingOf(about, { approval: asked, journal }));
        expect(await it().journal.read(about.pid)).toEqual(journal);
      }
    });

    test('writes nothing if the claim is there already', async () => {
      const about = newCase();
      await it().claims.claim(claimOf(about, 'deny', 'one', decisionOf('denied')));
      expect(await open(about)).toMatchObject({ kind: 'exists', claim: { verdict: 'deny' } });
      expect(await it().approvals.read(about.pid)).toBeUndefined();
      expect(await it().journal.read(about.pid)).toEqual([]);
      // No slot was taken: the agent still has all of its own.
      await opened({ agent: about.agent });
      await opened({ agent: about.agent });
    });

    test('of eight at once for the same proposal one opens, and one slot is taken', async () => {
      const about = newCase();
      const results = await Promise.all(Array.from({ length: 8 }, () => open(about)));
      expect(results.map(({ kind }) => kind).toSorted()).toEqual(['claimed', ...Array(7).fill('exists')]);
      await opened({ agent: about.agent });
      expect(await open(newCase({ agent: about.agent }))).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
    });

    test('writes nothing if too many of the agent wait; a decision frees one slot, once', async () => {
      const first = await opened();
      await opened({ agent: first.agent });
      const third = newCase({ agent: first.agent });
      expect(await open(third)).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
      expect(await it().approvals.read(third.pid)).toBeUndefined();
      expect((await it().claims.readBatch([third], DAY)).claims.size).toBe(0);

      expect([await finish(first), await finish(first), await finish(first)]).toEqual(['written', 'exists', 'exists']);
      expect(await open(third)).toEqual({ kind: 'claimed' });
      expect(await open(newCase({ agent: first.agent }))).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
    });

    test('writes nothing if too many wait for the group; of several at once as many open as there are slots', async () => {
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
      expect((await it().approvals.read(about.pid))?.proposal).toBe(large);
      expect(await it().inputs.get(sha256Hex(large))).toBe(large);
    });

    test('is kept once, whoever keeps it', async () => {
      const digest = sha256Hex(large);
      await Promise.all([it().inputs.put(digest, large), it().inputs.put(digest, large)]);
      expect(await it().inputs.get(digest)).toBe(large);
    });

    test('is refused if it is not what its digest says, or is not there', async () => {
      const digest = sha256Hex(`another ${newCase().pid}`);
      await expect(it().inputs.get(digest)).rejects.toThrow(InputGoneError);
      await it().inputs.put(digest, 'something else');
      await expect(it().inputs.get(digest)).rejects.toThrow(InputGoneError);
      await expect(it().inputs.get(digest)).rejects.toThrow('not what its digest says');
    });
  });

  describe('identical waiting calls (A24)', () => {
    const openAs = (about: Case, same: string) => open(about, { same });

    test('a copy of the very proposal that asks is no call like it', async () => {
      const about = newCase();
      expect(await openAs(about, about.pid)).toEqual({ kind: 'claimed' });
      expect((await openAs(about, about.pid)).kind).not.toBe('claimed');
    });
    const leadOf = async ({ pid }: Case) => (await it().approvals.read(pid))?.approval.follows;

    test('of eight at once one asks for all, and the others follow it', async () => {
      const key = newCase().pid;
      const abouts = Array.from({ length: 8 }, () => newCase());
      const results = await Promise.all(abouts.map((about) => openAs(about, key)));
      expect(results).toEqual(Array(8).fill({ kind: 'claimed' }));
      const leads = await Promise.all(abouts.map(leadOf));
      const primary = abouts[leads.indexOf(undefined)];
      const others = abouts.filter((about) => about !== primary);
      expect(leads.toSorted()).toEqual([...Array(7).fill(primary?.pid), undefined]);
      const waiters = (await it().approvals.read(primary?.pid ?? ''))?.waiters ?? [];
      expect(waiters.toSorted()).toEqual(others.map(({ pid }) => pid).toSorted());
    });

    test('a copy of one that follows is its claim, and takes no more slots', async () => {
      const key = newCase().pid;
      const primary = newCase();
      await openAs(primary, key);
      const follower = newCase({ agent: primary.agent });
      expect(await openAs(follower, key)).toEqual({ kind: 'claimed' });
      expect((await openAs(follower, key)).kind).toBe('exists');
      expect((await openAs(newCase({ agent: primary.agent }), key)).kind).toBe('too_many_waiting');
      await finish(follower);
      expect(await openAs(newCase({ agent: primary.agent }), key)).toEqual({ kind: 'claimed' });
    });

    test('nobody follows what has ended: the next one asks, and is found from then on', async () => {
      const key = newCase().pid;
      const [primary, late, third] = [newCase(), newCase(), newCase()];
      await openAs(primary, key);
      await it().approvals.write(voted(approvalOf(primary), 'U0ALICE'), undefined, START);
      expect(await openAs(late, key)).toEqual({ kind: 'claimed' });
      expect(await leadOf(late)).toBeUndefined();
      expect(await openAs(third, key)).toEqual({ kind: 'claimed' });
      expect(await leadOf(third)).toBe(late.pid);
    });

    test('what is pointed at is forgotten with the end of its wait (G16)', async () => {
      const key = newCase().pid;
      const [primary, later] = [newCase(), newCase()];
      await openAs(primary, key);
      const requestedAt = approvalOf(primary).expiresAt;
      const opening = openingOf(later, { same: key });
      const approval = { ...approvalOf(later), requestedAt };
      expect(await it().claims.open(claimOf(later, 'ask'), { ...opening, approval })).toEqual({ kind: 'claimed' });
    });
  });
}

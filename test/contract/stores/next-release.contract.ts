/** Checks that unknown fields of a newer gate's rows are read past and survive (G27). */
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../shared/contract/index.ts';
import { type UnreadApproval, UnreadableApprovalError } from '../../../shared/domain/approval/unread-approval.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import {
  approvalOf,
  at,
  type Case,
  claimOf,
  decisionOf,
  HUMAN_ENTRY,
  newCase,
  openingOf,
  recordOf,
  START,
  voted,
} from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

/** A word with a field that a later version added. */
const added = <Word extends object>(word: Word): Word => ({ ...word, addedLater: { since: 'the next release' } });

/** An approval of the next release, with fields at its top, in its question, its stages and its calls. */
function nextApproval(row: Approval): Approval {
  if (row.question.kind !== 'calls') throw new Error('the rows of these tests ask about calls');
  const { stages, calls } = row.question;
  return added({ ...row, question: added({ ...row.question, stages: stages.map(added), calls: calls.map(added) }) });
}

export function nextReleaseContract({ it, dueOf }: Stores): void {
  describe('a row of the next release', () => {
    const open = async () => {
      const about = newCase();
      const approval = nextApproval(approvalOf(about));
      expect(await it().claims.open(claimOf(about, 'ask'), openingOf(about, { approval }))).toEqual({
        kind: 'claimed',
      });
      return { about, approval };
    };

    test('is read with all its fields, is found when it is due, and waits among the others', async () => {
      const { about, approval } = await open();
      expect((await it().approvals.read(about.pid))?.approval).toEqual(approval);
      const due = await it().approvals.due(START + 60_000, 1_000);
      expect(due.map(({ pid }) => pid)).toContain(about.pid);
    });

    test('keeps its fields when this release writes a vote to it, and ends', async () => {
      const { about, approval } = await open();
      const answered = voted(approval, 'U0ALICE');
      expect(await it().approvals.write(answered, recordOf(about, 'vote#1'), START)).toBe(true);
      expect((await it().approvals.read(about.pid))?.approval).toEqual(answered);
      const decision = added({ ...decisionOf('approved'), schemaVersion: '2031-01-01' });
      expect(await it().approvals.finish(answered, recordOf(about, 'decided', { decision }), START)).toBe('written');
      expect((await it().reader.read(about.agent, about.pid, 'decided'))?.decision).toEqual(decision);
      expect((await it().approvals.read(about.pid))?.decision).toEqual(decision);
    });

    test('of the journal and of the record is read', async () => {
      const { pid, agent } = newCase();
      const entry = added(HUMAN_ENTRY);
      expect(await it().journal.append(pid, entry)).toBe(true);
      expect(await it().journal.read(pid)).toEqual([entry]);
      const { key, entry: recorded } = recordOf({ pid, agent, group: '' }, 'vote#1');
      expect(await it().audit.put({ key, entry: added(recorded) })).toBe(true);
      expect(await it().audit.ofProposal(agent, pid)).toMatchObject([{ entry: added(recorded) }]);
    });

    test('of the delegations is read', async () => {
      const before = await it().delegations.read();
      const delegation = added({
        person: { team: 'T0DEMO', user: 'U0ALICE' },
        to: { team: 'T0DEMO', user: 'U0BOB' },
        until: at(60_000),
        by: sha256Hex('somebody').slice(0, 8),
      });
      const next = added({ ...before, version: before.version + 1, delegations: [delegation] });
      expect(await it().delegations.write(next)).toBe(true);
      expect(await it().delegations.read()).toEqual(next);
      expect(await it().delegations.write({ ...before, version: next.version + 1 })).toBe(true);
    });
  });
  describe('a row that does not parse', () => {
    const frozen = (about: Case): Approval => ({ ...approvalOf(about), status: 'frozen' as never });
    const open = (about: Case) =>
      it().claims.open(claimOf(about, 'ask'), openingOf(about, { approval: frozen(about) }));
    const unreadOf = async ({ pid }: Case): Promise<UnreadApproval> => {
      const error = await it()
        .approvals.read(pid)
        .catch((problem: unknown) => problem);
      if (!(error instanceof UnreadableApprovalError)) throw new Error('the row could be read');
      return error.unread;
    };
    const decided = (about: Case) => recordOf(about, 'decided', { decision: decisionOf('expired') });

    test('names what is needed to end it', async () => {
      const about = newCase();
      await open(about);
      const unread = await unreadOf(about);
      expect(unread).toMatchObject({ ...about, proposalId: 'p1', version: 0, isDecided: false, waiters: [] });
      const late = (unread.expiresAt ?? 0) - (START + 3_600_000);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(1_000);
    });

    test('names where its cards stand, and says if its proposal is gone', async () => {
      const card = { channel: 'C0APPROVALS', ts: '1763715600.000100' };
      const about = newCase();
      await open(about);
      await it().approvals.addCard(about.pid, card);
      expect(await unreadOf(about)).toMatchObject({ cards: [card], isInputGone: false });
      const gone = newCase();
      const proposal = JSON.stringify({ proposalId: 'p1', text: gone.pid.repeat(20) });
      // The other text is put before and after, so that it hides the proposal in a store that keeps the first put or the last one.
      await it().inputs.put(sha256Hex(proposal), 'something else');
      await it().claims.open(claimOf(gone, 'ask'), openingOf(gone, { proposal }));
      await it().inputs.put(sha256Hex(proposal), 'something else');
      await it().approvals.addCard(gone.pid, card);
      expect(await unreadOf(gone)).toMatchObject({
        ...gone,
        version: 0,
        isDecided: false,
        cards: [card],
        isInputGone: true,
      });
    });

    test('ends once, frees its slots, and is due until it is released', async () => {
      const { agent } = newCase();
      const [first, second, third] = [newCase({ agent }), newCase({ agent }), newCase({ agent })];
      for (const about of [first, second]) expect(await open(about)).toEqual({ kind: 'claimed' });
      expect(await open(third)).toEqual({ kind: 'too_many_waiting', limit: 'agent' });
      const unread = await unreadOf(first);
      expect(await it().approvals.finishUnread(unread, decided(first), START + 1)).toBe('written');
      expect(await it().approvals.finishUnread(unread, decided(first), START + 1)).toBe('exists');
      expect((await it().reader.read(agent, first.pid, 'decided'))?.decision).toMatchObject({ outcome: 'expired' });
      expect(await unreadOf(first)).toMatchObject({ isDecided: true });
      expect((await unreadOf(first)).isNotified).toBeUndefined();
      await it().approvals.markNotified(first.pid);
      expect(await unreadOf(first)).toMatchObject({ isDecided: true, isNotified: true });
      expect(await dueOf([first], START + 1)).toEqual([first.pid]);
      await it().approvals.release(first.pid);
      expect(await dueOf([first], START + 1_000_000)).toEqual([]);
      expect(await open(third)).toEqual({ kind: 'claimed' });
    });

    test('is left alone if it was changed or decided since it was read', async () => {
      const about = newCase();
      await it().claims.open(claimOf(about, 'ask'), openingOf(about));
      const stale = { ...about, proposalId: 'p1', expiresAt: START, version: 0, isDecided: false };
      const beside = { waiters: [], cards: [], isInputGone: false };
      await it().approvals.write(voted(approvalOf(about), 'U0ALICE'), undefined, START);
      expect(await it().approvals.finishUnread({ ...stale, ...beside }, decided(about), START)).toBe('exists');
      expect((await it().approvals.read(about.pid))?.decision).toBeUndefined();
    });
  });
}

/** Rows that a newer gate wrote: fields that this one does not know are read past, and stay where they are (G27). */
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../shared/contract/index.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import {
  approvalOf,
  at,
  claimOf,
  decisionOf,
  HUMAN_ENTRY,
  newCase,
  openingOf,
  recordOf,
  START,
  voted,
} from './rows.ts';
import type { Stores } from './stores.ts';

/** A word with a field that a later version added. */
const added = <Word extends object>(word: Word): Word => ({ ...word, addedLater: { since: 'the next release' } });

/** An approval of the next release, with fields at its top, in its question, its stages and its calls. */
function nextApproval(row: Approval): Approval {
  if (row.question.kind !== 'calls') throw new Error('the rows of these tests ask about calls');
  const { stages, calls } = row.question;
  return added({ ...row, question: added({ ...row.question, stages: stages.map(added), calls: calls.map(added) }) });
}

export function nextReleaseContract({ it }: Stores): void {
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
}

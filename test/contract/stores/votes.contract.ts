/** Checks that votes are read back as cast, and that a row with other votes is found (G40, G47). */
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../shared/contract/index.ts';
import { voteDigest } from '../../../shared/domain/approval/vote-digest.ts';
import { auditDigest } from '../../../shared/domain/digest.ts';
import { isOfRecordedVotes } from '../../../shared/use-cases/approvals/resolution/recorded-votes.ts';
import { approvalOf, at, type Case, recordOf, START, voted } from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

const KEY = Buffer.alloc(32, 7);
const ALICE = { team: 'T0DEMO', user: 'U0ALICE' };

export function votesContract({ it, opened }: Stores): void {
  const isGenuine = (row: Approval) => isOfRecordedVotes(row, { audit: it().audit, digestKey: KEY });

  /** The entry of a vote, as the use case writes it with the row. */
  const entryOf = (about: Case, { question, votes, version }: Approval, more: object = {}) => {
    const vote = votes.at(-1);
    const digest = vote && auditDigest(voteDigest(question, vote), KEY);
    const { key, entry } = recordOf(about, `vote#${version}`);
    const cast = { person: ALICE, accepted: true, reasonCode: 'approve', recordedAt: at(1_000) };
    return { key, entry: { ...entry, ...cast, ...(digest ? { voteDigest: digest } : {}), ...more } };
  };

  describe('votes on the record', () => {
    test('a row that was written with its vote is of recorded votes', async () => {
      const about = await opened();
      const row = voted(approvalOf(about), ALICE.user);
      expect(await it().approvals.write(row, entryOf(about, row), START)).toBe(true);
      const read = await it().approvals.read(about.pid);
      expect(read && (await isGenuine(read.approval))).toBe(true);
    });

    test('a row that was written without one is not', async () => {
      const about = await opened();
      const row = voted(approvalOf(about), ALICE.user);
      expect(await it().approvals.write(row, undefined, START)).toBe(true);
      const read = await it().approvals.read(about.pid);
      expect(read && (await isGenuine(read.approval))).toBe(false);
    });

    test('nor one whose vote was refused, was somebody else’s, or was about something else', async () => {
      const entries: ((about: Case, row: Approval) => ReturnType<typeof entryOf>)[] = [
        (about, row) => entryOf(about, row, { accepted: false }),
        (about, row) => entryOf(about, row, { person: { ...ALICE, user: 'U0BOB' } }),
        (about, row) => entryOf(about, row, { reasonCode: 'reject' }),
        (about, row) => entryOf(about, { ...row, question: { ...row.question, digest: 'f'.repeat(64) } }),
        (about, row) => {
          const { key, entry } = entryOf(about, row);
          return { key: { ...key, sort: `click#${row.version}` }, entry: { ...entry, type: 'click' as const } };
        },
      ];
      for (const entryFor of entries) {
        const about = await opened();
        const row = voted(approvalOf(about), ALICE.user);
        expect(await it().approvals.write(row, entryFor(about, row), START)).toBe(true);
        expect(await isGenuine(row)).toBe(false);
      }
    });

    test('an entry of before votes had a digest counts for whoever voted', async () => {
      const about = await opened();
      const row = voted(approvalOf(about), ALICE.user);
      await it().approvals.write(row, entryOf(about, row, { voteDigest: undefined }), START);
      expect(await isGenuine(row)).toBe(true);
    });
  });
}

/** Tests the ends of an approval: by whom, when, and with which result (G18–G21). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Approval, approval as schema } from '../../../shared/contract/index.ts';
import {
  cancel,
  castVote,
  expire,
  isTerminal,
  pass,
  samePerson,
  type Transition,
  type Voter,
} from '../../../shared/domain/approval/approval.ts';
import { ASKED, ballot, HOUR, voter, waiting } from './rows.ts';

const SOON = ASKED + 1_000;

describe('a vote', () => {
  test('of a person in the group ends an approval of quorum one', () => {
    const result = castVote(waiting(), voter('ALICE'), ballot('approve'), SOON);
    expect(result).toMatchObject({ ok: true, next: { status: 'approved', version: 1 } });
    if (result.ok) expect(schema.parse(result.next)).toEqual(result.next);
  });

  test.each([
    [
      'an approval that was approved',
      waiting({ status: 'approved' }),
      voter('ALICE'),
      ballot('approve'),
      'already_decided',
    ],
    [
      'an approval that was rejected',
      waiting({ status: 'rejected' }),
      voter('ALICE'),
      ballot('approve'),
      'already_decided',
    ],
    [
      'an approval that was cancelled',
      waiting({ status: 'cancelled' }),
      voter('ALICE'),
      ballot('reject'),
      'already_decided',
    ],
    ['an approval that expired', waiting({ status: 'expired' }), voter('ALICE'), ballot('approve'), 'expired'],
    [
      'another question than the one shown',
      waiting(),
      voter('ALICE'),
      ballot('approve', { questionDigest: 'x' }),
      'stale_digest',
    ],
    ['a bot', waiting(), voter('BOT', { isBot: true }), ballot('approve'), 'bot_cannot_approve'],
    ['the owner of the agent', waiting(), voter('OWNER'), ballot('approve'), 'owner_cannot_approve'],
    ['the owner, to reject', waiting(), voter('OWNER'), ballot('reject'), 'owner_cannot_approve'],
    ['somebody outside the group', waiting(), voter('SAM', { seats: [] }), ballot('approve'), 'not_in_group'],
  ] as const)('is refused for %s', (_, row, who, what, refusal) => {
    expect(castVote(row, who, what, SOON)).toEqual({ ok: false, refusal });
  });

  test.each([undefined, '', ' \n'])('may reject without a reason (%j)', (reason) => {
    const cast = castVote(waiting(), voter('ALICE'), ballot('reject', reason === undefined ? {} : { reason }), SOON);
    expect(cast).toMatchObject({ ok: true, next: { status: 'rejected' } });
  });

  test('is late from the very end of the wait on', () => {
    const row = waiting();
    expect(castVote(row, voter('ALICE'), ballot('approve'), ASKED + HOUR - 1).ok).toBe(true);
    expect(castVote(row, voter('ALICE'), ballot('approve'), ASKED + HOUR)).toEqual({ ok: false, refusal: 'expired' });
  });

  test('counts one person once, whatever is said the second time', () => {
    const row = waiting({
      question: { ...waiting().question, stages: [{ group: 'platform', quorum: 2, team: 'T1', channel: 'C1' }] },
    });
    const first = castVote(row, voter('ALICE'), ballot('approve'), SOON);
    if (!first.ok) throw new Error(first.refusal);
    expect(first.next.status).toBe('pending');
    for (const choice of ['approve', 'reject'] as const) {
      expect(castVote(first.next, voter('ALICE'), ballot(choice), SOON)).toEqual({
        ok: false,
        refusal: 'already_voted',
      });
    }
    expect(castVote(first.next, voter('BOB'), ballot('approve'), SOON)).toMatchObject({ next: { status: 'approved' } });
    expect(castVote(first.next, voter('BOB'), ballot('reject'), SOON)).toMatchObject({ next: { status: 'rejected' } });
  });

  test('of the same user id in another workspace is another person’s', () => {
    expect(samePerson({ team: 'T1', user: 'U1' }, { team: 'T2', user: 'U1' })).toBe(false);
    const elsewhere = voter('OWNER', { person: { team: 'T2', user: 'OWNER' } });
    expect(castVote(waiting(), elsewhere, ballot('approve'), SOON).ok).toBe(true);
  });
});

describe('a seat that is passed on', () => {
  const done = (result: Transition) => {
    if (!result.ok) throw new Error(result.refusal);
    return result.next;
  };
  const passed = (row: Approval, voter: Voter, to: Voter['person']) =>
    pass(row, voter, { to, questionDigest: row.question.digest }, SOON);
  const asked = (stages: readonly { group: string; quorum: number }[]) =>
    waiting({
      question: { ...waiting().question, stages: stages.map((one) => ({ ...one, team: 'T1', channel: 'C1' })) },
    });
  const ALICE = voter('ALICE', { seats: [{ group: 'platform' }] });
  const outside = (user: string) => voter(user, { seats: [] });
  const [SAM, KIM] = [outside('SAM'), outside('KIM')];

  test('is one vote, of whoever uses it first', () => {
    const row = done(passed(asked([{ group: 'platform', quorum: 2 }]), ALICE, SAM.person));
    const voted = done(castVote(row, SAM, ballot('approve'), SOON));
    expect(voted).toMatchObject({ status: 'pending', votes: [{ by: SAM.person, standsFor: ALICE.person }] });
    expect(castVote(voted, ALICE, ballot('approve'), SOON)).toEqual({ ok: false, refusal: 'already_voted' });
  });

  test('stays one seat when it is passed on again, and whoever passed it on has it no more', () => {
    const once = done(passed(asked([{ group: 'platform', quorum: 2 }]), ALICE, SAM.person));
    const row = done(passed(once, SAM, KIM.person));
    expect(schema.parse(row).passed).toHaveLength(1);
    expect(castVote(row, SAM, ballot('approve'), SOON)).toEqual({ ok: false, refusal: 'not_in_group' });
    const voted = done(castVote(row, KIM, ballot('approve'), SOON));
    expect(voted).toMatchObject({ status: 'pending', votes: [{ standsFor: ALICE.person }] });
    expect(castVote(voted, ALICE, ballot('approve'), SOON)).toEqual({ ok: false, refusal: 'already_voted' });
    const back = done(passed(row, ALICE, SAM.person));
    expect(castVote(back, KIM, ballot('approve'), SOON)).toEqual({ ok: false, refusal: 'not_in_group' });
  });

  test('is none in the next stage, whose group never gave it', () => {
    const stages = [
      { group: 'platform', quorum: 1 },
      { group: 'security', quorum: 1 },
    ];
    const row = done(passed(asked(stages), ALICE, SAM.person));
    const second = done(castVote(row, voter('BOB'), ballot('approve'), SOON));
    expect(second).toMatchObject({ status: 'pending', stage: 1 });
    expect(castVote(second, SAM, ballot('approve'), SOON)).toEqual({ ok: false, refusal: 'not_in_group' });
  });

  test('is none of an editor’s at high severity', () => {
    const row = asked([{ group: 'platform', quorum: 2 }]);
    const high = { ...row, question: { ...row.question, severity: 'high' as const }, editors: [ALICE.person] };
    const delegate = voter('SAM', { seats: [{ group: 'platform', standsFor: ALICE.person }] });
    expect(castVote(high, delegate, ballot('approve'), SOON)).toEqual({ ok: false, refusal: 'not_in_group' });
  });
});

describe('the end without people', () => {
  test('expiry comes at the end of the wait and not before', () => {
    expect(expire(waiting(), ASKED + HOUR - 1)).toEqual({ ok: false, refusal: 'not_yet_expired' });
    expect(expire(waiting(), ASKED + HOUR)).toMatchObject({ ok: true, next: { status: 'expired' } });
  });

  test('a cancel ends what waits, and nothing else', () => {
    expect(cancel(waiting(), SOON)).toMatchObject({ ok: true, next: { status: 'cancelled' } });
    expect(cancel(waiting({ status: 'approved' }), SOON)).toEqual({ ok: false, refusal: 'already_decided' });
  });
});

test('for all runs: an end is final, versions count by one, and approved means that enough people of the group approved', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('vote' as const),
      user: fc.constantFrom('ALICE', 'BOB', 'CAROL', 'OWNER'),
      choice: fc.constantFrom('approve' as const, 'reject' as const),
      inGroup: fc.boolean(),
      isBot: fc.boolean(),
      fresh: fc.boolean(),
    }),
    fc.record({ kind: fc.constantFrom('expire' as const, 'cancel' as const) }),
  );
  const run = fc.array(fc.tuple(step, fc.integer({ min: 0, max: HOUR / 2 })), { maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), run, (quorum, steps) => {
      let row = waiting({
        question: { ...waiting().question, stages: [{ group: 'platform', quorum, team: 'T1', channel: 'C1' }] },
      });
      let now = ASKED;
      for (const [what, pause] of steps) {
        now += pause;
        const result =
          what.kind === 'vote'
            ? castVote(
                row,
                voter(what.user, { ...(what.inGroup ? {} : { seats: [] }), isBot: what.isBot }),
                ballot(what.choice, what.fresh ? {} : { questionDigest: 'another' }),
                now,
              )
            : what.kind === 'expire'
              ? expire(row, now)
              : cancel(row, now);
        if (!result.ok) continue;
        expect(isTerminal(row.status)).toBe(false);
        expect(result.next.version).toBe(row.version + 1);
        row = schema.parse(result.next);
        expect(isTerminal(row.status)).toBe(row.endedAt !== undefined);
      }
      const approvers = new Set(row.votes.filter(({ choice }) => choice === 'approve').map(({ by }) => by.user));
      expect(approvers.has('OWNER')).toBe(false);
      expect(approvers.size).toBe(row.votes.filter(({ choice }) => choice === 'approve').length);
      if (row.status === 'approved') expect(approvers.size).toBeGreaterThanOrEqual(quorum);
    }),
    { numRuns: 1_000 },
  );
});

/**
 * Checks that no row holds more than can be read again (A7, G27).
 *
 * A row that cannot be read ends unanswered.
 */
import { describe, expect, test } from 'vitest';
import { itemBytes } from '../../../../shared/adapters/dynamodb/item-size.ts';
import { toItem } from '../../../../shared/adapters/dynamodb/items.ts';
import { approvalFields } from '../../../../shared/adapters/dynamodb/pack.ts';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { type Approval, approval as approvalSchema, type Person } from '../../../../shared/contract/index.ts';
import { asStored } from '../../../../shared/contract/stored.ts';
import { type Ballot, castVote, pass, type Voter } from '../../../../shared/domain/approval/approval.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { vote } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { sourceOf } from '../../adapters/slack/surfaces.ts';
import { outcomeOf } from '../giving-steps.ts';
import { bash, World } from '../world.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const personOf = (index: number): Person => ({ team: 'T0', user: `U0P${index}` });
const voterOf = (index: number): Voter => ({ person: personOf(index), isBot: false, seats: [{ group: 'platform' }] });
const NOW = Date.parse('2026-11-22T09:10:00.000Z');
const isReadable = (row: Approval): boolean => asStored(approvalSchema).safeParse(row).success;

/** A batch of twenty calls that so many people have to approve. */
function batch(quorum: number): Approval {
  const { approval } = sourceOf(
    numbers(20).map((index) => ({ id: `c${index}`, toolName: 'Bash', input: { command: `make ${index}` } })),
  );
  return {
    ...approval,
    question: { ...approval.question, stages: approval.question.stages.map((stage) => ({ ...stage, quorum })) },
  };
}

describe('votes on single calls', () => {
  const about = (row: Approval, more: object): Ballot =>
    ({ questionDigest: row.question.digest, via: 'slack', choice: 'approve', ...more }) as Ballot;

  test('leave room for answers about all calls, and the row can be read', () => {
    let row = batch(20);
    const refused: string[] = [];
    for (const person of numbers(10))
      for (const call of numbers(20)) {
        const calls = [{ id: `c${call}`, choice: 'approve' }];
        const cast = castVote(row, voterOf(person), about(row, { calls }), NOW);
        if (cast.ok) row = cast.next;
        else refused.push(cast.refusal);
      }
    expect(row.votes).toHaveLength(180);
    expect(new Set(refused)).toEqual(new Set(['too_many_votes']));
    const rejected = castVote(row, voterOf(11), about(row, { choice: 'reject', reason: 'no' }), NOW);
    expect(rejected.ok && rejected.next.status).toBe('rejected');
    for (const person of numbers(11)) {
      const cast = castVote(row, voterOf(9 + person), about(row, {}), NOW);
      expect(cast).toMatchObject({ ok: true });
      if (cast.ok) row = cast.next;
    }
    expect(row).toMatchObject({ status: 'approved' });
    expect(isReadable(row)).toBe(true);
  });

  test('about all open calls count as an answer about all', () => {
    const one = batch(200);
    const votes = numbers(190).map((index) => ({
      ...{ choice: 'approve', by: personOf(1_000 + index), name: 'x', stage: 0, at: '2026-11-22T09:05:00.000Z' },
      ...{ via: 'slack', calls: [{ id: 'c0', choice: 'approve' }] },
    })) as Approval['votes'];
    const full = { ...one, votes };
    const calls = (count: number) => numbers(count).map((index) => ({ id: `c${index}`, choice: 'approve' }));
    expect(castVote(full, voterOf(1), about(full, { calls: calls(20) }), NOW)).toMatchObject({ ok: true });
    expect(castVote(full, voterOf(1), about(full, { calls: calls(19) }), NOW)).toMatchObject({ ok: false });
  });
});

test('long reasons leave room for the decision, and for somebody who rejects all', () => {
  const about = (row: Approval, more: object): Ballot =>
    ({ questionDigest: row.question.digest, via: 'slack', choice: 'approve', ...more }) as Ballot;
  const bytesOf = (row: Approval): number =>
    itemBytes(toItem({ ...approvalFields(row) }) as Parameters<typeof itemBytes>[0]);
  const reason = '不'.repeat(1_000);
  // Seven people had the form open before one of them sent it.
  const calls = numbers(19).map((index) => ({ id: `c${index}`, choice: 'reject', reason }));
  let row = batch(10);
  const answers = numbers(7).map((person) => {
    const cast = castVote(row, voterOf(person), about(row, { calls }), NOW);
    if (cast.ok) row = cast.next;
    return cast.ok ? 'taken' : cast.refusal;
  });
  expect(answers).toEqual([...Array(4).fill('taken'), ...Array(3).fill('too_many_votes')]);
  const rejected = castVote(row, voterOf(8), about(row, { choice: 'reject', reason }), NOW);
  if (!rejected.ok) throw new Error(rejected.refusal);
  expect(rejected.next.status).toBe('rejected');
  expect(bytesOf(rejected.next)).toBeLessThan(320_000);
  expect(isReadable(rejected.next)).toBe(true);
});

describe('the fifty-first "not me"', () => {
  const passedBy = (row: Approval, index: number, to?: Person) =>
    pass(row, voterOf(index), { to, questionDigest: row.question.digest }, NOW);
  const manyPassed = (
    row: Approval,
    indices: readonly number[],
    toOf: (index: number) => Person | undefined,
  ): Approval =>
    indices.reduce((before, index) => {
      const passed = passedBy(before, index, toOf(index));
      if (!passed.ok) throw new Error(passed.refusal);
      return passed.next;
    }, row);

  test('takes the place of one that gave no seat away', () => {
    const given = manyPassed(batch(1), [0], () => personOf(100));
    const row = manyPassed(given, numbers(60).slice(1), () => undefined);
    expect(row.passed).toHaveLength(50);
    expect(row.passed?.[0]).toMatchObject({ by: personOf(0), to: personOf(100) });
    expect(isReadable(row)).toBe(true);
    const taker: Voter = { person: personOf(100), isBot: false, seats: [] };
    const ballot: Ballot = { choice: 'approve', questionDigest: row.question.digest, via: 'slack' };
    expect(castVote(row, taker, ballot, NOW)).toMatchObject({ ok: true });
  });

  test('is refused where it would take a seat from somebody', () => {
    const row = manyPassed(batch(1), numbers(50), (index) => personOf(100 + index));
    expect(passedBy(row, 50)).toEqual({ ok: false, refusal: 'too_many_votes' });
  });
});

/** So many stages, each answered by so many members of one group. */
function crowd(stages: number, quorum: number): World {
  const people = numbers(stages * quorum + 1);
  const asked = numbers(stages).map(() => `{ group: all, quorum: ${quorum} }`);
  return new World(
    loadPolicy(
      `people:
${people.map((at) => `  m${at}: { team: T0, user: U0P${at}, name: Member ${at} }`).join('\n')}
  olga: { team: T0, user: U0OLGA, name: Olga }
agents:
  coder: { owner: olga }
channels:
  approvals: { team: T0, id: C0APPROVALS }
approvers:
  all: { members: [${people.map((at) => `m${at}`).join(', ')}], channel: approvals }
approvals: { timeout: 1h, stages: [${asked.join(', ')}] }`,
      'countersign.yaml',
    ),
  );
}

async function approvedBy(world: World, count: number): Promise<void> {
  for (const index of numbers(count)) {
    const { approval } = await world.row('p1');
    const ballot = { questionDigest: approval.question.digest, via: 'operators', choice: 'approve' } as const;
    const click = { pid: approval.pid, person: personOf(index), isBot: false, requestId: `r${index}` };
    await vote({ ...click, ballot: { ...ballot, remember: 'session' } }, world.gate.parts);
    await world.rest();
  }
}

test('a decision that sixty-four people made can be read', async () => {
  const world = crowd(4, 16);
  await world.send(bash('p1', 'make all'));
  await approvedBy(world, 64);
  const { outcome, calls } = await world.decided('p1');
  expect(outcome).toBe('approved');
  expect(calls[0]?.permit?.allowedBy?.people).toHaveLength(64);
});

test('more than twenty people give no approval for later, and the session can be read', async () => {
  const world = crowd(2, 11);
  await world.send(bash('p1', 'make all'));
  await approvedBy(world, 22);
  expect((await world.decided('p1')).outcome).toBe('approved');
  const row = await memorySessionStore(world.gate.parts.state).read('coder', 'main');
  expect(row?.grants ?? []).toEqual([]);
  expect(await outcomeOf(world, bash('p2', 'make all'))).toBe('waits');
  expect((await world.row('p2')).approval.status).toBe('pending');
});

test.each([
  [10, 'waits'],
  [11, 'error quorum_unavailable'],
])('a call that the agents of %i groups ask about: %s', async (count, expected) => {
  const groups = numbers(count);
  const parentOf = (at: number) => (at + 1 < count ? `, parents: [a${at + 1}]` : '');
  const world = new World(
    loadPolicy(
      `people:
${groups.map((at) => `  m${at}: { team: T0, user: U0P${at}, name: Member ${at} }`).join('\n')}
  olga: { team: T0, user: U0OLGA, name: Olga }
agents:
${groups.map((at) => `  a${at}: { owner: olga, mode: bubble, approvers: g${at}${parentOf(at)} }`).join('\n')}
channels:
  approvals: { team: T0, id: C0APPROVALS }
approvers:
${groups.map((at) => `  g${at}: { members: [m${at}], channel: approvals }`).join('\n')}
rules: { ask: ['Bash(make:*)'] }`,
      'countersign.yaml',
    ),
  );
  const store = memorySessionStore(world.gate.parts.state);
  for (const at of groups.slice(0, -1)) {
    const parent = { agentId: `a${at + 1}`, sessionId: 'main' };
    await store.write({ ...newSession(`a${at}`, 'main'), version: 1, parent });
  }
  expect(await outcomeOf(world, bash('p1', 'make all'), 'a0')).toBe(expected);
  expect(world.faults).toEqual([]);
});

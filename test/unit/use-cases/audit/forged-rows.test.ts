/**
 * Checks that votes which nobody cast decide nothing (G40, G47).
 *
 * Writing an approval's row without the right to vote gives no answer of people.
 */
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../../../functions/runtime/telemetry/figures.ts';
import { copyOf, toCopy } from '../../../../shared/adapters/memory/stores/json-copy.ts';
import type { Approval, Vote } from '../../../../shared/contract/index.ts';
import type { EmittedEvent } from '../../../../shared/ports/gate-events.ts';
import { type EventfulStores, withEvents } from '../../../../shared/use-cases/audit/emit-events.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const TWO = policyOf({ approvals: '{ timeout: 1h, stages: [{ group: platform, quorum: 2 }] }' });
const QUESTION = policyOf({ ask: ["'Bash(git push:*)'", 'Refund'] });

/** Writes over the row as a stolen role could: the version moves on, so that nobody else's write is lost. */
function forge(world: World, proposalId: string, change: (row: Approval) => Partial<Approval>): void {
  const { state } = world.gate.parts;
  const pid = world.pid(proposalId);
  const row = state.approvals.get(pid);
  if (!row) throw new Error('there is no approval');
  const approval = copyOf(row.approval) as Approval;
  const endedAt = new Date(world.clock.now()).toISOString();
  const next = { ...approval, endedAt, version: approval.version + 1, ...change(approval) };
  state.approvals.set(pid, { ...row, approval: toCopy(next), version: next.version, dueAt: world.clock.now() });
}

/** A gate whose events are kept. */
function telling(told: EmittedEvent[]): World {
  const sink = { emit: (event: EmittedEvent) => void told.push(event) };
  const wrap = <Port extends object>(name: string, port: Port): Port =>
    name === 'approvals'
      ? ({ ...withEvents({ approvals: port } as unknown as EventfulStores, sink).approvals } as Port)
      : port;
  return new World(policyOf(), { wrap });
}

const vote = (world: World, who: keyof typeof PEOPLE, more: object = {}): Vote =>
  ({
    by: PEOPLE[who],
    name: who,
    stage: 0,
    choice: 'approve',
    at: new Date(world.clock.now()).toISOString(),
    via: 'slack',
    ...more,
  }) as Vote;

const FORGERIES: readonly (readonly [string, (world: World) => (row: Approval) => Partial<Approval>])[] = [
  ['an approval without votes', () => () => ({ status: 'approved' })],
  ['a vote that nobody cast', (world) => () => ({ status: 'approved', votes: [vote(world, 'alice')] })],
  [
    'a rejection that nobody cast',
    (world) => () => ({ status: 'rejected', votes: [vote(world, 'alice', { choice: 'reject', reason: 'no' })] }),
  ],
  [
    'an answer that nobody gave',
    (world) => () => ({ status: 'answered', votes: [vote(world, 'alice', { choice: 'respond', answer: 'yes' })] }),
  ],
  [
    'an edit that nobody made',
    (world) => (row) => {
      const input = { command: 'git push --force' };
      const edit = { choice: 'edit', callId: 'call', input, actionDigest: 'a'.repeat(64) };
      return {
        ...row,
        endedAt: new Date(world.clock.now()).toISOString(),
        status: 'edited',
        version: row.version + 1,
        votes: [vote(world, 'alice', edit)],
      };
    },
  ],
];

async function ends(world: World): Promise<void> {
  await world.clock.advance(5 * 60_000);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'record_disagrees', calls: [] });
  expect([world.waiting('agent', 'coder'), world.waiting('group', 'platform')]).toEqual([0, 0]);
  expect(await world.gate.parts.state.journals.get(world.pid('p1'))?.has('calls#1')).not.toBe(true);
}

describe('an approval ends in error, and its sender is told, where the row holds', () => {
  test.each(FORGERIES)('%s', async (_, change) => {
    const told: EmittedEvent[] = [];
    const world = telling(told);
    await world.send(bash('p1'));
    forge(world, 'p1', change(world));
    await ends(world);
    // An alarm counts it, once.
    const counted = told.flatMap(figuresOf).filter(({ values }) => values.RecordChanged);
    expect(counted).toEqual([{ values: { RecordChanged: 1 }, by: [{ change: 'disagrees' }] }]);
    // The card shows no button, and no approval without its end.
    expect(world.slack.titles.at(-1)).not.toMatch(/^Approval needed|^Approved:/);
  });

  test('one person’s vote where two are needed', async () => {
    const world = new World(TWO);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect((await world.row('p1')).approval.status).toBe('pending');
    forge(world, 'p1', () => ({ status: 'approved' }));
    await ends(world);
  });

  test('one person’s vote, and a question that is content with it', async () => {
    const world = new World(TWO);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    forge(world, 'p1', ({ question }) => ({
      status: 'approved',
      question: { ...question, stages: question.stages.map((stage) => ({ ...stage, quorum: 1 })) },
    }));
    await ends(world);
  });

  test('another person’s vote beside one that was cast', async () => {
    const world = new World(TWO);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    forge(world, 'p1', ({ votes }) => ({ status: 'approved', votes: [...votes, vote(world, 'bob')] }));
    await ends(world);
  });

  test('a vote that was cast about another question', async () => {
    const world = new World(QUESTION);
    await world.send(bash('p1'));
    await world.send({ kind: 'tool-call', proposalId: 'p2', toolName: 'Refund', input: { order: 7 } });
    const { question } = (await world.row('p2')).approval;
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    const other = new World(QUESTION);
    await other.send(bash('p1'));
    await other.click('p1', 'alice', 'reject');
    // Written before whoever was woken by the vote has decided.
    const { state } = other.gate.parts;
    const pid = other.pid('p1');
    const { decision: _, ...row } = state.approvals.get(pid) ?? { approval: toCopy({}), version: 0 };
    state.approvals.set(pid, row);
    state.audit.get(`coder#${pid}`)?.delete('decided');
    state.addWaiting('agent', 'coder', 1);
    state.addWaiting('group', 'platform', 1);
    state.journals.delete(pid);
    forge(other, 'p1', ({ votes }) => ({ question, votes, status: 'rejected' }));
    await ends(other);
  });
});

test('an identical call that waits asks by itself, and is decided by its own people', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await world.send(bash('p2'));
  forge(world, 'p1', () => ({ status: 'approved', votes: [vote(world, 'alice')] }));
  await hasEndedInError(world);
  const { approval, decision } = await world.row('p2');
  expect({ status: approval.status, follows: approval.follows, decision }).toEqual({ status: 'pending' });
  await world.click('p2', 'bob');
  expect(await world.decided('p2')).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0DEMO/U0BOB' } });
});

async function hasEndedInError(world: World): Promise<void> {
  await world.clock.advance(5 * 60_000);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'record_disagrees' });
}

test('an entry of before votes had a digest counts for whoever voted', async () => {
  const world = new World(TWO);
  await world.send(bash('p1'));
  await world.click('p1', 'alice');
  const rows = world.gate.parts.state.audit.get(`coder#${world.pid('p1')}`);
  const entry = rows?.get('vote#1');
  if (!rows || !entry) throw new Error('there is no vote');
  const record = copyOf(entry.record) as { entry: Record<string, unknown> };
  expect(record.entry['voteDigest']).toMatch(/^[0-9a-f]{64}$/);
  delete record.entry['voteDigest'];
  rows.set('vote#1', { ...entry, record: toCopy(record) as typeof entry.record });
  await world.click('p1', 'bob');
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
});

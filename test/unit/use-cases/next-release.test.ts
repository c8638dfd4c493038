/**
 * Checks rows that the next release wrote, with fields unknown to this one (A7, G27).
 *
 * Such rows are decided, expired and counted as this release's own.
 */
import { describe, expect, test } from 'vitest';
import { bash, World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** As many as may wait of one agent. */
const MAX_WAITING = 20;

/** Every row and every card gains a field, at each depth where the next release may add one. */
function upgraded({ gate }: World): void {
  const { approvals } = gate.parts.state;
  for (const [pid, row] of approvals) {
    const { json } = row.approval as { readonly json: string };
    const approval = JSON.parse(json) as { readonly question: object; readonly votes: readonly object[] };
    const next = {
      ...approval,
      urgency: 'next week',
      question: { ...approval.question, tone: 'calm' },
      votes: approval.votes.map((one) => ({ ...one, device: 'phone' })),
    };
    approvals.set(pid, { ...row, approval: { json: JSON.stringify(next) } });
  }
}

test('such an approval is decided by a click, keeps what it holds, and its agent reads the decision', async () => {
  const world = new World();
  await world.send(bash('p1'));
  upgraded(world);
  await world.click('p1', 'alice');
  await world.clock.advance(2 * MINUTE);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
  expect((await world.row('p1')).approval).toMatchObject({ urgency: 'next week', question: { tone: 'calm' } });
  expect(world.faults).toEqual([]);
});

test('all that one agent may have waiting expire, and their places are free for the next', async () => {
  const world = new World();
  for (let index = 0; index < MAX_WAITING; index++) await world.send(bash(`p${index}`, `git push ${index}`));
  upgraded(world);
  expect(world.waiting('agent', 'coder')).toBe(MAX_WAITING);
  await world.clock.advance(HOUR + 3 * MINUTE);
  for (let index = 0; index < MAX_WAITING; index++)
    expect(await world.decided(`p${index}`)).toMatchObject({ outcome: 'expired' });
  expect(world.waiting('agent', 'coder')).toBe(0);
  expect(world.waiting('group', 'platform')).toBe(0);
  await world.send(bash('after', 'git push after'));
  expect((await world.row('after')).approval.status).toBe('pending');
  expect(world.faults).toEqual([]);
});

/** Every row and every card as no version can read it. */
const broken: readonly (readonly [string, (approval: object) => string])[] = [
  ['is no JSON', () => '{'],
  ['has another status', (approval) => JSON.stringify({ ...approval, status: 'frozen' })],
  ['has lost its question', (approval) => JSON.stringify({ ...approval, question: undefined })],
  ['is a list', () => '[]'],
];

function breakRow(world: World, proposalId: string, by: (approval: object) => string): void {
  const { approvals } = world.gate.parts.state;
  const pid = world.pid(proposalId);
  const row = approvals.get(pid);
  if (!row) throw new Error(`there is no row of ${proposalId}`);
  approvals.set(pid, { ...row, approval: { json: by(JSON.parse((row.approval as { json: string }).json)) } });
}

describe.each(broken)('a row that %s', (_, by) => {
  test('expires, frees its places and ends its execution', async () => {
    const world = new World();
    await world.send(bash('p1'));
    breakRow(world, 'p1', by);
    await world.clock.advance(HOUR - MINUTE);
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(4 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired', reasonCode: 'unreadable_row' });
    expect(world.waiting('agent', 'coder')).toBe(0);
    expect(world.waiting('group', 'platform')).toBe(0);
    expect(world.gate.parts.state.approvals.get(world.pid('p1'))?.dueAt).toBeUndefined();
    expect(world.gate.workflow.waiting).toBe(0);
    // Nobody can answer it any more, and its card says so.
    expect(world.slack.titles).toEqual([expect.stringMatching(/^Ended/)]);
    const blocks = [...world.slack.cards.values()].flatMap((card) => card.blocks);
    expect(blocks.map(({ type }) => type)).not.toContain('actions');
  });

  test('is ended by the reconciler where its execution has failed, and told of once more', async () => {
    const world = new World();
    const { workflow } = world.gate.parts;
    const { start } = workflow;
    workflow.start = async () => undefined;
    await world.send(bash('p1'));
    workflow.start = start;
    breakRow(world, 'p1', by);
    await world.clock.advance(HOUR);
    world.faults.length = 0;
    await world.clock.advance(3 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired', reasonCode: 'unreadable_row' });
    expect(world.waiting('agent', 'coder')).toBe(0);
    expect(world.faults).not.toEqual([]);
    world.faults.length = 0;
    await world.clock.advance(HOUR);
    expect(world.faults).toEqual([]);
  });

  test('leaves identical calls that followed it to ask by themselves', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.clock.advance(30 * MINUTE);
    await world.send(bash('p2'));
    expect((await world.row('p2')).approval.follows).toBe(world.pid('p1'));
    breakRow(world, 'p1', by);
    await world.clock.advance(34 * MINUTE);
    expect((await world.row('p2')).approval.follows).toBeUndefined();
    await world.click('p2', 'alice');
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved' });
    expect(world.waiting('agent', 'coder')).toBe(0);
  });
});

test('a decision that cannot be read stands: nothing is written over it, and nobody looks after its row', async () => {
  const world = new World();
  await world.send(bash('p1'));
  await world.click('p1', 'alice');
  const { approvals } = world.gate.parts.state;
  const pid = world.pid('p1');
  const row = approvals.get(pid);
  if (!row) throw new Error('there is no row');
  approvals.set(pid, { ...row, decision: { json: '{"outcome":"maybe"}' }, dueAt: world.clock.now() });
  await world.clock.advance(2 * HOUR);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  expect(approvals.get(pid)).toMatchObject({ decision: { json: '{"outcome":"maybe"}' } });
  expect(approvals.get(pid)?.dueAt).toBeUndefined();
  expect(world.waiting('agent', 'coder')).toBe(0);
});

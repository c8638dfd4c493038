/**
 * Checks that an approval with missing or unreadable parts ends (A7, A15, G27).
 *
 * Slots are freed, the sender is answered, and the card shows the end.
 */
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../../../functions/runtime/telemetry/figures.ts';
import type { GateEvent } from '../../../../shared/ports/gate-events.ts';
import { type EventfulStores, withEvents } from '../../../../shared/use-cases/audit/emit-events.ts';
import { bash, World } from '../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A gate whose events are kept; `broken.reads`: the store throws this for each read of an approval. */
function telling() {
  const told: GateEvent[] = [];
  const broken: { reads?: Error | undefined } = {};
  const sink = { emit: (event: GateEvent) => void told.push(event) };
  const wrap = <Port extends object>(name: string, port: Port): Port => {
    if (name !== 'approvals' && name !== 'audit') return port;
    const { approvals, audit } = withEvents({ [name]: port } as unknown as EventfulStores, sink);
    if (name === 'audit') return audit as unknown as Port;
    return {
      ...approvals,
      async read(pid: string) {
        if (broken.reads) throw broken.reads;
        return approvals.read(pid);
      },
    } as unknown as Port;
  };
  return { world: new World(undefined, { wrap }), told, broken };
}

const alarms = (told: readonly GateEvent[]): number =>
  told.flatMap(figuresOf).filter(({ values }) => values.RepairsFailed).length;

const isFree = ({ gate, waiting }: World): boolean =>
  waiting.call({ gate } as World, 'agent', 'coder') === 0 && waiting.call({ gate } as World, 'group', 'platform') === 0;

/** The card has no button, and says that it ended. */
function showsItsEnd(world: World): void {
  const [card, ...others] = world.slack.cards.values();
  expect(others).toEqual([]);
  expect(card?.text).toMatch(/^Ended/);
  expect(card?.blocks.map(({ type }) => type)).not.toContain('actions');
}

/** Points the row of a large proposal to an object that does not exist. */
function loseInput({ gate, pid }: World, proposalId: string): void {
  const { proposals } = gate.parts.state;
  const id = pid.call({ gate } as World, proposalId);
  expect(proposals.get(id)).toHaveProperty('bodyDigest');
  proposals.set(id, { bodyDigest: 'f'.repeat(64) });
}

const large = (proposalId: string) => bash(proposalId, `git push ${'x'.repeat(9_000)}`);

describe('an input that is gone', () => {
  test('ends its approval before its time', async () => {
    const { world, told } = telling();
    await world.send(large('p1'));
    expect(world.slack.cards.size).toBe(1);
    loseInput(world, 'p1');
    const { state } = world.gate.parts;
    const row = state.approvals.get(world.pid('p1'));
    if (row) state.approvals.set(world.pid('p1'), { ...row, dueAt: world.clock.now() });
    await world.clock.advance(3 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'input_gone', calls: [] });
    expect(isFree(world)).toBe(true);
    expect(alarms(told)).toBe(1);
    expect(world.gate.workflow.waiting).toBe(0);
    showsItsEnd(world);
  });

  test('ends it at the latest when its time is over, whoever looks', async () => {
    const { world, told } = telling();
    await world.send(large('p1'));
    loseInput(world, 'p1');
    await world.clock.advance(HOUR + 3 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'input_gone' });
    expect([isFree(world), alarms(told)]).toEqual([true, 1]);
    showsItsEnd(world);
    world.faults.length = 0;
    await world.clock.advance(HOUR);
    expect(world.faults).toEqual([]);
  });

  test('leaves an identical call that followed it to ask by itself', async () => {
    const { world } = telling();
    await world.send(large('p1'));
    await world.clock.advance(30 * MINUTE);
    await world.send(large('p2'));
    loseInput(world, 'p1');
    await world.clock.advance(34 * MINUTE);
    await world.click('p2', 'alice');
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved' });
    expect(isFree(world)).toBe(true);
  });

  test('is not one that cannot be had just now', async () => {
    const { world, broken } = telling();
    await world.send(large('p1'));
    broken.reads = new Error('S3 does not answer');
    await world.clock.advance(30 * MINUTE);
    broken.reads = undefined;
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(16 * MINUTE);
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });
});

/** Changes the stored text of a proposal. */
function rewrite(world: World, proposalId: string, change: (text: string) => string): void {
  const { proposals } = world.gate.parts.state;
  const kept = proposals.get(world.pid(proposalId));
  if (!kept || !('body' in kept)) throw new Error('the text is kept elsewhere');
  proposals.set(world.pid(proposalId), { ...kept, body: change(kept.body) });
}

describe('the stored text of a proposal', () => {
  test('that the next release wrote more into is decided, and shown', async () => {
    const world = new World();
    await world.send(bash('p1'));
    rewrite(world, 'p1', (text) => JSON.stringify({ ...JSON.parse(text), tone: 'calm' }));
    await world.edit('p1', 'bob', { command: 'git push --dry-run' });
    await world.click('p1', 'alice');
    await world.clock.advance(MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(world.faults).toEqual([]);
  });

  test.each([
    ['is no JSON', () => '{'],
    ['is of another kind', (text: string) => JSON.stringify({ ...JSON.parse(text), kind: 'dream' })],
    ['has no calls', (text: string) => JSON.stringify({ ...JSON.parse(text), calls: [] })],
  ])('that %s ends with its time', async (_, change) => {
    const { world, told } = telling();
    await world.send(bash('p1'));
    rewrite(world, 'p1', change);
    await world.clock.advance(HOUR - MINUTE);
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(4 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'cannot_decide' });
    expect([isFree(world), alarms(told)]).toEqual([true, 1]);
    expect(world.gate.workflow.waiting).toBe(0);
    showsItsEnd(world);
  });
});

describe('a journal that does not parse', () => {
  test('ends an approval that people answered when its time is over', async () => {
    const { world, told } = telling();
    await world.send(bash('p1'));
    const journal = world.gate.parts.state.journals.get(world.pid('p1'));
    const [key] = journal?.keys() ?? [];
    if (!journal || key === undefined) throw new Error('there is no journal');
    journal.set(key, { json: '{"type":"dream"}' });
    await world.click('p1', 'alice');
    await world.clock.advance(HOUR - MINUTE);
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(5 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'cannot_decide' });
    expect([isFree(world), alarms(told)]).toEqual([true, 1]);
  });
});

function lose({ gate, pid }: World, proposalId: string, agent?: string): void {
  const { approvals, proposals } = gate.parts.state;
  for (const rows of [approvals, proposals]) rows.delete(pid.call({ gate } as World, proposalId, agent));
}

describe('a row that is gone, as after a restored table', () => {
  test('answers its agent once it withdraws the question: no vote and no time ends that', async () => {
    const { world } = telling();
    await world.send(bash('p1'));
    lose(world, 'p1');
    for (const proposalId of ['c1', 'c2']) await world.send({ kind: 'cancel', proposalId, cancels: 'p1' });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'cancelled' });
  });

  test('answers its agent once it sends the same proposal again, and an alarm tells of it', async () => {
    const { world, told } = telling();
    await world.send(bash('p1'));
    lose(world, 'p1');
    await world.send(bash('p1', 'git push origin other'));
    expect(await world.decision('p1')).toBeUndefined();
    for (let copy = 0; copy < 2; copy++) await world.send(bash('p1'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'row_gone', calls: [] });
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error' });
    expect([alarms(told), world.faults]).toEqual([1, []]);
  });

  test('ends at the latest when its time is over: its agent does not wait on, and an alarm tells of it', async () => {
    const { world, told } = telling();
    await world.send(bash('p1'), { agent: 'writer' });
    lose(world, 'p1', 'writer');
    await world.clock.advance(HOUR - MINUTE);
    expect(await world.decision('p1', 'writer')).toBeUndefined();
    await world.clock.advance(2 * MINUTE);
    expect(await world.decided('p1', 'writer')).toMatchObject({ outcome: 'error', reasonCode: 'row_gone', calls: [] });
    expect([alarms(told), world.faults]).toEqual([1, []]);
  });

  test('keeps the answer that people had given', async () => {
    const { world } = telling();
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    lose(world, 'p1');
    await world.send(bash('p1'));
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
    expect(await world.decided('p1')).toEqual(decision);
    expect(world.faults).toEqual([]);
  });
});

/** Checks that an unreadable row costs no other approval anything, and its end is told (A24, G33). */
import { describe, expect, test } from 'vitest';
import type { CardQueue } from '../../../../shared/ports/stores/outbox.ts';
import { bash, World } from '../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function damage(world: World, proposalId: string): void {
  const { approvals } = world.gate.parts.state;
  const row = approvals.get(world.pid(proposalId));
  if (!row) throw new Error(`there is no row of ${proposalId}`);
  const approval = { ...JSON.parse(row.approval.json), question: 7 };
  approvals.set(world.pid(proposalId), { ...row, approval: { json: JSON.stringify(approval) } });
}

const repliesTo = (world: World, proposalId: string) =>
  world.gate.replies.sentTo('coder').filter((reply) => reply.proposalId === proposalId);

describe('an identical call whose row cannot be read', () => {
  test('does not keep the one that it followed from its end', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.clock.advance(30 * MINUTE);
    await world.send(bash('p2'));
    damage(world, 'p2');
    await world.click('p1', 'alice');
    await world.clock.advance(5 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    const left = await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10);
    expect(left.map(({ pid }) => pid)).toEqual([world.pid('p2')]);
    await world.clock.advance(HOUR + 20 * MINUTE);
    expect(repliesTo(world, 'p1')).toHaveLength(1);
    expect(await world.decided('p2')).toMatchObject({ outcome: 'expired', reasonCode: 'unreadable_row' });
    expect(world.gate.workflow.failed.has(world.pid('p1'))).toBe(false);
  });

  test('takes the answer soon after it can be read again', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.send(bash('p2'));
    const { approvals } = world.gate.parts.state;
    const { approval } = approvals.get(world.pid('p2')) ?? {};
    damage(world, 'p2');
    await world.click('p1', 'alice');
    await world.clock.advance(5 * MINUTE);
    const row = approvals.get(world.pid('p2'));
    if (row && approval) approvals.set(world.pid('p2'), { ...row, approval });
    await world.clock.advance(10 * MINUTE);
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved' });
  });
});

describe('the end of a row that cannot be read', () => {
  /** `tells`: whether the agent's own queue takes its decision now. */
  async function ended(tells: (tries: number) => boolean, before = async (_: World) => {}): Promise<World> {
    let tries = 0;
    const wrap = <Port extends object>(name: string, port: Port): Port =>
      name !== 'replies'
        ? port
        : {
            ...port,
            async send(...given: [string, never]) {
              if (!tells(++tries)) throw new Error('the queue does not answer');
              return (port as unknown as World['gate']['replies']).send(...given);
            },
          };
    const world = new World(undefined, { wrap });
    await world.send(bash('p1'));
    await before(world);
    damage(world, 'p1');
    await world.clock.advance(2 * HOUR);
    return world;
  }

  test('is told to the queue of its agent once the queue answers again', async () => {
    const world = await ended((tries) => tries > 2);
    expect(repliesTo(world, 'p1')).toEqual([await world.decided('p1')]);
    expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('is told once to the queue of its agent while no card can be asked for', async () => {
    let isDown = false;
    const wrap = <Port extends object>(name: string, port: Port): Port => {
      if (name !== 'cards') return port;
      const { refresh } = port as unknown as CardQueue;
      const failing: typeof refresh = async (...given) => {
        if (isDown) throw new Error('no connection');
        return refresh(...given);
      };
      return { ...port, refresh: failing };
    };
    const world = new World(undefined, { wrap });
    await world.send(bash('p1'));
    damage(world, 'p1');
    isDown = true;
    await world.clock.advance(6 * HOUR);
    expect(await world.decided('p1')).toMatchObject({ reasonCode: 'unreadable_row' });
    expect(repliesTo(world, 'p1')).toHaveLength(1);
    expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1);
    isDown = false;
    await world.clock.advance(HOUR);
    expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    expect(repliesTo(world, 'p1')).toHaveLength(1);
  });

  test('is no approval for the queue, whatever the row holds', async () => {
    const approve = async (world: World) => {
      await world.click('p1', 'alice').catch(() => undefined);
    };
    const world = await ended((tries) => tries > 2, approve);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(repliesTo(world, 'p1')).toEqual([]);
  });

  test('is told by the next run where the first one stopped after it had written the decision', async () => {
    let stops = true;
    const wrap = <Port extends object>(name: string, port: Port): Port => {
      if (name !== 'approvals') return port;
      const store = port as unknown as World['look']['approvals'];
      const finishUnread: typeof store.finishUnread = async (...given) => {
        const written = await store.finishUnread(...given);
        if (stops && written === 'written') {
          stops = false;
          throw new Error('the process is gone');
        }
        return written;
      };
      return { ...port, finishUnread };
    };
    const world = new World(undefined, { wrap });
    await world.send(bash('p1'));
    damage(world, 'p1');
    await world.clock.advance(2 * HOUR);
    expect(stops).toBe(false);
    expect(repliesTo(world, 'p1').length).toBeGreaterThan(0);
    for (const reply of repliesTo(world, 'p1')) expect(reply).toEqual(await world.decided('p1'));
  });
});

/** Checks lists of calls that were drawn while one of their rows could not be read. */
import { expect, test } from 'vitest';
import { UnreadableApprovalError } from '../../../../../shared/domain/approval/unread-approval.ts';
import type { ApprovalStore } from '../../../../../shared/ports/stores/approval-store.ts';
import { policyOf, World } from '../../world.ts';
import { ask, last, MANY, MINUTE, textOf } from './burst-world.ts';

test.each([
  ['written by a release that this one cannot read', true],
  ['not read once', false],
])('a row of it is %s while the list is drawn: it is shown again by itself', async (_, isBroken) => {
  const fault = { of: '' };
  const world: World = new World(policyOf({ approvals: MANY }), {
    wrap: (name, port) => {
      if (name !== 'approvals') return port;
      const { read } = port as unknown as ApprovalStore;
      return Object.assign(Object.create(port), {
        read: async (pid: string) => {
          if (pid !== fault.of) return read.call(port, pid);
          if (!isBroken) fault.of = '';
          const raw = { pid, approval: {}, version: 0, isDecided: false, waiters: [], isInputGone: false };
          throw isBroken
            ? new UnreadableApprovalError({ ...raw, cards: (await world.row('p3')).cards }, undefined)
            : new Error('a rendering fault');
        },
      });
    },
  });
  await ask(world, 1, 4);
  fault.of = world.pid('p3');
  await ask(world, 5, 5);
  expect(textOf(last(world))).toContain('Cannot be shown at the moment, and comes back by itself');
  expect(textOf(last(world))).not.toContain('git push 3');
  fault.of = '';
  await world.clock.advance(9 * MINUTE);
  expect(textOf(last(world)).match(/Read…/g)).toHaveLength(3);
  expect(textOf(last(world))).toContain('git push 3');
  const { cardProblem, dueAt } = await world.row('p3');
  expect(cardProblem).toBeUndefined();
  expect(dueAt).toBeGreaterThan(world.clock.now() + 30 * MINUTE);
});

test('the row of a decided call is not read once: the list shows its end by itself', async () => {
  const world = new World();
  await ask(world, 1, 4);
  const { approvals } = world.gate.parts;
  const read = approvals.read.bind(approvals);
  let isLost = true;
  await world.click('p3', 'alice');
  await world.clock.advance(MINUTE);
  approvals.read = async (pid) => {
    if (pid !== world.pid('p3') || !isLost) return read(pid);
    isLost = false;
    throw new Error('a rendering fault');
  };
  await world.click('p4', 'alice', 'reject');
  await world.clock.advance(9 * MINUTE);
  expect(isLost).toBe(false);
  expect(textOf(last(world))).toContain('Nothing waits any more: 2 calls of coder');
  expect(textOf(last(world))).toContain('Approved');
});

test('a decided call whose text cannot be shown does not look as if it waited, and is not drawn again and again', async () => {
  const world = new World();
  await ask(world, 1, 4);
  const { approvals } = world.gate.parts;
  const read = approvals.read.bind(approvals);
  let reads = 0;
  approvals.read = async (pid) => {
    const view = await read(pid);
    if (pid !== world.pid('p3') || !view?.decision) return view;
    reads += 1;
    return { ...view, proposal: '{"kind":"of the next release"}' };
  };
  await world.click('p4', 'alice', 'reject');
  await world.click('p3', 'alice', 'reject');
  await world.clock.advance(MINUTE);
  expect(textOf(last(world))).toContain('Cannot be shown any more: the record has how it ended');
  expect(textOf(last(world))).toContain('Nothing waits any more');
  const before = reads;
  await world.clock.advance(120 * MINUTE);
  expect(reads - before).toBeLessThan(20);
});

/**
 * Checks that the record says what a call came to (G32, G35).
 *
 * The agent may ask for anything else under the id of the same request.
 */
import { expect, test } from 'vitest';
import type { RedeemRequest } from '../../../../shared/contract/index.ts';
import { guarded, requestRun, resultOf, scriptedTools } from '../running.ts';
import { World } from '../world.ts';

const MINUTE = 60_000;

/** Two approved calls of one proposal, and a tool that holds the first until it is let go. */
async function batch() {
  const scripted = scriptedTools('Refund');
  const world = new World(guarded('{ tools: { Refund: { maxConcurrent: 9, ratePerSecond: 100, burst: 100 } } }'), {
    tools: scripted.tools,
  });
  const held = Promise.withResolvers<void>();
  scripted.behave = async ({ input }) => {
    if ((input as { order: number }).order === 1) await held.promise;
    return { done: input };
  };
  const calls = [1, 2].map((order) => ({ id: `c${order}`, toolName: 'Refund', input: { order } }));
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
  const decision = await world.decided('p1');
  const requests = decision.calls.map(({ id, permit }, index) => ({
    agent: 'coder',
    proposalId: 'p1',
    callId: id,
    permitId: permit?.permitId ?? '',
    toolName: 'Refund',
    input: calls[index]?.input ?? {},
  }));
  const [first, second] = requests as [RedeemRequest, RedeemRequest];
  return { world, scripted, held, first, second };
}

const ends = async (world: World) =>
  (await world.audit('p1')).flatMap(({ ran }) => (ran ? [`${ran.callId} ${ran.status}`] : [])).toSorted();

test('a run that succeeded is told and recorded so, though a message that cannot be read was refused under its id meanwhile', async () => {
  const { world, held, first } = await batch();
  await requestRun(world, first);
  await requestRun(world, first, 'r1', { limit: 1 });
  expect(await resultOf(world)).toBeUndefined();
  held.resolve();
  await world.rest();
  expect(await resultOf(world)).toMatchObject({ callId: 'c1', status: 'succeeded' });
  expect(await ends(world)).toEqual(['c1 succeeded']);
  await world.clock.advance(10 * MINUTE);
  expect(await ends(world)).toEqual(['c1 succeeded']);
  expect(world.slack.notices).toEqual([]);
});

test('a run that succeeded is recorded so, though another call was refused under its id meanwhile', async () => {
  const { world, held, first, second } = await batch();
  await requestRun(world, first);
  await requestRun(world, { ...second, input: { order: 3 } });
  expect(await resultOf(world)).toMatchObject({ callId: 'c2', status: 'refused' });
  held.resolve();
  await world.clock.advance(10 * MINUTE);
  expect(await ends(world)).toEqual(['c1 succeeded']);
  expect(world.slack.notices).toEqual([]);
});

test('two calls under one id: each is recorded as it ended, and nobody is told to look into either', async () => {
  const { world, held, first, second } = await batch();
  await requestRun(world, first);
  await requestRun(world, second);
  held.resolve();
  await world.clock.advance(10 * MINUTE);
  expect(await ends(world)).toEqual(['c1 succeeded', 'c2 succeeded']);
  expect(world.slack.notices).toEqual([]);
  expect(await resultOf(world)).toMatchObject({ callId: 'c2', status: 'succeeded' });
});

test('a run that stopped midway is recorded as unknown, though another call ended well under its id', async () => {
  const { world, first, second } = await batch();
  await requestRun(world, first);
  await requestRun(world, second);
  // The process of the first is gone.
  await world.clock.advance(10 * MINUTE);
  expect(await ends(world)).toEqual(['c1 unknown', 'c2 succeeded']);
  expect(world.slack.notices).toHaveLength(1);
});

test('a call that is asked for under the id of an earlier one is not run, and the record says why', async () => {
  const { world, scripted, held, first, second } = await batch();
  held.resolve();
  await requestRun(world, first);
  await requestRun(world, second);
  expect(scripted.calls).toHaveLength(1);
  expect(
    (await world.audit('p1')).flatMap(({ type, reasonCode, detail }) =>
      type === 'refused' ? [reasonCode, detail] : [],
    ),
  ).toEqual(['request_id_conflict', 'execution of c2']);
  await requestRun(world, second, 'r2');
  expect(await resultOf(world, 'p1', 'r2')).toMatchObject({ callId: 'c2', status: 'succeeded' });
});

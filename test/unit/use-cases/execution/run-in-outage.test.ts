/** Checks that a request to run an approved call waits out an outage of hours (A12, G27). */
import { expect, test } from 'vitest';
import { requestRun, resultOf, scriptedTools, TOOLS } from '../running.ts';
import { policyOf, World } from '../world.ts';

const HOUR = 60 * 60_000;
type Call = (...given: unknown[]) => unknown;

/** A world in which one method of a port fails while `away.now` says so. */
function worldWithout(port: string, method: string, fault: () => Error = () => new Error('away')) {
  const scripted = scriptedTools('Refund');
  const away = { now: false };
  const world = new World(policyOf({ ask: ['Refund'], more: TOOLS }), {
    tools: scripted.tools,
    wrap: (name, whole) => {
      if (name !== port) return whole;
      const call = Reflect.get(whole, method) as Call;
      const wrapped: Call = async (...given) => {
        if (away.now) throw fault();
        return call.apply(whole, given);
      };
      return Object.assign(Object.create(whole), { [method]: wrapped });
    },
  });
  return { world, scripted, away };
}

/** People approve it, so that the permit lasts for a day. */
async function approvedCall(world: World) {
  const called = { proposalId: 'p1', toolName: 'Refund', input: { order: 7 } };
  await world.send({ kind: 'tool-call', ...called });
  await world.click('p1', 'alice');
  const [call] = (await world.decided('p1')).calls;
  return { agent: 'coder', ...called, callId: call?.id ?? '', permitId: call?.permit?.permitId ?? '' };
}

test.each([
  ['permits', 'take'],
  ['results', 'read'],
  ['agents', 'nameOf'],
  ['limits.slots', 'acquire'],
])('%s.%s is away for eight hours: the call runs once afterwards', async (port, method) => {
  const { world, scripted, away } = worldWithout(port, method);
  const call = await approvedCall(world);
  away.now = true;
  await requestRun(world, call);
  await world.clock.advance(8 * HOUR);
  expect(world.gate.queues.executions.deadLetters).toEqual([]);
  away.now = false;
  await world.clock.advance(5 * 60_000);
  expect(scripted.calls).toHaveLength(1);
  expect(await resultOf(world)).toMatchObject({ status: 'succeeded' });
});

test('after a day no permit is good any more: the agent is told that the call was not run', async () => {
  const { world, scripted, away } = worldWithout('permits', 'take');
  const call = await approvedCall(world);
  away.now = true;
  await requestRun(world, call);
  await world.clock.advance(30 * HOUR);
  away.now = false;
  await world.clock.advance(HOUR);
  expect(scripted.calls).toEqual([]);
  expect(await resultOf(world)).toMatchObject({ status: 'refused' });
});

test('a fault of the code is given up after five receipts, and not waited out', async () => {
  const { world, away } = worldWithout('results', 'read', () => new TypeError('of the code'));
  const call = await approvedCall(world);
  away.now = true;
  await requestRun(world, call);
  await world.clock.advance(HOUR);
  away.now = false;
  expect(await resultOf(world)).toMatchObject({ status: 'refused', error: { code: 'dead_letter' } });
});

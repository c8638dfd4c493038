/** Checks that the end of a run is told though its result cannot be written at first (G32). */
import { expect, test } from 'vitest';
import { approvedCall, guarded, requestRun, resultOf, scriptedTools } from '../running.ts';
import { World } from '../world.ts';

type Call = (...given: unknown[]) => unknown;

/** The store of results takes nothing for so long after the first result. */
function worldWithout(awayMs: number) {
  const scripted = scriptedTools('Refund');
  let since: number | undefined;
  const world: World = new World(guarded('{}'), {
    tools: scripted.tools,
    wrap: (name, whole) => {
      if (name !== 'results') return whole;
      const put = Reflect.get(whole, 'put') as Call;
      const own: Call = async (...given) => {
        since ??= world.clock.now();
        if (world.clock.now() - since < awayMs) throw new Error('away');
        return put.apply(whole, given);
      };
      return Object.assign(Object.create(whole), { put: own });
    },
  });
  return { world, scripted };
}

test.each([1, 30, 120])(
  'for %i s: the agent reads what the call gave, and the record says that it succeeded',
  async (seconds) => {
    const { world, scripted } = worldWithout(seconds * 1_000);
    await requestRun(world, await approvedCall(world));
    await world.clock.advance(10 * 60_000);
    expect(scripted.calls).toHaveLength(1);
    expect(await resultOf(world)).toMatchObject({ status: 'succeeded', output: { done: { order: 7 } } });
    const ran = (await world.audit('p1')).filter(({ type }) => type === 'ran');
    expect(ran.map(({ reasonCode }) => reasonCode)).toEqual(['succeeded']);
  },
);

test('for longer than the function may wait: the agent is told that nobody knows', async () => {
  const { world, scripted } = worldWithout(20 * 60_000);
  await requestRun(world, await approvedCall(world));
  await world.clock.advance(40 * 60_000);
  expect(scripted.calls).toHaveLength(1);
  expect(await resultOf(world)).toMatchObject({ status: 'unknown' });
});

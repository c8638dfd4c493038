/** Checks that a permit is free again where a read fails between its taking and the run (A19). */
import { expect, test } from 'vitest';
import { approvedCall, guarded, redeemed, requestRun, resultOf, scriptedTools } from '../running.ts';
import { World } from '../world.ts';

type Call = (...given: unknown[]) => unknown;

/** One method of a port fails once, after the permit was taken. */
function worldFailingOnce(port: string, method: string) {
  const scripted = scriptedTools('Refund');
  const fails = { next: false };
  const wrapped = (whole: object, name: string, before: () => void) => {
    const call = Reflect.get(whole, name) as Call;
    const own: Call = async (...given) => {
      before();
      return call.apply(whole, given);
    };
    return Object.assign(Object.create(whole), { [name]: own });
  };
  let isMeant = true;
  const world = new World(guarded('{}'), {
    tools: scripted.tools,
    wrap: (name, whole) => {
      if (name === 'permits')
        return wrapped(whole, 'take', () => {
          fails.next = isMeant;
        });
      if (name !== port) return whole;
      return wrapped(whole, method, () => {
        if (!fails.next) return;
        isMeant = false;
        fails.next = false;
        throw new Error('throttled');
      });
    },
  });
  return { world, scripted };
}

const READS = [
  ['control', 'read'],
  ['sessions', 'read'],
] as const;

test.each(READS)('%s.%s fails once: the agent redeems again at once', async (port, method) => {
  const { world } = worldFailingOnce(port, method);
  const call = await approvedCall(world);
  await expect(redeemed(world, call)).rejects.toThrow('throttled');
  expect(await redeemed(world, call)).toMatchObject({ granted: true });
});

test.each(READS)(
  '%s.%s fails once: the gate runs the call once, when its request comes again',
  async (port, method) => {
    const { world, scripted } = worldFailingOnce(port, method);
    await requestRun(world, await approvedCall(world));
    await world.clock.advance(15_000);
    expect(scripted.calls).toHaveLength(1);
    expect(await resultOf(world)).toMatchObject({ status: 'succeeded' });
    await world.clock.advance(10 * 60_000);
    expect(scripted.calls).toHaveLength(1);
  },
);

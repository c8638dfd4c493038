/** Checks that a call waits while the gate cannot read what its model answered before (A12, G27). */
import { expect, test } from 'vitest';
import { AUTO, allows, bash, outsideWorld } from '../outside-world.ts';

const MINUTE = 60_000;

test('the store of answers is away for half an hour: the call is judged afterwards, and is no error', async () => {
  const away = { now: true };
  const { world, questions } = outsideWorld(
    { ...AUTO, ask: [] },
    { model: allows },
    {
      wrap: (name, whole) => {
        if (name !== 'modelAnswers') return whole;
        const { read } = whole as { readonly read?: (...given: readonly unknown[]) => Promise<unknown> };
        const wrapped = async (...given: readonly unknown[]) => {
          if (away.now) throw new Error('away');
          return read?.apply(whole, [...given]);
        };
        return Object.assign(Object.create(whole), { read: wrapped });
      },
    },
  );
  await world.send(bash('p', 'make x'));
  await world.clock.advance(30 * MINUTE);
  expect(await world.decision('p')).toBeUndefined();
  expect(questions).toEqual([]);
  away.now = false;
  await world.clock.advance(2 * MINUTE);
  expect((await world.decided('p')).outcome).toBe('approved');
});

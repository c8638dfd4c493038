/** Checks that one step of stopping that fails keeps no other from being taken. */
import { expect, test } from 'vitest';
import { Stops } from '../../../shared/dev/stops.ts';

test('every step is taken once, the last first, and the first error is told after all', async () => {
  const taken: string[] = [];
  const stops = new Stops();
  stops.add(() => taken.push('first'));
  stops.add(async () => {
    throw new Error('later');
  });
  stops.add(() => {
    throw new Error('sooner');
  });
  stops.add(async () => taken.push('last'));
  await expect(stops.run()).rejects.toThrow('sooner');
  await stops.run();
  expect(taken).toEqual(['last', 'first']);
});

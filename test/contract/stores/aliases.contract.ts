/** Checks secrets behind aliases: one of each person, found by both names, gone once destroyed. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aliasOf } from '../../../shared/domain/record/alias.ts';
import type { Stores } from '../support/stores.ts';

let people = 0;
const keyOf = (user = `U${process.pid}P${++people}`) => ({ user, secret: randomBytes(32).toString('hex') });

export function aliasesContract({ it }: Stores): void {
  describe('secrets behind aliases', () => {
    test('are found by the id and by the alias; a name without one is left out', async () => {
      const [known, other] = [keyOf(), keyOf()];
      expect(await it().aliases.put(known)).toBe(true);
      const found = await it().aliases.read([known.user, aliasOf(known), other.user, aliasOf(other)]);
      expect(found).toEqual(
        new Map([
          [known.user, known],
          [aliasOf(known), known],
        ]),
      );
      expect(await it().aliases.read([])).toEqual(new Map());
    });

    test('of eight that are put at once for one person one stands', async () => {
      const { user } = keyOf();
      const keys = Array.from({ length: 8 }, () => keyOf(user));
      const put = await Promise.all(keys.map((key) => it().aliases.put(key)));
      expect(put.filter(Boolean)).toHaveLength(1);
      const stored = keys[put.indexOf(true)] ?? keyOf();
      const names = [user, ...keys.map(aliasOf)];
      expect(await it().aliases.read(names)).toEqual(
        new Map([
          [user, stored],
          [aliasOf(stored), stored],
        ]),
      );
    });

    test('are destroyed under both names, as often as it is said, and another may follow', async () => {
      const [key, next] = [keyOf(), keyOf()];
      const again = { ...next, user: key.user };
      await it().aliases.put(key);
      await it().aliases.destroy(key);
      await it().aliases.destroy(key);
      expect(await it().aliases.read([key.user, aliasOf(key)])).toEqual(new Map());
      expect(await it().aliases.put(again)).toBe(true);
      // A message that comes late destroys the secret that it was sent for, and no other.
      await it().aliases.destroy(key);
      expect(await it().aliases.read([key.user, aliasOf(again)])).toEqual(
        new Map([
          [key.user, again],
          [aliasOf(again), again],
        ]),
      );
    });

    test('of a hundred and more people are read together', async () => {
      const keys = Array.from({ length: 60 }, () => keyOf());
      await Promise.all(keys.map((key) => it().aliases.put(key)));
      const names = keys.flatMap((key) => [key.user, aliasOf(key)]);
      expect((await it().aliases.read(names)).size).toBe(120);
    });
  });
}

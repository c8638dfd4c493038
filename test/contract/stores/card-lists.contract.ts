/** Checks lists of waiting calls: each write is conditional on the version that was read. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Burst, CardList } from '../../../shared/ports/stores/card-lists.ts';
import { START } from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

const CHANNEL = 'C0APPROVALS';

export function cardListsContract({ it }: Stores): void {
  describe('lists of waiting calls', () => {
    const burstOf = (agent: string, change: Partial<Burst> = {}): Burst => ({
      ...{ agent, channel: CHANNEL, version: 1, at: START, own: [{ pid: 'a'.repeat(64), at: START }] },
      ...change,
    });
    const listOf = (id: string, change: Partial<CardList> = {}): CardList => ({
      ...{ id, agent: 'coder', channel: CHANNEL, version: 1, pids: ['a'.repeat(64)], joinedAt: START },
      ...{ messages: [], draws: 0 },
      ...change,
    });

    test('a row is read as it was written, and there is none before', async () => {
      const { lists } = it();
      const agent = randomUUID();
      expect(await lists.readBurst(agent, CHANNEL)).toBeUndefined();
      expect(await lists.readList(agent)).toBeUndefined();
      expect(await lists.writeBurst(burstOf(agent, { list: 'l' }))).toBe(true);
      expect(await lists.writeList(listOf(agent, { messages: ['1.2'], drawn: 'd' }))).toBe(true);
      expect(await lists.readBurst(agent, CHANNEL)).toEqual(burstOf(agent, { list: 'l' }));
      expect(await lists.readBurst(agent, 'C0SECURITY')).toBeUndefined();
      expect(await lists.readList(agent)).toEqual(listOf(agent, { messages: ['1.2'], drawn: 'd' }));
    });

    test('what is absent in the next version is gone', async () => {
      const { lists } = it();
      const id = randomUUID();
      await lists.writeList(listOf(id, { drawn: 'd' }));
      expect(await lists.writeList(listOf(id, { version: 2, drawn: undefined }))).toBe(true);
      expect((await lists.readList(id))?.drawn).toBeUndefined();
    });

    test('only the version after the stored one is written', async () => {
      const { lists } = it();
      const id = randomUUID();
      expect(await lists.writeList(listOf(id, { version: 2 }))).toBe(false);
      expect(await lists.writeList(listOf(id))).toBe(true);
      for (const version of [1, 3]) expect(await lists.writeList(listOf(id, { version, draws: 9 }))).toBe(false);
      expect(await lists.writeBurst(burstOf(id, { version: 2 }))).toBe(false);
      expect(await lists.readList(id)).toEqual(listOf(id));
    });

    test('after a write that failed the burst is read as it stands', async () => {
      const { lists } = it();
      const agent = randomUUID();
      expect(await lists.writeBurst(burstOf(agent))).toBe(true);
      const next = burstOf(agent, { version: 2, own: [] });
      expect(await lists.writeBurst(next)).toBe(true);
      expect(await lists.writeBurst(burstOf(agent, { version: 2, list: 'other' }))).toBe(false);
      expect(await lists.readBurst(agent, CHANNEL)).toEqual(next);
    });

    test('of eight writes at once one wins', async () => {
      const { lists } = it();
      const id = randomUUID();
      const written = await Promise.all(
        Array.from({ length: 8 }, (_, draws) => lists.writeList(listOf(id, { draws }))),
      );
      expect(written.filter(Boolean)).toHaveLength(1);
    });
  });
}

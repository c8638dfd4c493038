/** Tests whether a question has room to wait, as read before a model is asked (D55, A14, A24). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { approvalOf, newCase, START, voted } from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

export function roomContract({ it, open, opened, finish }: Stores): void {
  const roomFor = (agent: string, group: string, same?: string, now = START) =>
    it().claims.roomFor({ agent, group, same, now });

  describe('room to wait', () => {
    test('is there until as many wait as may, of the agent or of the group', async () => {
      const first = await opened();
      expect(await roomFor(first.agent, first.group)).toBe('free');
      const second = await opened({ agent: first.agent });
      expect(await roomFor(first.agent, second.group)).toBe('full');
      expect(await roomFor(newCase().agent, second.group)).toBe('free');
      await finish(first);
      expect(await roomFor(first.agent, second.group)).toBe('free');
      const { group } = newCase();
      for (const _ of [1, 2, 3]) await opened({ group });
      expect(await roomFor(newCase().agent, group)).toBe('full');
    });

    test('is not needed by what an identical call waits for already, as long as that waits', async () => {
      const key = randomUUID();
      const primary = newCase();
      expect(await open(primary, { same: key })).toEqual({ kind: 'claimed' });
      expect(await roomFor(primary.agent, primary.group, key)).toBe('same_waits');
      expect(await roomFor(primary.agent, primary.group, randomUUID())).toBe('free');
      expect(await roomFor(primary.agent, primary.group, key, START + 30 * 24 * 3_600_000)).toBe('free');
      await it().approvals.write(voted(approvalOf(primary), 'U0ALICE'), undefined, START);
      expect(await roomFor(primary.agent, primary.group, key)).toBe('free');
    });
  });
}

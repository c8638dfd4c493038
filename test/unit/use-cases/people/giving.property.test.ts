/**
 * Checks that a call runs only by the word of people who saw it (D22, D52, D57).
 *
 * For every play, they saw it where it runs, and may approve it now.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../permissions/properties/arbitraries.ts';
import { type Allowed, change, file, Play, step } from './giving-play.ts';

test('a call is answered without people exactly if somebody who may approve it now saw it, in its folder, with what it starts', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(file, fc.array(step, { minLength: 4, maxLength: 14 }), async (first, steps) => {
      const play = new Play(first);
      for (const one of steps) {
        if (one.do !== 'propose') await play.change(one);
        else if ((await play.propose(one))?.voted === undefined) answered++;
      }
      expect(play.world.faults).toEqual([]);
    }),
    { numRuns: runs(60) },
  );
  // The play is about something.
  expect(answered).toBeGreaterThan(10);
});

test('a permit is good exactly while those who allowed its call may allow it still, in the folder that they saw', async () => {
  const seen = { granted: 0, refused: 0, byPeople: 0 };
  const later = fc.array(change, { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(file, fc.array(step, { minLength: 4, maxLength: 14 }), later, async (first, steps, changes) => {
      const play = new Play(first);
      const permits: Allowed[] = [];
      for (const one of steps) {
        const permit = one.do === 'propose' ? await play.propose(one) : await play.change(one);
        if (permit) permits.push(permit);
      }
      for (const one of changes) await play.change(one);
      for (const permit of permits) {
        const mayRun = play.mayRun(permit);
        const answer = await play.redeemed(permit);
        const isGranted = answer === 'granted';
        seen[isGranted ? 'granted' : 'refused']++;
        if (permit.voted && !isGranted) seen.byPeople++;
        if (mayRun !== undefined) expect(isGranted, `${permit.id}: ${answer}`).toBe(mayRun);
        if (!isGranted) expect(answer, permit.id).toMatch(/^(revoked|permit_expired|policy_changed) none$/);
      }
    }),
    { numRuns: runs(60) },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(5);
});

/** Plays a few seeds of the simulator with every fault; `npm run simulate` plays many. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { modulesLoaded } from './loads.ts';
import { planned } from './model/plan.ts';
import { ESCALATED } from './model/policies.ts';
import { diceOf, firstOf, seedOf } from './model/random.ts';
import { planOf } from './plan/draw.ts';
import { callOf, clickBy } from './plan/later-scenes.ts';
import { playSeeds } from './play.ts';
import { described, shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

const SEEDS = Number(process.env['COUNTERSIGN_RUNS'] ?? 100);

// In memory `npm test` plays these seeds and many more.
test('on the tables of DynamoDB, whatever fails, ends, repeats and comes late: one decision, one effect, no approval without people, and nothing waits for ever', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const plan = planOf(seed, true);
    const played = await simulate(plan);
    if (played.problems.length) expect.fail(described(await shrink(plan, played)));
  }
});

test('seeds that there was no time for are no success', async () => {
  const before = process.exitCode;
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  onTestFinished(() => {
    process.exitCode = before;
    log.mockRestore();
  });
  await playSeeds({ first: 1, seeds: 2, longest: 0, stop: false, onTables: false });
  expect(process.exitCode).toBe(1);
  expect(log.mock.calls.flat().join()).toContain('2 of 2 seeds were not played');
});

test('a module that is loaded in the middle of a run is noticed', async () => {
  const before = modulesLoaded();
  await import(`data:text/javascript,export const loadedAt = ${performance.now()}`);
  expect(modulesLoaded()).toBe(before + 1);
});

test('a run waits for an event that is still on its way when nothing else happens', async () => {
  const receive = { do: 'receive', at: 0, keyAddedAt: 0, keyRemovedAt: 1, downFor: 0, badShare: 0 } as const;
  const idle = { do: 'idle', at: 0, days: 3, deletes: false } as const;
  // The second question ends at the moment of a look at whether the run is over.
  const steps = [receive, idle, callOf('late', 0, { tool: ESCALATED, number: 1 })];
  expect((await simulate(planned(1, 0, steps))).problems).toEqual([]);
});

test('what Slack signs with a key that was just added may be refused, for whichever app it is', async () => {
  const endpoint = { do: 'endpoint', at: 0, addedAt: 30_000, switchedAt: 40_000, removedAt: 200_000 } as const;
  // With the click a process reads the older key.
  const click = clickBy('one', 20_000, 'bob', { choice: 'reject' });
  const forge = { do: 'forge', at: 50_000, id: 'two', who: 'alice', how: 'another workspace' } as const;
  const calls = ['one', 'two'].map((id, number) => callOf(id, 0, { tool: 'Push', number }));
  expect((await simulate(planned(3, 0, [endpoint, ...calls, click, forge]))).problems).toEqual([]);
});

test('whether a call meets a fault is the first that its dice draw', () => {
  for (let count = 1; count <= 200; count++) {
    const seed = seedOf(7, 'claims.claim', count);
    expect(firstOf(seed)).toBe(diceOf(seed).next());
  }
});

test.each([
  // The canary, the endpoint with forms and Home, dead letters, a chat, an agent's user, idle days, and calls by chance.
  { onTables: false, seeds: [17, 8, 38, 22, 6, 52, 12, 148, 9, 53, 13] },
  // Four have the canary, the endpoint, dead letters and a chat; the last four short scenes.
  { onTables: true, seeds: [3, 7, 12, 5, 9, 29, 110, 8, 43, 199, 266] },
])(
  'a seed is a run: played again, the same happens at the same times; on tables: $onTables',
  async ({ onTables, seeds }) => {
    for (const seed of seeds) {
      const plan = planOf(seed, onTables);
      const [first, again] = [await simulate(plan, true), await simulate(plan, true)];
      expect(again.lines).toEqual(first.lines);
      expect([...again.met]).toEqual([...first.met]);
    }
  },
);

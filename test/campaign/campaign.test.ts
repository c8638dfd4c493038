/** Plays a little of each part of the campaign on a deployed gate. */
import { beforeAll, expect, test, vi } from 'vitest';
import { approvalKey } from '../../shared/adapters/dynamodb/items.ts';
import { rowAt } from '../e2e/harness/damage.ts';
import { waiting } from '../e2e/harness/rows.ts';
import { reconcileNow } from '../e2e/harness/time.ts';
import { Actors } from './actors.ts';
import { AGENTS, type CampaignGate, campaignGate, FLOODS } from './gate.ts';
import { interleave } from './interleave.ts';
import { kill } from './kill/kill.ts';
import { answered, stepOf, type Turn } from './kill/scenes.ts';
import { answeredUntil, countLasting, load, loadOf, sharesOf } from './load.ts';
import { comingAgainSoon } from './queues.ts';
import { judged, lyingIn, undecided } from './record.ts';

let gate: CampaignGate;
beforeAll(async () => {
  gate = await campaignGate();
  // On a busy machine a function that starts may run out of time: its messages come again at once.
  await comingAgainSoon();
});

/** Only a hang reaches it: the judge waits five minutes for what is left. */
vi.setConfig({ testTimeout: 480_000 });

const inMinutes = (minutes: number) => Date.now() + minutes * 60_000;

test('a hundred proposals of ten agents: each is decided once, copies are answered alike, poison with a reason', async () => {
  const options = { name: 'load', seed: 2, count: 100, until: inMinutes(3) } as const;
  const { problems, rows, duplicates, poison } = await load(gate, options);
  expect(problems).toEqual([]);
  expect(rows.map(({ sent, decided }) => decided - sent)).toEqual(rows.map(() => 0));
  expect(duplicates.alike).toBe(duplicates.sent);
  expect(duplicates.sent).toBeGreaterThan(0);
  expect([...poison.reasons.keys()].filter((reason) => !reason.startsWith('error '))).toEqual([]);
});

test('a soak lasts as long as it is asked to, though one agent sends all of its share at once', () => {
  const shares = sharesOf(countLasting(30 * 60_000, 4));
  const others = [...shares].flatMap(([agent, count]) => (agent === FLOODS ? [] : [count]));
  expect(others.reduce((all, count) => all + count, 0) / 4).toBeGreaterThanOrEqual(30 * 60 - AGENTS.length);
});

test('a soak sends no proposal of a load again', () => {
  const idsOf = (name: 'load' | 'soak') => loadOf('reader', 0, 20, { name, seed: 1 }).map(({ id }) => id);
  expect(new Set([...idsOf('load'), ...idsOf('soak')]).size).toBe(40);
});

test('people answer for minutes after the last proposal, however long the sending took', () => {
  expect(answeredUntil(60_000, 70_000)).toBeGreaterThanOrEqual(70_000 + 2 * 60_000);
  expect(answeredUntil(900_000, 70_000)).toBe(900_000);
});

test('a few interleavings end well', async () => {
  const { problems, played } = await interleave(gate, { first: 1, count: 6, deploys: false, until: inMinutes(3) });
  expect(problems).toEqual([]);
  expect(played).toBe(6);
});

test('a function that ends at one of its awaits is repaired', async () => {
  const { problems, rows } = await kill(gate, {
    seed: 1,
    count: 2,
    minutes: 2,
    verbs: ['evaluate', 'resume'],
    scenes: 'usual',
  });
  expect(problems).toEqual([]);
  expect(rows.map(({ verb, fates }) => [verb, fates.failed])).toEqual([
    ['evaluate', 0],
    ['resume', 0],
  ]);
  expect(rows.every(({ met, fates }) => met > 10 && fates.repaired > 0)).toBe(true);
});

test('a reconciler that is called too early leaves no row, and the question is asked', async () => {
  const actors = await Actors.on(gate);
  const asked = { id: 'early', agent: 'reader', tool: 'Push', number: 1 } as const;
  const pid = actors.pid(asked);
  await reconcileNow(pid);
  expect(await rowAt(approvalKey(pid, 'row'))).toBeUndefined();
  await actors.propose({ do: 'propose', at: 0, copies: [], ...asked });
  await waiting(pid);
  await actors.cancel(asked);
  expect(await actors.decisionOf(asked, 60_000)).toBeDefined();
});

test('people of scenes click until they are asked', async () => {
  const step = stepOf({ id: 'unasked', number: 2 } as Turn, { agent: 'reader', tool: 'Push' });
  const told = [undefined, 'this card is to be drawn anew', undefined, 'counted', 'too often'];
  const real = await Actors.on(gate);
  const actors = { pid: real.pid.bind(real), read: real.read.bind(real), click: async () => told.shift() };
  await answered({ actors, id: step.id } as unknown as Turn, step, { who: 'alice' });
  expect(told).toEqual(['too often']);
});

test('the judge finds a proposal whose sender never reads a decision', async () => {
  const actors = await Actors.on(gate);
  await actors.propose({ do: 'propose', at: 0, id: 'twice', agent: 'writer', tool: 'Look', number: 1, copies: [] });
  actors.calm();
  await undecided(actors, ['twice'], 30_000);
  const { problems } = await judged(actors, 0);
  expect(problems).toEqual([]);
  actors.history.sent.push({ ...(actors.history.sent[0] as (typeof actors.history.sent)[number]), id: 'never' });
  expect((await judged(actors, 0)).problems).toEqual([
    { guarantee: 'G33', text: 'the sender of never never reads a decision' },
  ]);
});

test.each([
  ['Webhooks', { visible: 0, inFlight: 1, delayed: 0 }, 0],
  ['Webhooks', { visible: 1, inFlight: 1, delayed: 1 }, 2],
  ['Cards', { visible: 0, inFlight: 1, delayed: 0 }, 1],
])('of messages in %s that wait for their next try, those of webhooks are in nobody’s way', (queue, depth, lying) => {
  expect(lyingIn(queue, depth)).toBe(lying);
});

/** Checks for which scene a process is taken to have worked. */
import { expect, test } from 'vitest';
import { CameBy } from './came-by.ts';
import type { Passed } from './functions.ts';

const KEY = 'a'.repeat(64);

function played() {
  const passed: Passed[] = [];
  const cameBy = new CameBy({ scenes: {}, ofStarts: [] }, new Map([[KEY, 'k20q']]), () => passed);
  const passIn = (isFirst: boolean, point: string, ...names: string[]) =>
    passed.push({ point, at: Date.now(), isFirst, names });
  const pass = (point: string, ...names: string[]) => passIn(true, point, ...names);
  return { cameBy, pass, passIn };
}

test('a point is of the scene that an event names, by the id of its turn or the key of its proposal, and of no other that was played then', () => {
  const { cameBy, pass } = played();
  cameBy.begin('k10', 'one');
  cameBy.begin('k20', 'two');
  pass('byId', 'k10-3');
  pass('byKey', KEY);
  cameBy.end('k10');
  cameBy.end('k20');
  cameBy.note('evaluate', new Set(['one', 'two']));
  expect(cameBy.scenesAt('evaluate', 'byId')).toEqual(['one']);
  expect(cameBy.scenesAt('evaluate', 'byKey')).toEqual(['two']);
});

test('a point of which no event tells is of the scenes of its function that were played then, or of any', () => {
  const { cameBy, pass } = played();
  cameBy.begin('k10', 'one');
  cameBy.begin('k20', 'two');
  pass('nameless');
  cameBy.note('reconcile', new Set(['two']));
  expect(cameBy.scenesAt('reconcile', 'nameless')).toEqual(['two']);
  cameBy.note('seal', new Set());
  expect(cameBy.scenesAt('seal', 'nameless').toSorted()).toEqual(['one', 'two']);
});

test('a point that a part of a turn comes by is of the whole, and one that is new in a turn is told once', () => {
  const { cameBy, pass } = played();
  cameBy.begin('k10', 'one');
  cameBy.share('k30', 'k10');
  pass('known', 'k30');
  cameBy.note('resume', new Set());
  pass('late', 'k10');
  pass('late', 'k10');
  expect(cameBy.scenesAt('resume', 'known')).toEqual(['one']);
  expect(cameBy.later('resume', 'k10')).toEqual(['late']);
  expect(cameBy.later('resume', 'k10')).toEqual([]);
});

test('a point that no process comes by after its first run is one of starts', () => {
  const { cameBy, pass, passIn } = played();
  cameBy.begin('k10', 'one');
  pass('load');
  pass('each');
  cameBy.note('seal', new Set());
  expect(cameBy.isOfStart('seal', 'load')).toBe(false);
  passIn(false, 'each');
  cameBy.note('seal', new Set());
  expect(cameBy.isOfStart('seal', 'load')).toBe(true);
  expect(cameBy.isOfStart('seal', 'each')).toBe(false);
});

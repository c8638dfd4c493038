/** Judges histories in which an operator, or a fault, is why something is not as somebody wanted it. */
import { expect, test } from 'vitest';
import { type Delegated, History, type Operated } from '../model/history.ts';
import type { Remains } from '../world/remains.ts';
import { judgeChat } from './chat.ts';
import { seatsOf } from './seats.ts';

const BEGAN = Date.parse('2026-01-01T00:00:00Z');
const history = () => new History(BEGAN, false, { apartMs: 0, calmAt: BEGAN, waiting: 4 });

const paused = (scope: Operated['scope']): Operated => ({ at: BEGAN + 2_000, id: 'o1', effect: 'ask', scope });

test.each([
  ['nobody pauses', [], ['0046']],
  ['another tool is paused', [paused({ tool: 'Push' })], ['0046']],
  ['everything is paused', [paused({ all: true })], []],
])('a task keeps its name although its owner renames it: %s', (_, operations, expected) => {
  const told = history();
  told.operations.push(...operations);
  const say = (at: number, text: string) => told.talks.push({ at: BEGAN + at, who: 'alice', text });
  say(0, 'todo: milk');
  say(60_000, 'make it oat milk');
  const chat = new Map([['alice', { tasks: ['milk'], replies: ['added', 'not understood'], open: [] }]]);
  const broken: string[] = [];
  judgeChat(told, { chat } as unknown as Remains, (guarantee) => broken.push(guarantee));
  expect(broken).toEqual(expected);
});

test.each([
  ['nobody says anything more', undefined, {}, 0],
  ['they say something', 60_000, {}, 1],
  ['they say something that was set aside', 60_000, { isSetAside: true }, 0],
  ['they had said it before', 20_000, {}, 0],
])('a question shows its buttons, and %s', (_, at, more, expected) => {
  const told = history();
  if (at !== undefined) told.talks.push({ at: BEGAN + at, heardAt: BEGAN + at, who: 'alice', text: 'no' });
  const left = { tasks: [], replies: ['really?'], open: [BEGAN + 30_000], ...more };
  const broken: string[] = [];
  judgeChat(told, { chat: new Map([['alice', left]]) } as unknown as Remains, (_, text) => broken.push(text));
  expect(broken.filter((text) => text.includes('buttons'))).toHaveLength(expected);
});

test.each([
  ['after the older one', 1_000, []],
  ['before the older one, which met a fault', 9_000, ['bob']],
])('a newer order about a seat is done %s', (_, doneAt, seats) => {
  const told = history();
  const order: Delegated = { at: BEGAN, id: 'd1', person: 'bob', to: 'sam', from: BEGAN, until: BEGAN + 600_000 };
  told.delegated.push(
    { ...order, doneAt: BEGAN + doneAt },
    { ...order, id: 'd2', at: BEGAN + 2_000, until: BEGAN + 60_000, doneAt: BEGAN + 2_000 },
  );
  expect(seatsOf(told, 'sam', { since: BEGAN + 120_000, at: BEGAN + 120_000 })).toEqual(seats);
});

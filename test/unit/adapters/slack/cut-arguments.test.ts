/** Checks that what a card says of the characters it leaves out is true, whatever characters they are. */
import { expect, test } from 'vitest';
import { argumentElements } from '../../../../shared/adapters/slack/cards/call-blocks.ts';
import { textsOf } from './surfaces.ts';

const ROOM = { argument: 60, why: 60 };
const drawn = (text: string): readonly string[] =>
  textsOf(argumentElements({ name: 'command', text, raw: text }, ROOM));

test.each([
  ['fewer characters than the room has, of two units each', '😀'.repeat(50)],
  ['more characters than the room has, of two units each', '😀'.repeat(70)],
  ['Latin letters, and Chinese ones of two units', `echo ${'𠀀'.repeat(40)}; rm -rf build`],
  ['one letter too many', 'x'.repeat(61)],
])('the two ends and the number between them make up the whole text: %s', (_, text) => {
  const all = drawn(text);
  const at = all.findIndex((one) => one.includes('between these two parts'));
  const [head = '', told = '', tail = ''] = all.slice(at - 1, at + 2);
  const hidden = Number.parseInt(told, 10);
  expect(hidden).toBeGreaterThan(0);
  expect([...head].length + hidden + [...tail].length).toBe([...text].length);
  expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
  expect(head.length + tail.length).toBeLessThanOrEqual(ROOM.argument);
});

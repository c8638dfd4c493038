/** Checks text that is not ours: what is drawn as nothing is written out (D33, G22). */
import { expect, test } from 'vitest';
import { visible, visibleJson } from '../../../../shared/adapters/slack/elements/text.ts';

const UNSEEN = [
  0x00, 0x07, 0x1b, 0x7f, 0xa0, 0xad, 0x061c, 0x115f, 0x180e, 0x200b, 0x202e, 0x2066, 0x2800, 0x3000, 0x3164,
];
const MORE = [0xfe0f, 0xfeff, 0xffa0, 0xfffc, 0xe000, 0x1d159, 0x1d173, 0xe0041, 0xf0000];

test.each([...UNSEEN, ...MORE].map((code) => [code.toString(16).padStart(4, '0'), code]))('U+%s', (name, code) => {
  const text = `a${String.fromCodePoint(Number(code))}b`;
  expect(visible(text)).toBe(`a\\u{${name}}b`);
  expect(visibleJson(text)).toMatch(/^"a(?:\\[u][0-9a-f]{4}|\\[bfrt]){1,2}b"$/);
  expect(JSON.parse(visibleJson(text))).toBe(text);
});

test('what is seen stays as it is', () => {
  const text = 'Grüße, 世界 🌍 ✓ — “x” …\n‹›';
  expect(visible(text)).toBe(text);
});

/** Checks that cards, the terminal and the console spell out the same characters (D33, G22). */
import { describe, expect, test } from 'vitest';
import { visible as onCard, visibleJson } from '../../../../shared/adapters/slack/elements/text.ts';
import { spacedJson } from '../../../../shared/approvals/askers/text.ts';
import { jsonLine, plain } from '../../../../shared/cli/support/terminal.ts';

const UNSEEN = [
  ...[0x00, 0x07, 0x1b, 0x7f, 0x9b, 0xa0, 0xad, 0x034f, 0x061c, 0x115f, 0x1680, 0x180e, 0x2003, 0x200b, 0x2028, 0x202e],
  ...[
    0x2066, 0x2800, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfffc, 0xe000, 0x1d159, 0x1d173, 0xe0041, 0xe0101, 0xf0000,
  ],
];

describe.each(UNSEEN)('U+%i', (code) => {
  const character = String.fromCodePoint(code);
  const text = `a${character}b`;

  test('is spelled out by its number', () => {
    const number = code.toString(16);
    for (const shown of [onCard(text), plain(text)]) {
      expect(shown).not.toContain(character);
      expect(shown).toMatch(new RegExp(`^a\\\\u\\{0*${number}\\}b$`));
    }
  });

  test('parses back from JSON', () => {
    for (const shown of [visibleJson(text), jsonLine(text), spacedJson(text)]) {
      expect(shown).not.toContain(character);
      expect(JSON.parse(shown)).toBe(text);
    }
  });
});

test('no two texts look alike, with escapes of their own or without; a command without any reads as it is', () => {
  const parts = ['\u200b', '\u202e', '\\', '\\\\', '\\u{200b}', '\\u{', 'u{200b}', 'C:\\users', 'x'];
  const texts = parts.flatMap((a) => parts.flatMap((b) => ['', ...parts].map((c) => a + b + c)));
  for (const show of [onCard, plain]) {
    const shown = new Map<string, string>();
    for (const text of texts) {
      expect(shown.get(show(text)) ?? text).toBe(text);
      shown.set(show(text), text);
    }
  }
  expect(plain('copy C:\\users')).toBe('copy C:\\users');
});

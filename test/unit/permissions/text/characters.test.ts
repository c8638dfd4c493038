/** Checks characters that nobody sees, and wildcards (G8, G10). */
import { describe, expect, test } from 'vitest';
import { segmentTokens } from '../../../../shared/permissions/paths/pattern.ts';
import { codePointName, foldText, inspectCharacters, isPlainAscii, withoutIgnorable } from '../../../../shared/permissions/text/characters.ts'; // biome-ignore format: one line
import {
  literalTokens,
  matchesTokens,
  matchesWildcard,
  tokensIntersect,
} from '../../../../shared/permissions/text/glob.ts';
import { judge } from '../support.ts';

/** Unicode 16: Default_Ignorable_Code_Point. */
const IGNORABLE: readonly (readonly [number, number])[] = [
  ...([
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
  ] as const),
  ...([
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
  ] as const),
  ...([
    [0xffa0, 0xffa0],
    [0xfff0, 0xfff8],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ] as const),
];
const BLANKS = [
  ...[0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0x2800],
];
const char = (codePoint: number) => String.fromCodePoint(codePoint);
const known = (codePoint: number) => IGNORABLE.some(([low, high]) => codePoint >= low && codePoint <= high);

describe('odd characters', () => {
  test.each(IGNORABLE)('%i to %i are invisible, their neighbours are not', (low, high) => {
    for (const codePoint of [low - 1, low, high, high + 1]) {
      expect([codePoint, withoutIgnorable(char(codePoint)) === '']).toEqual([codePoint, known(codePoint)]);
      if (known(codePoint)) expect(withoutIgnorable(`a${char(codePoint)}b`)).toBe('ab');
    }
    for (const codePoint of [low, high]) {
      expect(judge('Bash', { command: `ls a${char(codePoint)}b` }, [['allow', 'Bash(ls:*)']]).verdict).toBe('ask');
      expect(judge('Edit', { file_path: `.e${char(codePoint)}nv` }, [['allow', 'Edit']]).verdict).toBe('deny');
      expect(judge('Edit', { file_path: `a${char(codePoint)}b` }, [['allow', 'Edit']]).verdict).toBe('ask');
    }
  });

  test.each(BLANKS)('%i is an unusual blank', (codePoint) => {
    expect(inspectCharacters(`a${char(codePoint)}`, 'command')?.kind).toBe('odd');
    expect(judge('Bash', { command: `ls${char(codePoint)}x` }, [['allow', 'Bash']]).verdict).toBe('ask');
    expect(judge('Edit', { file_path: `a${char(codePoint)}b` }, [['allow', 'Edit']]).verdict).toBe('ask');
  });

  test('so is every control character, but blanks and ends of lines in commands', () => {
    const odd = (kind: 'command' | 'path') =>
      Array.from({ length: 0xa2 }, (_, codePoint) => codePoint).filter(
        (codePoint) => codePoint > 0 && inspectCharacters(char(codePoint), kind) !== undefined,
      );
    const controls = [
      ...Array.from({ length: 31 }, (_, n) => n + 1),
      ...Array.from({ length: 34 }, (_, n) => n + 0x7f),
    ];
    expect(odd('path')).toEqual(controls);
    expect(odd('command')).toEqual(controls.filter((codePoint) => codePoint !== 9 && codePoint !== 10));
  });

  test('the worst is told: a NUL and a broken character before any odd one', () => {
    expect(inspectCharacters('\u202e\0', 'path')).toEqual({ kind: 'nul' });
    expect(inspectCharacters('\u202e\ud800', 'path')).toEqual({ kind: 'surrogate' });
    expect(inspectCharacters('\udfff', 'path')).toEqual({ kind: 'surrogate' });
    expect(inspectCharacters('\ud7ff\ue000\ud83d\ude00', 'path')).toBeUndefined();
    expect(inspectCharacters('\u009f', 'path')).toMatchObject({ what: 'a control character' });
    expect(inspectCharacters('\u00a0', 'path')).toMatchObject({ what: 'an unusual blank' });
    expect(inspectCharacters('\u202e\u200b', 'path')).toMatchObject({ kind: 'odd', codePoint: 0x202e });
    expect([codePointName(0x200b), codePointName(0xe0001), codePointName(9)]).toEqual(['U+200B', 'U+E0001', 'U+0009']);
  });

  test('plain is printable ASCII', () => {
    expect(['', ' ', '~', 'aZ', '\u001f', '\u007f', 'a\u0080'].map(isPlainAscii)).toEqual([
      ...[true, true, true, true, false, false, false],
    ]);
    expect(['A', '\uff21', 'A\u200b', '\u00c9', 'E\u0301'].map(foldText)).toEqual(['a', 'a', 'a', '\u00e9', '\u00e9']);
  });

  test('a letter that is two in capitals is those two', () => {
    expect(['\u00df', '\u1e9e', 'SS', '\u017fs', '\u01f0', '\ufb01'].map(foldText)).toEqual([
      ...['ss', 'ss', 'ss', 'ss', '\u01f0', 'fi'],
    ]);
    for (const name of ['\u00df', '\u1e9e', 'S\u017f']) {
      expect(judge('Read', { file_path: `/home/agent/.${name}h/config` }, [['allow', 'Read']]).verdict).toBe('deny');
      const command = `cat ~/.${name}h/config`;
      expect(judge('Bash', { command }, [['allow', 'Bash(cat:*)']], { mode: 'bypass' }).verdict).toBe('deny');
    }
    expect(judge('Read', { file_path: 'stra\u00dfe/a' }, [['deny', 'Read(STRASSE/**)']]).verdict).toBe('deny');
    expect(judge('Read', { file_path: 'strasse/a' }, [['deny', 'Read(stra\u00dfe/**)']]).verdict).toBe('deny');
  });
});

const TEXTS = ['', 'a', 'b', 'ab', 'ba', 'aa', 'aab', 'aba', 'abab', 'a*b'];
/** As plainly as possible: the star gives up what it takes, character by character. */
const plainly = (pattern: string, text: string): boolean =>
  pattern === ''
    ? text === ''
    : pattern[0] === '*'
      ? plainly(pattern.slice(1), text) || (text !== '' && plainly(pattern, text.slice(1)))
      : text !== '' && pattern[0] === text[0] && plainly(pattern.slice(1), text.slice(1));

describe('wildcards', () => {
  test.each(['', 'a', '*', '**', 'a*', '*a', 'a*b', '*a*', '*ab', 'a*a*b', '*b*a', 'ab*ab', 'a**b'])(
    '%j',
    (pattern) => {
      for (const text of TEXTS) {
        expect([text, matchesWildcard(pattern, text)]).toEqual([text, plainly(pattern, text)]);
        if (!text.includes('*'))
          expect([text, matchesTokens(segmentTokens(pattern), text)]).toEqual([text, plainly(pattern, text)]);
      }
    },
  );

  test('of a segment: one character, sets and their opposites; no set is a bracket', () => {
    const matches = (pattern: string, text: string) => matchesTokens(segmentTokens(pattern), text);
    expect(
      ['?', '[ab]', '[a-c]', '[!a]', '[!a-c]'].map((pattern) =>
        ['a', 'b', 'd', ''].map((text) => matches(pattern, text)),
      ),
    ).toEqual([
      [true, true, true, false],
      [true, true, false, false],
      [true, true, false, false],
      [false, true, true, false],
      [false, false, true, false],
    ]);
    for (const text of ['[', ']'])
      expect([matches('[!a]', text), matches('[Z-a]', text), matches('?', text)]).toEqual([false, false, true]);
    expect(matches('?', '\u{1f600}')).toBe(true);
  });

  test('two of them meet where one text is both', () => {
    const meet = (a: string, b: string) => tokensIntersect(segmentTokens(a), segmentTokens(b));
    for (const [a, b, expected] of [
      ...([
        ['a', 'a', true],
        ['a', 'b', false],
        ['a', '', false],
        ['', '', true],
        ['*', '', true],
        ['', '*', true],
      ] as const),
      ...([
        ['a*', '*b', true],
        ['a*', 'b*', false],
        ['a?', 'ab', true],
        ['a?', 'abc', false],
        ['*b', 'a?', true],
      ] as const),
      ...([
        ['[ab]', 'b', true],
        ['[ab]', 'c', false],
        ['c', '[ab]', false],
        ['[ab]', '[cd]', true],
        ['?', '[cd]', true],
      ] as const),
      ...([
        ['a*c', 'a*d', false],
        ['*a*', '*b*', true],
        ['a*', 'a', true],
        ['**', 'abc', true],
      ] as const),
    ])
      expect([a, b, meet(a, b)]).toEqual([a, b, expected]);
    expect(tokensIntersect(literalTokens('.env'), segmentTokens('.e*'))).toBe(true);
  });
});

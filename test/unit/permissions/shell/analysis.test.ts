/**
 * Checks the analysis of shell commands to the word (G7, G8, D14, D17).
 *
 * `analysis.txt` has a command to a paragraph, with its analysis.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LONG_COMMAND } from '../../../../shared/permissions/shell/analysis/doubts.ts';
import { linesOf } from './analysis-support.ts';

interface Case {
  readonly what: string;
  readonly command: string;
  readonly expected: string[];
}

/** `⏎` is a line's end; the analysis stands indented behind its command, a title behind `#: `. */
function casesOf(table: string): Case[] {
  const cases: Case[] = [];
  let what = '';
  for (const line of table.split('\n')) {
    if (line.startsWith('#: ')) what = line.slice(3);
    else if (line.startsWith('    ')) cases.at(-1)?.expected.push(line.trim());
    else if (line !== '') cases.push({ what, command: line, expected: [] });
  }
  return cases;
}

const CASES = casesOf(readFileSync(new URL('analysis.txt', import.meta.url), 'utf8'));
const titles = [...new Set(CASES.map(({ what }) => what))];

describe.each(titles)('%s', (title) => {
  test.each(CASES.filter(({ what }) => what === title))('$command', ({ command, expected }) => {
    expect(linesOf(command.replaceAll('⏎', '\n').replaceAll('␣', '\u200b'))).toEqual(
      expected.map((line) => line.replaceAll('␣', '\u200b')),
    );
  });
});

const doubtsOf = (command: string) => linesOf(command).find((line) => line.startsWith('doubts ')) ?? '';

describe('bounds', () => {
  test('D17: beyond ten thousand characters a command is in doubt', () => {
    const long = (length: number) => `echo '${'a b '.repeat(3000).slice(0, length - 7)}'`;
    expect(doubtsOf(long(LONG_COMMAND))).toBe('');
    expect(doubtsOf(long(LONG_COMMAND + 1))).toBe('doubts the command is longer than 10000 characters');
  });

  test('commands within backticks are followed eight deep', () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'rm x' : `echo \`${nested(depth - 1).replaceAll(/[\\`]/g, '\\$&')}\``;
    expect(doubtsOf(nested(9))).toBe('doubts a backslash within backticks');
    expect(doubtsOf(nested(10))).toContain('too deep');
  });

  test('code with too many operators is not parsed, nor is what it stands in understood', () => {
    expect(doubtsOf(`sh -c '${'a|'.repeat(300)}a'`)).toBe('');
    expect(doubtsOf(`sh -c '${'a|'.repeat(301)}a'`)).toContain('could not be parsed');
    expect(doubtsOf(`sh -c $'${'a\\x7c'.repeat(300)}a'`)).not.toContain('could not be parsed');
    expect(doubtsOf(`sh -c $'${'a\\x7c'.repeat(301)}a'`)).toContain('code within the command could not be parsed');
    expect(doubtsOf(`${'a;'.repeat(1500)}b`)).toBe('');
    expect(doubtsOf(`${'(a);'.repeat(1001)}b`)).toContain('could not be parsed');
  });

  test('a word of braces has four hundred characters and makes sixty-four at most', () => {
    const braces = (length: number) => `echo {a,${'b'.repeat(length - 4)}}`;
    expect(doubtsOf(braces(400))).toBe('');
    expect(doubtsOf(braces(401))).toContain('a word that makes too many');
    expect(doubtsOf('echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toBe('');
    expect(doubtsOf('echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toContain('a word that makes too many');
  });

  test('directories are followed 128 deep, and as long as a path may be', () => {
    const deep = (depth: number) => `cd ${Array.from({ length: depth - 2 }, () => 'a').join('/')}; ls`;
    expect(doubtsOf(deep(128))).toBe('');
    expect(doubtsOf(deep(129))).toContain('a directory that is too deep');
    const long = (length: number) => `cd ${'a'.repeat(length)}; ls`;
    expect(doubtsOf(long(4096))).toBe('');
    expect(doubtsOf(long(4097))).toContain('a directory that is too deep');
  });
});

/** Checks G44 over generated texts: a printed command reads as its text, and is printed as itself. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyseCommand } from '../../../../shared/permissions/shell/analysis/analyse.ts';
import { canonicalCommand, isSameReading } from '../../../../shared/permissions/shell/printing/canonical.ts';
import { shell } from '../support.ts';
import { runs } from './arbitraries.ts';

const PLACE = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };
const reading = (text: string) => analyseCommand(text, shell, PLACE);

/** The spellings of one literal word. */
const SPELLINGS: readonly ((word: string) => string)[] = [
  (word) => `'${word.replaceAll("'", "'\\''")}'`,
  (word) => `"${word.replace(/[$`"\\]/g, '\\$&')}"`,
  (word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`),
  // The parser takes an escaped blank for a separator.
  (word) => (word === '' ? '""' : Array.from(word, (char) => (/\s/.test(char) ? `'${char}'` : `\\${char}`)).join('')),
  (word) => (/^[\w ./-]+$/.test(word) ? `$'${word}'` : `"${word.replace(/[$`"\\]/g, '\\$&')}"`),
];
const character = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...'abxyz019_-./=:,') },
  { weight: 2, arbitrary: fc.constantFrom(...' \n\'"\\$`&|;()<>*?[]{}~!#^%@+') },
  { weight: 1, arbitrary: fc.constantFrom('\u00e9', '\u4e2d', '\t') },
);
const literal = fc.string({ unit: character, maxLength: 8 });
const spelt = fc
  .tuple(literal, fc.constantFrom(...SPELLINGS))
  .map(([word, spelling]) => ({ word, text: spelling(word) }));

const { statement } = fc.letrec<{ word: string; command: string; statement: string; list: string }>((tie) => ({
  word: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: spelt.map(({ text }) => text) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...['$x', '"$x"', 'a$x', '"a ${x} b"', '$?', '"$@"', '*.ts', 'src/?', '[a-c]x', '[!a]*', '~', '~/a', 'a~'],
        ...[
          '{a,b}',
          'x{1,2}y',
          '{}',
          '{$x,a}',
          'a=b',
          '-n',
          '--x=y',
          'a\\ b',
          'a#b',
          '=',
          '!',
          ']',
          '[',
          '[^a]',
          '{1..3}',
        ],
        ...['${x:-a}', '$((1))', "$''", '$x""', '~+', 'X=~', "$'\\n'", '"$x $y"', '" $x "', '2'],
      ),
    },
    { weight: 1, arbitrary: tie('list').map((list) => `$(${list})`) },
    { weight: 1, arbitrary: tie('list').map((list) => `"a$(${list} )"`) },
  ),
  command: fc
    .tuple(
      fc.array(fc.constantFrom('X=1 ', 'Y="$x" ', 'Z= ', 'X=a\\ b '), { maxLength: 1 }),
      fc.constantFrom('a', 'echo', "'git'", 'b-c', './d', '[', 'test', 'time', 'cd', 'export', 'X=1', 'if', '[['),
      fc.array(tie('word'), { maxLength: 3 }),
      fc.array(
        fc.constantFrom(' > f', ' 2>&1', ' < g', ' 2>/dev/null', ' &> f', ' >&-', ' <<< a', ' <<E\nx y\nE\n', ' <> h'),
        {
          maxLength: 1,
        },
      ),
    )
    .map(([set, name, words, redirects]) => {
      const all = [name, ...words, ...(name === '[' ? [']'] : name === '[[' ? [']]'] : [])];
      return `${set.join('')}${all.join(' ')}${redirects.join('')}`;
    }),
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: tie('command') },
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie('statement'), fc.constantFrom(' | ', ' && ', ' || ', '\n', '; ', ' & ', ' |& '), tie('statement'))
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: tie('list').map((list) => `(${list})`) },
    { weight: 1, arbitrary: tie('list').map((list) => `{ ${list}\n}`) },
    { weight: 1, arbitrary: tie('command').map((command) => `! ${command}`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `if ${a}\nthen ${b}\nelse ${a}\nfi`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('word'), tie('list')).map(([a, b]) => `for x in ${a} k; do ${b}\ndone`) },
    { weight: 1, arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `while ${a}\ndo ${b}\ndone > f`) },
    { weight: 1, arbitrary: fc.tuple(tie('word'), tie('list')).map(([a, b]) => `case ${a} in a|b*) ${b}\n;; esac`) },
  ),
  list: fc.oneof(tie('statement'), tie('command')),
}));

describe('printing', () => {
  test('quotes words so that each is read as itself, however it was spelt', () => {
    let count = 0;
    fc.assert(
      fc.property(fc.array(spelt, { minLength: 1, maxLength: 6 }), (words) => {
        const text = ['run', ...words.map((each) => each.text)].join(' ');
        const printed = canonicalCommand(text, shell);
        // The parser cannot read every spelling, and the gate takes a backslash before a line's end for no character wherever it stands.
        if (printed === undefined || words.some(({ word }) => word.includes('\\\n'))) return;
        count += 1;
        expect(printed).toBe(`'run' ${words.map(({ word }) => SPELLINGS[0]?.(word)).join(' ')}`);
        const [command, ...others] = reading(printed).commands;
        expect(others).toEqual([]);
        expect(command?.argv.map((field) => field.text)).toEqual(['run', ...words.map(({ word }) => word)]);
      }),
      { numRuns: runs(400) },
    );
    expect(count).toBeGreaterThan(300);
  });

  test('and reading again gives the same reading, and the same text', () => {
    let count = 0;
    fc.assert(
      fc.property(statement, (text) => {
        const printed = canonicalCommand(text, shell);
        if (printed === undefined) return;
        count += 1;
        expect(canonicalCommand(printed, shell)).toBe(printed);
        const [before, after] = [reading(text), reading(printed)];
        // No rule covers a text in doubt, and a here-document or a substitution may be read twice there.
        if (before.doubts.length === 0)
          expect([text, printed, isSameReading(before, after)]).toEqual([text, printed, true]);
      }),
      { numRuns: runs(1_500) },
    );
    expect(count).toBeGreaterThan(300);
  });
});

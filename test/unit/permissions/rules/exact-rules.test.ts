/** Checks that an exact allow rule, such as a saved one, covers its own words and no others. */
import { expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const under = (rule: string, command: string): string => commandVerdict(command, [['allow', `Bash(${rule})`]]);

test.each([
  ['frob "a b"', 'frob a b'],
  ['frob a b', 'frob "a b"'],
  ["frob 'a' 'b c'", 'frob "a b" c'],
  ["frob -- 'a -r b'", 'frob -- a -r b'],
  ['frob a;frob b', "frob 'a;frob' b"],
  ['frob a && frob b', "frob a '&&' frob b"],
  ['frob a > src/x', "frob a '>' src/x"],
  ['frob `x`', "frob '`x`'"],
  ['frob a #b', "frob a '#b'"],
  ["frob '~'", 'frob ~'],
  ["frob 'a?'", 'frob a?'],
  ["sh -c 'frob a'", 'sh -c frob a'],
  ['sudo frob a b', 'sudo frob "a b"'],
  ['frob "a\\b"', 'frob ab'],
  ['frob $x', "frob '$x'"],
  ['frob "$x"', 'frob \\$x'],
  ['frob "${x}"', "frob '${x}'"],
  ["frob $'a'", "frob '$a'"],
  ['frob "`x`"', "frob '`x`'"],
])('%s does not cover %s', (rule, command) => expect(under(rule, command)).toBe('ask'));

test.each([
  ['frob "a b"', "frob 'a b'"],
  ['frob "a b"', 'frob a\\ b'],
  ['frob a b', "frob 'a' b"],
  ['frob a b', 'cd src && frob a b'],
  ['frob a;frob b', 'frob a;frob b'],
  ['frob a && frob b', 'frob a && frob b'],
  ["sh -c 'frob a'", "sh -c 'frob a'"],
  ['frob "a\\.b"', "cd src && frob 'a\\.b'"],
  ['frob "a$" b$', "frob 'a$' 'b$'"],
  ['frob "\\$x" \'$y\'', 'frob \\$x \\$y'],
  ['frob $x', 'frob $x'],
  ['find . -name x -exec cat {} \\;', 'find . -name x -exec cat {} \\;'],
])('%s covers %s', (rule, command) => expect(under(rule, command)).toBe('allow'));

test.each([
  'frob a; frob b',
  'frob a && frob b',
  'frob a | frob b',
  'while true; do frob a; done',
  'for f in a b; do frob $f; done',
  '{ frob a; }',
  'frob a > out',
  'frob a &',
])('a deny or ask holds for the whole text that it names, beside an allow of each command: %s', (script) => {
  for (const effect of ['deny', 'ask'] as const)
    for (const command of [script, ` ${script.replace(' ', '  ')} `])
      expect(
        commandVerdict(command, [
          [effect, `Bash(${script})`],
          ['allow', 'Bash(frob:*)'],
          ['allow', 'Edit(out)'],
        ]),
      ).toBe(effect);
});

test('it holds for no other text with the same commands', () => {
  const rules = [
    ['deny', 'Bash(frob a && frob b)'],
    ['allow', 'Bash(frob:*)'],
  ] as const;
  for (const command of ['frob a', 'frob b && frob a', 'frob a && frob b && frob c'])
    expect(commandVerdict(command, rules)).toBe('allow');
});

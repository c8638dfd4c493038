/**
 * Checks texts whose later lines the parser reads as words of the command before.
 *
 * None of them is understood.
 */
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from '../support.ts';

const RULES: readonly Rule[] = [
  ...['ls', 'grep', 'wc', 'echo', '[', 'export', 'unset'].map((name): Rule => ['allow', `Bash(${name}:*)`]),
  ['deny', 'Bash(rm:*)'],
];
const verdict = (command: string) => judge('Bash', { command }, RULES).verdict;

/** Each begins a second line whose words a parser may give to the first. */
const BEFORE = [
  'ls | grep a | wc -l',
  'ls || ls | grep a | wc',
  'ls |\ngrep a |\nwc',
  'ls | grep a | wc "$x"',
  'ls | ls | ls # a comment',
  'ls | ls 2>&1 | ls 2>&1',
  'ls | ls | ls > f',
  'ls | ls | ls <<< x',
  'ls | ls | export X',
  'ls | ls | unset X',
  'ls | ls | X=1 ls',
  'ls | ls | ls | ls',
  'if ls | ls | ls',
  'ls && ls | ls | ls',
];

describe('a second line', () => {
  test.each(BEFORE)('behind %j is no more words of the first', (first) => {
    for (const between of ['\n', '\n\n', ' \n\t'])
      for (const program of ['./evil', '"./evil"', 'X=1 ./evil', '$x', '2>&1 ./evil'])
        for (const end of ['&& ls', '|| ls', '&& ls | ls', '&& ls; ls']) {
          const rest = first.startsWith('if') ? `${end}; then ls; fi` : end;
          const text = `${first}${between}${program} x ${rest}`;
          expect([text, verdict(text)]).toEqual([text, 'ask']);
        }
  });

  test.each(BEFORE)('behind %j is heard by deny rules', (first) => {
    const rest = first.startsWith('if') ? '&& ls; then ls; fi' : '&& ls';
    expect(verdict(`${first}\nrm x ${rest}`)).toBe('deny');
  });

  test.each(['[ a\n./evil ]', '[ a = b -o\n./evil ]', '[ -f a &&\n./evil ]', 'ls && [ ! -f\n./evil ] && ls'])(
    'within brackets is none of the test: %j',
    (text) => expect(verdict(text)).toBe('ask'),
  );
});

test.each(['echo \\ x', 'ls a\\\tb', 'ls \\\t./x'])('an escaped blank that the parser skips is in doubt: %j', (text) =>
  expect(verdict(text)).toBe('ask'),
);

test.each([
  ...['ls\ngrep a b', 'ls | grep a\nls', 'ls |\n  grep a', 'ls &&\nls', '( ls\nls )', 'echo "a\nb" c', "echo 'a\nb' c"],
  ...['echo $( ls\nls ) x', 'ls a\\ b', 'ls  a\tb', 'if ls\nthen ls\nfi', 'ls # a\nls'],
])('lines that are read as a shell reads them are still allowed: %j', (text) => expect(verdict(text)).toBe('allow'));

describe('a continued line beside single quotes', () => {
  test.each([
    "ls 'a' \\\n b",
    'ls -l \\\n  \'a b\' \\\n  "c d"',
    "grep -rn 'a' \\\n  --include='*.ts' \\\n  src",
    "echo \"it's\" \\\n  'b'",
    "echo 'a\\b' \\\n c",
  ])('is read as a shell reads it: %j', (text) => expect(verdict(text)).toBe('allow'));

  test.each([
    "ls 'a \\\nb'",
    "ls 'a' \\\n'b \\\nc'",
    "ls 'a' # \\\n./evil",
    "ls 'a' \\\n$(./evil)",
    "ls $'a\\'' \\\n; ./evil '",
    "ls 'a' \\\n; ./evil",
    "ls 'a' \\\\\n./evil",
    "ls 'a'\\\nb",
    'ls "a\'" \\\n; ./evil "\'"',
    "ls 'a' <<E \\\n\nE",
    "ls 'a' \\\r\n./evil",
    "ls 'a \\\n b",
    'ls $' + "{x:-'} \\\n; ./evil '}",
    "ls `echo 'a'` \\\n b",
    "ls 'a' \\\n| sh",
  ])('asks where it may be read otherwise, or runs more: %j', (text) => expect(verdict(text)).toBe('ask'));
});

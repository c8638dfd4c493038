/** Checks the warnings about rules: `:*` in the middle, words without an end, and braces. */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import type { RuleEffect } from '../../../../shared/permissions/model/types.ts';
import { checkRules } from '../../../../shared/permissions/rules/check-rules.ts';
import { commandVerdict } from '../support.ts';

const tools = createToolRegistry([
  {
    name: 'Pay',
    permissions: ['Network'],
    argsSchema: { type: 'object', properties: { amount: { type: 'number' }, account: { type: 'string' } } },
  },
  { name: 'Open', permissions: ['Network'], argsSchema: { type: 'object', patternProperties: { '^x-': {} } } },
  { name: 'Shell', permissions: ['Execute'], shell: true },
]);

const warned = (effect: RuleEffect, pattern: string) =>
  checkRules([{ effect, pattern, source: 'project' }], { tools }).problems.map(
    ({ code, suggestion }) => [code, suggestion] as const,
  );

describe('`:*` in the middle of a command rule is reported, whatever the effect', () => {
  test.each([
    ['Bash(git:* push)', 'never_matches', 'Bash(git push:*)'],
    ['Bash(git:* push:*)', 'never_matches', 'Bash(git push:*)'],
    ['Bash(git:* push *)', 'never_matches', 'Bash(git push:*)'],
    ['Shell(npm:* run)', 'never_matches', 'Shell(npm run:*)'],
    ['Bash(git: push)', 'never_matches', 'Bash(git push:*)'],
    ['Bash(git:**)', 'never_matches', 'Bash(git:*)'],
    ['Bash(git: *)', 'never_matches', 'Bash(git:*)'],
    ['Bash(git push:* origin)', 'misplaced_colon', 'Bash(git push origin:*)'],
    ['Bash(npm test:**)', 'misplaced_colon', 'Bash(npm test:*)'],
    ['Bash(npm test: *)', 'misplaced_colon', 'Bash(npm test:*)'],
  ])('%s has %s', (pattern, code, suggestion) => {
    for (const effect of ['deny', 'ask', 'allow'] as const)
      expect(warned(effect, pattern)).toContainEqual([code, suggestion]);
  });

  test.each([
    'Bash(git push:*)',
    'Bash(git push origin HEAD:*)',
    'Bash(npm run test:unit)',
    'Bash(docker run -p 8080:* nginx)',
    'Bash(curl http://localhost:*/health)',
    'Bash(ls *)',
    'Bash(git:*)',
    'Bash(description:*test*)',
  ])('%s says what it means', (pattern) => {
    for (const effect of ['deny', 'ask'] as const) expect(warned(effect, pattern)).toEqual([]);
  });
});

describe('an allow whose word has no end is reported', () => {
  test.each([
    ['Bash(npm*)', 'no_word_boundary', 'Bash(npm:*)'],
    ['Bash(ls*)', 'no_word_boundary', 'Bash(ls:*)'],
    ['Bash(ls**)', 'no_word_boundary', 'Bash(ls:*)'],
    ['Bash(ls*:*)', 'no_word_boundary', 'Bash(ls:*)'],
    ['Bash(git diff*)', 'no_word_boundary', 'Bash(git diff:*)'],
    ['Bash(npm* test)', 'no_word_boundary', 'Bash(npm test:*)'],
    ['Bash(* --version)', 'any_program', undefined],
  ])('%s has %s', (pattern, code, suggestion) => {
    expect(warned('allow', pattern)).toEqual([[code, suggestion]]);
    // A deny of more words than were meant denies what was meant.
    expect(warned('deny', pattern)).toEqual([]);
  });

  test.each(['Bash(./scripts/*)', 'Bash(cat src/*)', 'Bash(curl --header=*)', 'Bash(git * main)', 'Bash(head -n*)'])(
    '%s is no such word',
    (pattern) => expect(warned('allow', pattern)).toEqual([]),
  );
});

test.each([
  ['Read(/etc/passwd)', 'machine_path', 'Read(//etc/passwd)'],
  ['Edit(/home/agent/**)', 'machine_path', 'Edit(//home/agent/**)'],
  ['Edit(src/*.{ts,tsx})', 'literal_braces', undefined],
  ['Edit(src/(a|b)/**)', 'literal_brackets', undefined],
  ['WebFetch(domain:a.example,b.example)', 'never_matches', undefined],
  ['Bash(git push:*), Bash(rm:*)', 'never_matches', undefined],
  ['Read(a/**) Edit(b/**)', 'never_matches', undefined],
  ['Bash(npm run (build|test))', 'never_matches', undefined],
  ['Bash(npm publish --tag=(beta|next):*)', 'never_matches', undefined],
  ['Bash(git @(push|fetch) *)', 'never_matches', undefined],
  ['Bash((npm|yarn) publish:*)', 'never_matches', undefined],
  ['Bash(cd src && (npm|yarn) test)', 'never_matches', undefined],
  ['Bash(^rm.*)', 'never_matches', undefined],
  ['Bash(^(git|npm) push)', 'never_matches', undefined],
  ['WebFetch(domain:*.{a,b}.example)', 'never_matches', undefined],
  ['Edit((a|b)/**)', 'literal_brackets', undefined],
  ['Pay(amuont:5)', 'unknown_field', 'Pay(amount:5)'],
  ['Pay(urgent:true)', 'unknown_field', undefined],
  ['Read(src/:*)', 'never_matches', 'Read(src/**)'],
  ['mcp__pay__', 'never_matches', 'mcp__pay__*'],
  ['Read(C:\\Users\\**)', 'escaped_letter', 'Read(C:/Users/**)'],
  ['WebFetch(domain:.x.example)', 'never_matches', 'WebFetch(domain:*.x.example)'],
  ['WebFetch(domain:a..example)', 'never_matches', undefined],
  ['WebFetch(domain:*x.example)', 'star_in_label', 'WebFetch(domain:*.x.example)'],
  ['WebFetch(domain:**.x.example)', 'star_in_label', 'WebFetch(domain:*.x.example)'],
  ['Bash(for:*)', 'shell_word', undefined],
  ['Flow(release escrow)', 'never_matches', undefined],
  ['Bash(if test:*)', 'shell_word', undefined],
  ['Pay(amount:many)', 'unknown_value', undefined],
  ['Pay(amount:1_000)', 'unknown_value', undefined],
])('%s, in a rule of any effect, has %s', (pattern, code, suggestion) => {
  for (const effect of ['deny', 'ask', 'allow'] as const) expect(warned(effect, pattern)).toEqual([[code, suggestion]]);
});

test.each([
  'Read(a\\*b)',
  'WebFetch(domain:*.x.example)',
  'WebFetch(domain:*)',
  'Bash(forever:*)',
  // Judged as a program: `coproc curl x` is denied by it.
  'Bash(coproc:*)',
  'WebFetch(domain:*-api.x.example)',
  'Pay(amount:1e3)',
  'Pay(amount:*)',
  'Read(//etc/passwd)',
  'Edit(/src/**)',
  'Edit(src/{a}.ts)',
  'Pay(amount:5)',
  'Open(x-a:5)',
  'mcp__pay__*',
  'Bash(grep -E "(a|b)" src)',
  'Bash(echo $(a|b))',
  'Bash(echo (a))',
  'Bash((ls|wc))',
  'Edit(src/(auth)/**)',
])('%s has nothing to report', (pattern) => expect(warned('deny', pattern)).toEqual([]));

test.each(['for f in a b; do wc $f; done', '! wc a', '{ wc a; }'])(
  'an exact rule may be a whole script: %s',
  (script) => {
    for (const effect of ['allow', 'ask', 'deny'] as const) {
      expect(warned(effect, `Bash(${script})`)).toEqual([]);
      expect(commandVerdict(script, [[effect, `Bash(${script})`]])).toBe(effect);
    }
  },
);

test('a message about brackets names the rules to write instead, which hear what was meant', () => {
  const pattern = 'Bash(git @(push|fetch) *)';
  const { problems } = checkRules([{ effect: 'deny', pattern, source: 'project' }]);
  expect(problems[0]?.message).toContain('Bash(git push *), Bash(git fetch *)');
  expect(commandVerdict('git push origin', [['deny', pattern]])).not.toBe('deny');
  expect(commandVerdict('git push origin', [['deny', 'Bash(git push *)']])).toBe('deny');
});

test.each([
  'cd src && (ls|wc)',
  'ls | (head|wc)',
  '(ls|wc) 2>&1',
  '! (ls|wc)',
  'time (ls|wc)',
  'if (ls|wc) then ls; fi',
  'for f in a b; do (cat|wc); done',
  'case $x in (a|b) ls;; esac',
  '[[ $x =~ ^(a|b)$ ]]',
  '((a|b))',
])('%s is a script with brackets of its own: an exact rule on it is heard', (command) => {
  const pattern = `Bash(${command})`;
  for (const effect of ['deny', 'ask'] as const) expect(warned(effect, pattern)).toEqual([]);
  expect(commandVerdict(command, [['deny', pattern]])).toBe('deny');
});

test.each([
  ['WebFetch(domain:*.{a,b}.example)', 'WebFetch(domain:*.a.example), WebFetch(domain:*.b.example)'],
  ['Bash((npm|yarn) publish:*)', 'Bash(npm publish:*), Bash(yarn publish:*)'],
])('the message about %s names %s', (pattern, rules) => {
  const { problems } = checkRules([{ effect: 'deny', pattern, source: 'project' }]);
  expect(problems[0]?.message).toContain(`write a rule for each: ${rules}`);
});

test.each(['{a,b}.{c,d}.example', ','])(
  'the message about the hosts %s names no rule that nobody could write',
  (hosts) => {
    const { problems } = checkRules([{ effect: 'deny', pattern: `WebFetch(domain:${hosts})`, source: 'project' }]);
    expect(problems.map(({ message }) => message)).toEqual(['a rule names one host; write a rule for each']);
  },
);

test('a message about braces names the rules to write instead', () => {
  const { problems } = checkRules([{ effect: 'deny', pattern: 'Edit(src/*.{ts,tsx})', source: 'project' }]);
  expect(problems[0]?.message).toContain('Edit(src/*.ts), Edit(src/*.tsx)');
});

test.each([
  'Bash(git:* push)',
  'Bash(git push:* origin)',
  'Bash(npm*)',
  'Read(/etc/passwd)',
  'Pay(amuont:5)',
  'mcp__pay__',
])('what %s is to be replaced by has nothing to report', (pattern) => {
  const [, suggestion = ''] = warned('allow', pattern)[0] ?? [];
  expect(suggestion).not.toBe('');
  expect(warned('allow', suggestion)).toEqual([]);
});

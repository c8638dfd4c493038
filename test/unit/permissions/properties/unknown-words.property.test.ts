/**
 * Checks G1, G2, G4, G5 and G7 for words with unknown parts (D40).
 *
 * Words are read as written, empty, and as an option.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleEffect } from '../../../../shared/permissions/model/types.ts';
import { judge, type Rule, SURE_TO_ALLOW } from '../support.ts';
import { facts, joining, MODES, runs } from './arbitraries.ts';
import { EACH_WAY, fromFolder, ONE_WORD, spelt, UNKNOWN_WORDS, type WayName } from './unknown-words.ts';

const RANK = { allow: 0, ask: 1, deny: 2, error: 2 } as const;
const mode = fc.constantFrom(...MODES);
const rulesOf = (effect: RuleEffect, patterns: readonly string[]): Rule[] =>
  patterns.map((pattern): Rule => [effect, pattern]);

const PATTERNS = [
  'Bash(rm:*)',
  'Bash(foo deploy:*)',
  'Bash(git push:*)',
  'Read(secrets/**)',
  'Edit(infra/**)',
  'Read(~/notes/**)',
] as const;
const PROGRAMS = 'foo cat ls git find sort tar rg cp true echo set printf read'.split(' ');
const ALLOWED = rulesOf('allow', ['Bash', 'Read', 'Edit', ...PROGRAMS.map((name) => `Bash(${name}:*)`)]);

/** A command that a rule of PATTERNS matches, and the places of the words that make it match; the last may be one of several. */
const MATCHED: readonly (readonly [command: string, places: readonly number[]])[] = [
  ['rm y', [0]],
  ['foo deploy now', [0, 1]],
  ['git push origin', [0, 1]],
  ['git -C sub push', [0, 1, 3]],
  ['cat secrets/key', [1]],
  ['cp secrets/a/b x', [1]],
  ['cp x infra/main.tf', [2]],
  ['cat ~/notes/a', [1]],
];

const matched = (ways: readonly WayName[], lastWays: readonly WayName[] = ways): fc.Arbitrary<string> =>
  fc
    .constantFrom(...MATCHED)
    .chain(([command, places]) =>
      fc.constantFrom(...places).chain((at) => spelt(command, at, at === places.at(-1) ? lastWays : ways)),
    );

describe('a deny rule (G1)', () => {
  const RULES = [...ALLOWED, ...rulesOf('deny', PATTERNS)];
  /** Classifier and parent let everything pass. */
  const permissive = {
    classifier: SURE_TO_ALLOW,
    parent: { state: 'answered', verdict: 'allow' },
  } as const;
  const verdictOf = (command: string, in_: string) =>
    judge('Bash', { command }, RULES, { mode: in_ }, permissive).verdict;

  test('denies a command that it matches with the unknown parts empty, in every mode and whatever else is known', () => {
    fc.assert(
      fc.property(matched(['withNothing']), mode, facts, (command, in_, known) => {
        const { verdict } = judge('Bash', { command }, RULES, { mode: in_ }, known);
        expect([command, verdict]).toEqual([command, 'deny']);
      }),
      { numRuns: runs(400) },
    );
  });

  test('leaves no other spelling allowed, in any mode', () => {
    fc.assert(
      fc.property(matched(ONE_WORD, EACH_WAY), mode, (command, in_) => {
        expect([command, verdictOf(command, in_)]).not.toEqual([command, 'allow']);
      }),
      { numRuns: runs(600) },
    );
  });

  test('leaves no other path to the same file allowed, in any mode', () => {
    const paths = MATCHED.filter(([command]) => /^c(?:at|p) /.test(command));
    const path = fc.constantFrom(...paths).chain(([command, [at = 1]]) => fromFolder(command, at));
    fc.assert(
      fc.property(path, mode, (command, in_) => {
        expect([command, verdictOf(command, in_)]).not.toEqual([command, 'allow']);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('an ask rule (G5)', () => {
  test('is answered by nothing where the unknown parts are empty', () => {
    fc.assert(
      fc.property(matched(['withNothing']), mode, facts, (command, in_, known) => {
        const rules = [...ALLOWED, ...rulesOf('ask', PATTERNS)];
        const { verdict } = judge('Bash', { command }, rules, { mode: in_ }, known);
        expect([command, verdict]).not.toEqual([command, 'allow']);
      }),
      { numRuns: runs(400) },
    );
  });

  test('is answered neither by a mode nor by a classifier in any other spelling', () => {
    fc.assert(
      fc.property(matched(ONE_WORD, EACH_WAY), mode, facts, (command, in_, { classifier, parent }) => {
        const rules = [...ALLOWED, ...rulesOf('ask', PATTERNS)];
        const { verdict } = judge('Bash', { command }, rules, { mode: in_ }, { classifier, parent });
        expect([command, verdict]).not.toEqual([command, 'allow']);
      }),
      { numRuns: runs(600) },
    );
  });
});

const ORDINARY = ['foo build', 'git log', 'cat src/x', 'ls src', 'find . -name x', 'sort y', 'cp a src/x', 'bar x'];
const anyCommand = fc.oneof(
  matched(EACH_WAY),
  fc.constantFrom(...ORDINARY).chain((command) => fc.nat(1).chain((at) => spelt(command, at, EACH_WAY))),
  fc
    .tuple(fc.constantFrom(...ORDINARY), fc.constantFrom(...UNKNOWN_WORDS))
    .map(([command, unknown]) => `${command} ${unknown}`),
);
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.constantFrom<RuleEffect>('deny', 'ask', 'allow'),
    fc.constantFrom(
      ...PATTERNS,
      'Bash',
      'Bash(foo:*)',
      'Bash(git:*)',
      'Bash(cat:*)',
      'Bash(find:*)',
      'Bash(ls *)',
      'Read',
    ),
  )
  .map(([effect, pattern]): Rule => [effect, pattern]);
const policy = fc.array(rule, { maxLength: 6 });

describe('more and fewer rules (G2)', () => {
  test('a deny or ask rule more never weakens a verdict, an allow rule less never does', () => {
    fc.assert(
      fc.property(anyCommand, policy, rule, mode, facts, (command, rules, more, in_, known) => {
        // In auto mode an ask rule takes a call from the classifier, which may block it, to a person.
        fc.pre(in_ !== 'auto');
        const rank = (of: readonly Rule[]) => RANK[judge('Bash', { command }, of, { mode: in_ }, known).verdict];
        const [before, after] = [rank(rules), rank([...rules, more])];
        if (more[0] === 'allow') expect([command, after <= before]).toEqual([command, true]);
        else expect([command, after >= before]).toEqual([command, true]);
      }),
      { numRuns: runs(600) },
    );
  });
});

describe('modes (G4)', () => {
  test('bypass lifts no rule, and plan and dontAsk only strengthen', () => {
    fc.assert(
      fc.property(anyCommand, policy, (command, rules) => {
        const decided = (in_: string) => judge('Bash', { command }, rules, { mode: in_ });
        const [plain, bypass] = [decided('default'), decided('bypass')];
        if (plain.verdict === 'deny' || plain.rule?.effect === 'ask')
          expect([command, bypass.verdict]).toEqual([command, plain.verdict]);
        if (plain.verdict === 'allow') expect([command, bypass.verdict]).toEqual([command, 'allow']);
        for (const in_ of ['plan', 'dontAsk'])
          expect([command, in_, RANK[decided(in_).verdict] >= RANK[plain.verdict]]).toEqual([command, in_, true]);
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('a command joined to another one (G7)', () => {
  const allowed = fc.constantFrom(...ORDINARY.slice(0, -1));

  test('is not allowed where the other one is not, however either is spelt', () => {
    const rules = ALLOWED.filter(([, pattern]) => pattern !== 'Bash');
    const other = fc.nat(1).chain((at) => spelt('evil x', at, EACH_WAY));
    const one = allowed.chain((command) => fc.nat(1).chain((at) => spelt(command, at, EACH_WAY)));
    fc.assert(
      fc.property(one, other, joining, (a, b, join) => {
        const command = join(a, b);
        expect([command, judge('Bash', { command }, rules).verdict]).not.toEqual([command, 'allow']);
      }),
      { numRuns: runs(600) },
    );
  });
});

describe('an option that a prefix rule does not cover', () => {
  /** Commands of programs with a record, and the place of the option. */
  const OPTIONS: readonly (readonly [string, number])[] = [
    ['find . -delete', 2],
    ['find . -exec ./e {} +', 2],
    ['sort -o f x', 1],
    ['sort --compress-program=./e x', 1],
    ['git fetch --upload-pack=./e .', 2],
    ['git log --output=f', 2],
    ['tar tf x.tar --to-command=./e', 3],
    ['rg --pre ./e x', 1],
    ['curl -o f https://a.test', 1],
    ['go test -exec ./e .', 2],
    ['pytest --basetemp=src', 1],
    ['npm test --script-shell=./e', 2],
  ];
  /** Behind a program without a record only the name of an option tells that it executes. */
  const WITHOUT_RECORD = ['foo --exec=./e', 1] as const;
  const rules = rulesOf('allow', [
    ...[...PROGRAMS, 'curl', 'pytest'].map((name) => `Bash(${name}:*)`),
    ...['Bash(npm test:*)', 'Bash(go test:*)'],
  ]);
  const verdict = (command: string) => judge('Bash', { command }, rules).verdict;

  test('is not covered in any spelling', () => {
    const ways: readonly WayName[] = ['withNothing', 'fromValue', 'fromArguments', 'inQuotes', 'inBraces', 'asGlob'];
    fc.assert(
      fc.property(
        fc.constantFrom(...OPTIONS, WITHOUT_RECORD).chain(([command, at]) => spelt(command, at, ways)),
        (command) => {
          expect([command, verdict(command)]).not.toEqual([command, 'allow']);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('may be any word that is not known', () => {
    const commands = OPTIONS.flatMap(([command, at]) =>
      UNKNOWN_WORDS.map((unknown) => command.split(' ').with(at, unknown).join(' ')),
    );
    expect(commands.filter((command) => verdict(command) === 'allow')).toEqual([]);
  });
});

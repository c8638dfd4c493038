/**
 * Checks that unknown parts of a denied command gain no allow (G3, G6, G8, D42).
 *
 * The order of allows gains none, either.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, type Rule, SURE_TO_ALLOW } from '../support.ts';
import { runs } from './arbitraries.ts';

const ALLOWS: readonly Rule[] = [
  'Bash',
  'Bash(foo:*)',
  'Bash(foo a:*)',
  'Bash(cat:*)',
  'Bash(ls:*)',
  'Bash(git:*)',
].map((pattern): Rule => ['allow', pattern]);
const DENIES: readonly Rule[] = [
  ['deny', 'Bash(rm:*)'],
  ['deny', 'Bash(foo deploy:*)'],
  ['deny', 'Bash(git push:*)'],
  ['deny', 'Read(secrets/**)'],
];
const denied = fc.constantFrom(
  'rm y',
  'foo deploy',
  'git push origin',
  'cat .env',
  'cat secrets/key',
  'cat ~/.ssh/id_rsa',
);
const empty = fc.constantFrom('$@', '"$1"', '$E', '$(true)', '""', '$*', '`true`');
const mode = fc.constantFrom('default', 'acceptEdits', 'bypass', 'auto', 'dontAsk');
const facts = { classifier: SURE_TO_ALLOW };

describe('unknown parts', () => {
  test('at any place of a denied command never gain an allow, in any mode', () => {
    fc.assert(
      fc.property(
        denied,
        fc.array(fc.tuple(fc.nat(40), empty), { minLength: 1, maxLength: 3 }),
        mode,
        (text, parts, in_) => {
          let command = text;
          for (const [at, part] of parts) {
            const place = at % (command.length + 1);
            // Within another part the text would be a different one.
            if (/[$"`(]/.test(command.slice(0, place)) && place < command.length) continue;
            // A dollar there would take the next letters for its name.
            const braced = part === '$E' ? `\${E}` : part;
            command = command.slice(0, place) + braced + command.slice(place);
          }
          const { verdict } = judge('Bash', { command }, [...DENIES, ...ALLOWS], { mode: in_ }, facts);
          expect([command, verdict]).not.toEqual([command, 'allow']);
        },
      ),
      { numRuns: runs(800) },
    );
  });
});

describe('allow rules', () => {
  const command = fc.constantFrom(
    'foo a b',
    'ls src',
    'cat x | ls',
    'git log',
    'foo a $x',
    'cat .env',
    'git -C src log',
    'bar',
  );
  test('give the same verdict in any order, and one more takes nothing away', () => {
    fc.assert(
      fc.property(command, fc.shuffledSubarray([...ALLOWS]), fc.constantFrom(...ALLOWS), (text, rules, more) => {
        const verdict = (allows: readonly Rule[]) => judge('Bash', { command: text }, [...DENIES, ...allows]).verdict;
        const found = verdict(rules);
        expect(verdict([...rules].reverse())).toBe(found);
        if (found === 'allow')
          for (const all of [
            [more, ...rules],
            [...rules, more],
          ])
            expect(verdict(all)).toBe('allow');
      }),
      { numRuns: runs(500) },
    );
  });
});

/**
 * Checks that no glob of protected or denied names is allowed (G6).
 *
 * More letters never make a glob weaker.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProtectedPathChecker } from '../../../../shared/permissions/index.ts';
import { DEFAULT_PROTECTED, WRITE_PROTECTED } from '../../../../shared/permissions/protected/protected-names.ts';
import { judge, type Rule } from '../support.ts';
import { runs } from './arbitraries.ts';

const RULES: readonly Rule[] = [
  ['allow', 'Bash'],
  ['allow', 'Grep'],
  ['allow', 'Glob'],
];
const NAMES = DEFAULT_PROTECTED.filter(
  // The others may be read.
  (name) => !WRITE_PROTECTED.includes(name) && !name.includes('*') && !name.includes('/'),
);
const RANK = { allow: 0, ask: 1, deny: 2, error: 3 } as const;

/** `fnmatch` with a literal leading dot, written for this test: backtracking, over short names. */
function matches(glob: string, name: string, at = 0, from = 0): boolean {
  const char = glob[at];
  if (char === undefined) return from === name.length;
  if (name[from] === '.' && from === 0 && char !== '.') return false;
  if (char === '*') {
    for (let end = from; end <= name.length; end++) if (matches(glob, name, at + 1, end)) return true;
    return false;
  }
  return from < name.length && (char === '?' || char === name[from]) && matches(glob, name, at + 1, from + 1);
}

/** Each character of the name as it is, or as a wildcard. */
function globOf(name: string, shown: readonly boolean[], wildcard: '*' | '?'): string {
  let glob = '';
  [...name].forEach((char, at) => {
    if (shown[at] === true) glob += char;
    else if (wildcard === '?' || !glob.endsWith('*')) glob += wildcard;
  });
  return glob;
}

/** A letter that is not one of an extension, or the leading dot. */
function saysSomething(name: string, shown: readonly boolean[]): boolean {
  const dot = name.indexOf('.', 1);
  return [...name].some((char, at) => {
    if (shown[at] !== true || (dot > 0 && at >= dot)) return false;
    return at === 0 ? true : char !== '.' && char !== '_' && char !== '-';
  });
}

interface Shown {
  readonly name: string;
  readonly shown: readonly boolean[];
  readonly more: readonly boolean[];
  readonly wildcard: '*' | '?';
}

const ofName = (name: string): fc.Arbitrary<Shown> => {
  const bits = fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length });
  return fc
    .record({ shown: bits, more: bits, wildcard: fc.constantFrom<'*' | '?'>('*', '?') })
    .map(({ shown, more, wildcard }) => ({
      name,
      shown,
      more: more.map((bit, at) => bit || shown[at] === true),
      wildcard,
    }));
};

const protectedGlob = fc.constantFrom(...NAMES).chain(ofName);
const folder = fc.constantFrom('', './', 'src/', '/workspace/app/', '../', '~/');

describe('a glob that matches', () => {
  test('a protected name under the rules of a shell is never allowed, in any mode', () => {
    fc.assert(
      fc.property(protectedGlob, folder, fc.constantFrom('default', 'acceptEdits', 'bypass'), (given, before, mode) => {
        const glob = globOf(given.name, given.shown, given.wildcard);
        if (!saysSomething(given.name, given.shown) || !matches(glob, given.name)) return;
        const command = `cat ${before}${glob}`;
        expect([command, judge('Bash', { command }, RULES, { mode }).verdict]).not.toEqual([command, 'allow']);
      }),
      { numRuns: runs(1500) },
    );
  });

  test('one under the rules of a search tool is never allowed, whatever stands for its dot', () => {
    fc.assert(
      fc.property(protectedGlob, ({ name, shown, wildcard }) => {
        const glob = globOf(name, shown, wildcard);
        if (!saysSomething(name, [false, ...shown.slice(1)]) && shown[0] !== true) return;
        if (name.startsWith('.') && shown[0] === true && !saysSomething(name, shown)) return;
        for (const verdict of [
          judge('Grep', { pattern: 'x', glob }, RULES).verdict,
          judge('Glob', { pattern: `**/${glob}` }, RULES).verdict,
        ])
          expect([glob, verdict]).not.toEqual([glob, 'allow']);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('a folder that a rule denies is never allowed, and is denied where three letters say it', () => {
    const name = fc.stringMatching(/^[b-hj-z]{3,8}$/);
    fc.assert(
      fc.property(name.chain(ofName), fc.constantFrom('', './', 'src/', '/workspace/app/'), (given, before) => {
        const glob = globOf(given.name, given.shown, given.wildcard);
        const letters = given.shown.filter(Boolean).length;
        if (letters === 0) return;
        const rules: readonly Rule[] = [...RULES, ['deny', `Read(${given.name}/**)`]];
        const { verdict } = judge('Bash', { command: `cat ${before}${glob}/x` }, rules);
        expect([glob, verdict]).toEqual([glob, letters >= 3 ? 'deny' : 'ask']);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('more letters of the name', () => {
  // Names one by one: a letter more may well rule another name out.
  const rank = (glob: string, names: readonly string[], rules: readonly Rule[]) =>
    RANK[
      judge('Bash', { command: `cat ${glob}` }, [...RULES, ...rules], {
        protected: new ProtectedPathChecker({ names }),
      }).verdict
    ];

  test('never make a glob weaker', () => {
    fc.assert(
      fc.property(protectedGlob, ({ name, shown, more, wildcard }) => {
        const [few, many] = [globOf(name, shown, wildcard), globOf(name, more, wildcard)];
        expect([few, many, rank(many, [name], []) >= rank(few, [name], [])]).toEqual([few, many, true]);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('nor for a rule on paths', () => {
    const rules: readonly Rule[] = [
      ['deny', 'Read(vault/keys.txt)'],
      ['deny', 'Read(/etc-b/**)'],
    ];
    fc.assert(
      fc.property(fc.constantFrom('vault/keys.txt', 'etc-b/x').chain(ofName), ({ name, shown, more, wildcard }) => {
        const whole = (bits: readonly boolean[]) => bits.map((bit, at) => bit || name[at] === '/');
        const [few, many] = [globOf(name, whole(shown), wildcard), globOf(name, whole(more), wildcard)];
        expect([few, many, rank(many, [], rules) >= rank(few, [], rules)]).toEqual([few, many, true]);
      }),
      { numRuns: runs(1000) },
    );
  });
});

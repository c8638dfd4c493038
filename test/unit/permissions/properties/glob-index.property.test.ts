/** Checks that the index of path rules finds for a glob what a comparison with each rule finds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchPattern } from '../../../../shared/permissions/paths/glob-match.ts';
import { globPaths } from '../../../../shared/permissions/paths/glob-path.ts';
import { globSegments } from '../../../../shared/permissions/paths/glob-word.ts';
import type { PathContext } from '../../../../shared/permissions/paths/normalise.ts';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import type { CompiledRule } from '../../../../shared/permissions/rules/compiled-rule.ts';
import { tools } from '../support.ts';

const CONTEXT: PathContext = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };

const name = fc.constantFrom(
  ...['a', 'b', 'ab', 'abc', 'src', '.env', '.a', 'a.ts', 'b.ts', 'app', 'workspace', '*', '*.ts', 'a*', '?', '**'],
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '/', '//', '~/', '//workspace/', '../'),
    fc.array(name, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '/', '/**'),
  )
  .map(([start, names, end]) => `Read(${start}${names.join('/')}${end})`);
const word = fc.constantFrom(
  ...['a', 'src', '.env', 'b.ts', '*', '**', '*.ts', 'a*', '*a*', '?*', '.*', '.e*', '[ab]', '[ab]*', '*c', '?', '..'],
);
const glob = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('/'));

/** Every pattern with many names in one of its segments, so that rules stand in families. */
const family = fc
  .tuple(pattern, fc.array(fc.constantFrom('k', 'kk', '.k', 'k.ts', 'a1', 'a2', 'a3', 'a4', 'a5'), { maxLength: 9 }))
  .map(([text, keys]) => [text, ...keys.map((key) => text.replace(/[a-z]+(?=[/)])/, key))]);

function rulesOf(patterns: readonly string[]): readonly CompiledRule[] {
  const inputs = patterns.map((text) => ({ effect: 'deny', pattern: text, source: 'project' }) as const);
  return compileRules(inputs, { tools }).policy.rules;
}

describe('the index of path rules', () => {
  test('finds for a glob what a comparison with each rule finds', () => {
    fc.assert(
      fc.property(fc.array(family, { minLength: 1, maxLength: 8 }), glob, (families, text) => {
        const rules = rulesOf(families.flat());
        const { policy } = compileRules(
          rules.map(({ input }) => input),
          { tools },
        );
        const bucket = policy.index.deny.paths.get('family:read');
        if (bucket === undefined) return;
        for (const { path, glob: tokens } of globSegments(text)) {
          if (tokens === undefined) continue;
          for (const each of globPaths(path, tokens, CONTEXT)) {
            const matchOf = ({ parsed }: CompiledRule) =>
              parsed.kind === 'path' ? matchPattern(parsed.path, each, CONTEXT) : undefined;
            const wanted = policy.rules.filter((rule) => matchOf(rule) !== undefined);
            const found = [...bucket.globs.matches(each, CONTEXT)];
            expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(wanted));
            expect(found.length).toBe(wanted.length);
            for (const { rule, match } of found) expect(match).toBe(matchOf(rule));
            const certain = [...bucket.globs.certain(each, CONTEXT)];
            expect(new Set(certain)).toEqual(new Set(wanted.filter((rule) => matchOf(rule) === 'certain')));
          }
        }
      }),
      { numRuns: 600 },
    );
  });
});

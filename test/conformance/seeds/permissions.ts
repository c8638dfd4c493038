/**
 * Decides the cases of the permissions (seed 4) through their public face.
 *
 * One small interpreter per feature.
 */
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { type Interpreted, type Interpreter, judge, type SeedCase } from './judge.ts';
import { mismatches } from './matching.ts';
import { audit } from './permissions-audit.ts';
import { cache, classifier, pattern, protectedPaths, risk, rules } from './permissions-parts.ts';
import { provider } from './permissions-providers.ts';
import { cachedChecks, denial, hooks, needAppeal, pipeline } from './permissions-service.ts';
import { Uninterpretable } from './uninterpretable.ts';

export const FEATURES: Readonly<Record<string, Interpreter>> = {
  pipeline,
  pattern,
  rules,
  cache: (given) => ('checks' in given ? cachedChecks(given) : cache(given)),
  denial,
  protected: protectedPaths,
  classifier,
  audit,
  hooks,
  need_appeal: needAppeal,
  provider,
  risk,
};

/** `{Rejected: r}` is exactly that reason; a bare variant any. */
function withVariants(expect: Fields): Fields {
  const { response, ...others } = expect;
  if (!isFields(response)) return expect;
  const [[kind, reason] = [], ...more] = Object.entries(response);
  if (more.length > 0) throw new Uninterpretable(`response ${JSON.stringify(response)}`);
  if (kind === 'Text') return { ...others, response: kind, text: reason };
  return { ...others, response: kind, rejected: reason };
}

/** `fields`/`has` look at the entry; `entry_excludes` at its text; `source_not` at every stored rule. */
function problems(expect: Fields, got: Fields): string[] {
  const { source_not: sourceNot, ...others } = withVariants(expect);
  const found = mismatches(others, got);
  if (sourceNot !== undefined) {
    const sources: readonly unknown[] = Array.isArray(got['source']) ? got['source'] : [got['source']];
    const refused: readonly unknown[] = [whole(sourceNot)].flat();
    if (sources.some((source) => refused.includes(source)))
      found.push(`source_not: a stored rule has ${JSON.stringify(sourceNot)}`);
  }
  return found;
}

export const interpretPermissions = (one: SeedCase): Promise<Interpreted> => judge(one, FEATURES, problems);

/**
 * Decides the cases of seed 4 through the public face of the permission room.
 *
 * One small interpreter per feature.
 */
import { type Fields, mismatches } from './matching.ts';
import { cache, classifier, pattern, protectedPaths, provider, risk, rules } from './seed-4-parts.ts';
import { audit, cachedChecks, denial, hooks, needAppeal, pipeline } from './seed-4-service.ts';
import { isFields, Uninterpretable } from './seed-4-world.ts';

export interface SeedCase {
  readonly id: string;
  readonly seed: number;
  readonly feature: string;
  readonly given: Fields;
  readonly expect: Fields;
}

export interface Interpreted {
  readonly passed: boolean;
  readonly expected: unknown;
  readonly got: unknown;
}

type Interpreter = (given: Fields) => Fields | Promise<Fields>;

export const SEED_4: Readonly<Record<string, Interpreter>> = {
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
  const [kind, reason] = Object.entries(response)[0] ?? [];
  if (kind === 'Text') return { ...others, response: kind, text: reason };
  return { ...others, response: kind, rejected: reason };
}

/** `fields`/`has` look at the entry; `entry_excludes` at its text; `source_not` at every stored rule. */
function problems(expect: Fields, got: Fields): string[] {
  const { source_not: sourceNot, ...others } = withVariants(expect);
  const found = mismatches(others, got);
  if (sourceNot !== undefined) {
    const sources: readonly unknown[] = Array.isArray(got['source']) ? got['source'] : [got['source']];
    const refused: readonly unknown[] = Array.isArray(sourceNot) ? sourceNot : [sourceNot];
    if (sources.some((source) => refused.includes(source)))
      found.push(`source_not: a stored rule has ${JSON.stringify(sourceNot)}`);
  }
  return found;
}

/** A case that cannot be interpreted has failed. */
export async function interpretSeed4({ feature, given, expect }: SeedCase): Promise<Interpreted> {
  const interpret = Object.hasOwn(SEED_4, feature) ? SEED_4[feature] : undefined;
  try {
    if (interpret === undefined) throw new Uninterpretable(`feature ${feature}`);
    const got = await interpret(given);
    const wrong = problems(expect, got);
    return {
      passed: wrong.length === 0,
      expected: expect,
      got: wrong.length === 0 ? got : { ...got, problems: wrong },
    };
  } catch (error) {
    return { passed: false, expected: expect, got: { error: String(error) } };
  }
}

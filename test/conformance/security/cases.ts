/** Declares the shape of a security case, and how its verdict is compared (README of the cases). */
import type { Fields } from '../fields.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';

export type Verdict = 'allow' | 'ask' | 'deny' | 'error';

export interface SecurityCase {
  readonly id: string;
  readonly area: string;
  readonly kind: 'attack' | 'control' | 'property';
  readonly match: 'exact' | 'at-least';
  readonly given: Fields;
  readonly expect: Verdict;
  readonly why?: string;
  readonly assert?: readonly string[];
}

export interface Outcome {
  readonly passed: boolean;
  readonly expected: string;
  readonly got: string;
}

const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2, error: 3 };

/** `exact` is equal, `at-least` that rank or above. */
export function compare(one: Pick<SecurityCase, 'match' | 'expect'>, verdict: Verdict): boolean {
  if (!Object.hasOwn(RANK, one.expect) || (one.match !== 'exact' && one.match !== 'at-least')) {
    throw new Uninterpretable(`${one.match} ${one.expect}`);
  }
  return one.match === 'exact' ? verdict === one.expect : RANK[verdict] >= RANK[one.expect];
}

/** The stronger of two verdicts (D1). */
export function stronger(a: Verdict, b: Verdict): Verdict {
  return RANK[a] >= RANK[b] ? a : b;
}

/** README of the cases: what the harness expands. */
const EXPANDED: Readonly<Record<string, (given: Fields) => Fields>> = {
  'I-010': (given) => ({ ...given, rawInput: `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}` }),
};

export function expanded(one: SecurityCase): Fields {
  return EXPANDED[one.id]?.(one.given) ?? one.given;
}

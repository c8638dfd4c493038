/** Finds what no row can hold in arguments that take the place of the proposed ones. */
import { isTiny, MIN_STORABLE } from './storable-number.ts';

/** DynamoDB takes 32 levels in an item, and the approval and the journal hold an edit at the fifth. */
const MAX_LEVELS = 24;

/** Why a row cannot hold the arguments. An agent's own are stored as text; others in their place stand within a vote and a decision. */
export function unstorableIn(value: unknown, level = 1): string | undefined {
  if (isTiny(value)) return `must hold no number nearer to 0 than ${MIN_STORABLE}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > MAX_LEVELS) return `must be nested at most ${MAX_LEVELS} levels deep`;
  if (Object.hasOwn(value, '')) return 'must give each argument a name';
  for (const inner of Object.values(value)) {
    const problem = unstorableIn(inner, level + 1);
    if (problem) return problem;
  }
  return undefined;
}

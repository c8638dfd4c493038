/** Reads how often something outside may be asked: one number, or one per agent and one in all. */
import * as z from 'zod';
import { section } from './common-fields.ts';
import type { PolicyProblem } from './problems.ts';

/** How often something may be asked: for each agent, and in all. */
export interface Bound {
  readonly perAgent: number;
  readonly inAll: number;
}

export const bound = (amount: z.ZodNumber) =>
  z
    .union([
      amount,
      section({ perAgent: amount.describe('Of one agent.'), inAll: amount.describe('Of all agents together.') }),
    ])
    .transform((value): Bound => (typeof value === 'number' ? { perAgent: value, inAll: value } : value));

export const calls = z.int().min(0).max(10_000_000);
export const dollars = z.number().nonnegative().max(10_000);

/** Refuses a bound that lets one agent do more than all together: it would be one in name only. */
export const boundProblems = (bound: Bound | undefined, path: PolicyProblem['path']): PolicyProblem[] =>
  bound && bound.perAgent > bound.inAll
    ? [{ path, message: 'perAgent is more than inAll, so that it has no effect' }]
    : [];

/** Declares the observations of a case that its assertions examine. */
import type { Fields } from '../fields.ts';
import type { Verdict } from './cases.ts';
import type { CaseModel } from './classify.ts';

export interface Observed {
  readonly verdict: Verdict;
  readonly model?: CaseModel | undefined;
  readonly milliseconds: number;
  readonly problems: readonly string[];
  readonly given: Fields;
  readonly why: string;
}

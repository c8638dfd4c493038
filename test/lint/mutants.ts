/** Finds mutants of the simulator whose text no longer stands once in its source. */
import type { Mutant } from '../simulation/mutants/mutant.ts';

/** A mutant that cannot be put in fails a whole run of the tests, minutes after the change that moved its text. */
export const mutantProblems = (mutants: readonly Mutant[], texts: ReadonlyMap<string, string>): string[] =>
  mutants.flatMap(({ name, file, find, also = [] }) =>
    [find, ...also.map((other) => other.find)].flatMap((text) => {
      const count = (texts.get(file) ?? '').split(text).length - 1;
      return count === 1 ? [] : [`${file}: the mutant "${name}" finds its text ${count} times: ${text}`];
    }),
  );

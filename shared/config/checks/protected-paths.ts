/** Finds patterns of protectedPaths that nobody can read, and removals that remove nothing. */
import { orNearest } from '../../domain/text/nearest.ts';
import { PathPatternError } from '../../permissions/paths/pattern.ts';
import { ProtectedPathChecker } from '../../permissions/protected/protected-paths.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

export function protectedPathProblems({ protectedPaths: { enabled, add, remove } }: PolicyFile): PolicyProblem[] {
  // A pattern that is added is meant to be protected, and nothing would be.
  if (!enabled && add.length) {
    const message = 'protects nothing while enabled is false; list under remove what is not to be protected';
    return [{ path: ['protectedPaths', 'add'], message }];
  }
  const builtIn = new ProtectedPathChecker();
  return [
    ...add.flatMap((pattern, index) => {
      const message = problemOfPattern(builtIn, pattern);
      return message === undefined ? [] : [{ path: ['protectedPaths', 'add', index], message }];
    }),
    ...remove.flatMap((pattern, index) => {
      const isKnown = builtIn.withoutPatterns([pattern]).patterns.length < builtIn.patterns.length;
      const message = `${pattern} is no built-in pattern${orNearest(pattern, builtIn.patterns)}`;
      return isKnown ? [] : [{ path: ['protectedPaths', 'remove', index], message }];
    }),
  ];
}

function problemOfPattern(checker: ProtectedPathChecker, pattern: string): string | undefined {
  try {
    checker.withPattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PathPatternError) return error.message;
    throw error;
  }
}

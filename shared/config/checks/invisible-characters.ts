/** Refuses patterns with characters that nobody sees, which only look as if they matched. */
import { unseenIn, withoutUnseen } from '../../domain/text/invisible-characters.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

type Path = readonly (string | number)[];

export function unseenProblems({ rules, classifier, protectedPaths, redaction }: PolicyFile): PolicyProblem[] {
  const patterns = [
    ...(['deny', 'ask', 'allow'] as const).flatMap((effect) =>
      rules[effect].map((rule, index): [Path, string] =>
        typeof rule === 'string'
          ? [['rules', effect, index], rule]
          : [['rules', effect, index, 'rule'], rule.rule ?? ''],
      ),
    ),
    ...(['allow', 'deny'] as const).flatMap((effect) => listed(['classifier', effect], classifier?.[effect])),
    ...listed(['protectedPaths', 'add'], protectedPaths.add),
    ...listed(['redaction', 'names'], redaction.names),
    ...redaction.patterns.map(({ pattern }, index): [Path, string] => [
      ['redaction', 'patterns', index, 'pattern'],
      pattern,
    ]),
  ];
  return patterns.flatMap(([path, pattern]) => {
    const unseen = unseenIn(pattern);
    return unseen === undefined
      ? []
      : [{ path, message: `holds ${unseen}, which nobody sees; did you mean ${withoutUnseen(pattern)}?` }];
  });
}

const listed = (path: Path, patterns: readonly string[] = []): [Path, string][] =>
  patterns.map((pattern, index) => [[...path, index], pattern]);

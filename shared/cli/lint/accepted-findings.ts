/** Takes out findings that the file accepts by name, and reports unused entries. */
import type { IgnoredFinding } from '../../config/schema/lint.ts';
import type { TextPositions } from '../../config/text-positions.ts';
import { type LintFinding, orNearestCode } from './finding.ts';

export interface Reported {
  readonly findings: readonly LintFinding[];
  /** How many were accepted. */
  readonly accepted: number;
}

export function withoutAccepted(findings: readonly LintFinding[], entries: readonly IgnoredFinding[]): Reported {
  const reported = findings.filter((finding) => !entries.some((entry) => accepts(entry, finding)));
  return { findings: reported, accepted: findings.length - reported.length };
}

/** An entry outlives what it was written for, and would hide the next finding of its name. */
export function unusedEntries(
  findings: readonly LintFinding[],
  entries: readonly IgnoredFinding[],
  { file, positions }: { readonly file: string; readonly positions: TextPositions },
): LintFinding[] {
  return entries.flatMap((entry, index) => {
    if (findings.some((finding) => accepts(entry, finding))) return [];
    const { code, where } = entry;
    const about = where === undefined ? code : `${code} of ${where}`;
    return {
      level: 'warning' as const,
      code: 'unused_ignore',
      where: `lint.ignore[${index}]`,
      message: `${about} is not found${orNearestCode(code)}`,
      location: { file, ...positions.value(['lint', 'ignore', index]) },
    };
  });
}

const accepts = ({ code, where }: IgnoredFinding, finding: LintFinding): boolean =>
  finding.code === code && (where === undefined || finding.where === where);

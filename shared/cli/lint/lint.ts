/** Finds what loads in a policy file and yet does not do what it seems to. */
import { compilePolicy } from '../../config/compile.ts';
import type { PolicyDocument } from '../../config/document.ts';
import { ruleInputs } from '../../config/rules.ts';
import type { TextPositions } from '../../config/text-positions.ts';
import type { RuleInput } from '../../permissions/model/types.ts';
import { checkRules } from '../../permissions/rules/check-rules.ts';
import type { RuleProblem } from '../../permissions/rules/compile.ts';
import type { ShellParser } from '../../permissions/shell/syntax/shell-parser.ts';
import { type Reported, unusedEntries, withoutAccepted } from './accepted-findings.ts';
import { modesWithoutEffect } from './agent-modes.ts';
import { unanswerable } from './answerable.ts';
import type { LintFinding } from './finding.ts';
import { hookedTools } from './hooked-tools.ts';
import { ownParents } from './own-parents.ts';
import { ownWords } from './own-words.ts';
import { pastDelegations, sameNames } from './people.ts';
import { ruleFindings } from './rule-findings.ts';
import { stoppedTaskTools } from './task-agent.ts';
import { unaffordable, unasked, understated } from './tools-and-budgets.ts';
import { type Ground, groundOf } from './try-rules.ts';

/** A policy file, and where its keys stand in its text. */
export interface ReadPolicy {
  readonly document: PolicyDocument;
  readonly positions: TextPositions;
}

interface About extends Pick<LintFinding, 'code' | 'where' | 'message' | 'suggestion'> {
  readonly rule?: RuleInput | undefined;
  readonly path?: readonly (string | number)[] | undefined;
}

/** Everything that may be wrong at `now` with a file that loads, but for what the file accepts; in the order of the file. */
export function lint({ document, positions }: ReadPolicy, shell: ShellParser, now: number): Reported {
  const policy = compilePolicy(document);
  const inputs = ruleInputs(document);
  const { policy: compiled, problems } = checkRules(inputs, policy);
  const rules = compiled.rules.map(({ input: rule, parsed }) => ({ rule, parsed }));
  const ground = groundOf(policy, shell);
  const reported = new Set(problems.flatMap(({ index }) => inputs[index] ?? []));
  const { file } = document;
  const abouts: About[] = [
    ...ruleFindings(rules, reported, ground).map((one) => ({ ...one, where: one.rule.pattern })),
    ...unanswerable(inputs, ground),
    ...stoppedTaskTools(inputs, ground),
    ...hookedTools(document, policy.tools),
    ...unasked(document, rules),
    ...unaffordable(document),
    ...understated(document),
    ...modesWithoutEffect(document),
    ...ownParents(document),
    ...sameNames(document),
    ...pastDelegations(document, now),
  ];
  const found: LintFinding[] = [
    ...findingsOf(problems, file),
    ...classifierFindings({ document, positions }, ground),
    ...located(abouts, { file, positions }),
  ];
  const entries = document.policy.lint?.ignore ?? [];
  const { findings, accepted } = withoutAccepted(found, entries);
  return {
    findings: [...findings, ...unusedEntries(found, entries, { file, positions })].toSorted(byLocation),
    accepted,
  };
}

/** The classifier's own patterns are read as rules are, and nobody else looks at them. */
function classifierFindings({ document, positions }: ReadPolicy, ground: Ground): LintFinding[] {
  const { file, policy } = document;
  const inputs = (['allow', 'deny'] as const).flatMap((effect) =>
    (policy.classifier?.[effect] ?? []).map((pattern, index): RuleInput => {
      const location = positions.value(['classifier', effect, index]);
      return { effect, pattern, source: 'managed', origin: { file, ...location } };
    }),
  );
  const { policy: compiled, problems } = checkRules(inputs, ground.policy);
  const words = compiled.rules.flatMap(({ input, parsed, order }) => {
    if (problems.some(({ index }) => index === order)) return [];
    const own = ownWords({ rule: input, parsed }, ground);
    const about = { level: 'warning' as const, where: input.pattern, location: input.origin ?? { file } };
    return own ? [{ ...about, ...own }] : [];
  });
  return [...findingsOf(problems, file), ...words];
}

/** The warnings that `policy check` counts, without those that the file accepts: the compiler's, and questions that nobody could answer. */
export function checkWarnings({ document, positions }: ReadPolicy, shell: ShellParser): readonly LintFinding[] {
  const { file } = document;
  const policy = compilePolicy(document);
  const inputs = ruleInputs(document);
  const unanswered = unanswerable(inputs, groundOf(policy, shell)).filter(({ code }) => code !== 'no_edits');
  const found = [...findingsOf(checkRules(inputs, policy).problems, file), ...located(unanswered, { file, positions })];
  return withoutAccepted(found, document.policy.lint?.ignore ?? []).findings.toSorted(byLocation);
}

const located = (
  abouts: readonly About[],
  { file, positions }: { readonly file: string; readonly positions: TextPositions },
): LintFinding[] =>
  abouts.map(({ rule, path, ...about }) => ({
    level: 'warning',
    ...about,
    location: rule?.origin ?? { file, ...(path ? positions.value(path) : locationOfKey(about.where, positions)) },
  }));

const findingsOf = (problems: readonly RuleProblem[], file: string): LintFinding[] =>
  problems.map(({ level, code, message, pattern, suggestion, origin }) => ({
    level,
    code,
    where: pattern,
    message,
    suggestion,
    location: origin ?? { file },
  }));

/** `tools.mcp__pay.send` may hold dots: what follows the first is one key. */
function locationOfKey(where: string, positions: TextPositions) {
  const dot = where.indexOf('.');
  return positions.key(dot < 0 ? [where] : [where.slice(0, dot), where.slice(dot + 1)]);
}

const byLocation = (a: LintFinding, b: LintFinding): number =>
  (a.location.line ?? 0) - (b.location.line ?? 0) || (a.location.column ?? 0) - (b.location.column ?? 0);

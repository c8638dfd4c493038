/**
 * Compiles rules into an index, so that a decision does not read all of them.
 * Candidates are found by effect, tool, first command word, path segment and host. A malformed rule refuses the whole set. `checkRules` also
 * reports rules that can never match or grant nothing.
 */
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { nearestSpelling } from '../../domain/text/nearest.ts';
import { isRuleSource, RULE_SOURCES, sourcePriority } from '../model/sources.ts';
import type { ToolRegistry } from '../model/tools.ts';
import type { RuleEffect, RuleInput, RuleRef } from '../model/types.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { allowGrantsNothing } from './grants-nothing.ts';
import { RuleIndex } from './index-rules.ts';
import { type ParsedPattern, parsePattern, RulePatternError } from './parse.ts';
import type { FindWarnings } from './rule-warnings.ts';

/** A problem of a rule. */
export interface RuleProblem {
  /** `error` refuses the set; `warning` is reported. */
  readonly level: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  /** Position of the rule in the list that was given. */
  readonly index: number;
  readonly pattern: string;
  readonly origin?: RuleInput['origin'];
  /** The nearest valid spelling. */
  readonly suggestion?: string | undefined;
}

export interface CompiledPolicy {
  readonly index: RuleIndex;
  readonly rules: readonly CompiledRule[];
  /** SHA-256 over the rules' digests, whatever their order. */
  readonly digest: string;
  /** Set when a rule was malformed: every call is then `error`. */
  readonly refused?: readonly RuleProblem[] | undefined;
}

export interface CompileOptions {
  /** Lets the compiler read specifiers of listed tools, and report names that no tool has. */
  readonly tools?: ToolRegistry | undefined;
  /** Finds warnings, for those who report them: a decision needs none. */
  readonly warningsOf?: FindWarnings | undefined;
}

export interface CompileResult {
  readonly policy: CompiledPolicy;
  readonly problems: readonly RuleProblem[];
}

const EFFECTS: readonly RuleEffect[] = ['deny', 'ask', 'allow'];

/** Digest of a rule: covers every field that changes its effect, and not its location in the file. */
function ruleDigest(rule: RuleInput): string {
  const { effect, pattern, source, severity, matcher, suggestions, expiresAt } = rule;
  const covered = { effect, pattern, source, severity, matcher, suggestions, expiresAt };
  return sha256Hex(canonicalJson(JSON.parse(JSON.stringify(covered))));
}

function parsedOf(rule: RuleInput, tools: ToolRegistry | undefined): ParsedPattern {
  const matcher = rule.matcher;
  if (matcher === undefined || matcher.kind === 'pattern') return parsePattern(rule.pattern, tools);
  switch (matcher.kind) {
    case 'all':
      return { kind: 'every' };
    case 'tool':
      return { kind: 'tool', tool: matcher.name, wild: false };
    case 'permission':
      return { kind: 'tool', tool: '*', wild: true };
    case 'preset':
      if (rule.effect !== 'allow') throw new RulePatternError('preset_effect', 'a preset is a set of allow rules');
      return { kind: 'preset', preset: matcher.name, tool: '' };
    default:
      throw new RulePatternError('unknown_matcher', 'the matcher is unknown');
  }
}

function checkWords(rule: RuleInput): RulePatternError | undefined {
  if (!EFFECTS.includes(rule.effect)) {
    return new RulePatternError(
      'unknown_effect',
      `the effect is one of ${EFFECTS.join(', ')}`,
      nearestSpelling(String(rule.effect), EFFECTS),
    );
  }
  if (!isRuleSource(rule.source)) {
    return new RulePatternError(
      'unknown_source',
      `the source is one of ${RULE_SOURCES.join(', ')}`,
      nearestSpelling(String(rule.source), RULE_SOURCES),
    );
  }
  if (typeof rule.pattern !== 'string') return new RulePatternError('not_a_text', 'the pattern is not a text');
  return undefined;
}

/** Compiles a whole set. The policy of a set with errors refuses every call. */
export function compileRules(rules: readonly RuleInput[], options: CompileOptions = {}): CompileResult {
  const problems: RuleProblem[] = [];
  const compiled: CompiledRule[] = [];
  const counters = new Map<string, number>();
  rules.forEach((rule, index) => {
    const report = (level: RuleProblem['level'], code: string, message: string, suggestion?: string) => {
      const pattern = typeof rule?.pattern === 'string' ? rule.pattern : '';
      problems.push({ level, code, message, index, pattern, origin: rule?.origin, suggestion });
    };
    try {
      const wrong = checkWords(rule);
      if (wrong !== undefined) throw wrong;
      const parsed = parsedOf(rule, options.tools);
      const number = (counters.get(rule.source) ?? 0) + 1;
      counters.set(rule.source, number);
      for (const { code, message, suggestion } of options.warningsOf?.(rule, parsed, options.tools) ?? [])
        report('warning', code, message, suggestion);
      const ref: RuleRef = {
        id: `${rule.source}:${number}`,
        effect: rule.effect,
        pattern: rule.pattern,
        source: rule.source,
        description: rule.description,
        origin: rule.origin,
        digest: ruleDigest(rule),
      };
      compiled.push({ ref, input: rule, parsed, priority: sourcePriority(rule.source), order: index });
    } catch (error) {
      if (!(error instanceof RulePatternError)) {
        report('error', 'unreadable', 'the rule cannot be read');
        return;
      }
      report('error', error.code, error.message, error.suggestion);
    }
  });
  const errors = problems.filter((problem) => problem.level === 'error');
  const policy: CompiledPolicy = {
    index: new RuleIndex(compiled.filter((rule) => rule.ref.effect !== 'allow' || grants(rule, options.tools))),
    rules: compiled,
    digest: sha256Hex(canonicalJson(compiled.map((rule) => rule.ref.digest).sort())),
    refused: errors.length > 0 ? errors : undefined,
  };
  return { policy, problems };
}

function grants(rule: CompiledRule, tools: ToolRegistry | undefined): boolean {
  return rule.input.matcher?.kind === 'permission' || allowGrantsNothing(rule.parsed, tools) === undefined;
}

/** No rules at all. */
export const EMPTY_POLICY: CompiledPolicy = compileRules([]).policy;

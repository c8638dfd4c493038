/** Holds the rules of a service or session, and updates them. */
import { listOf } from '../../domain/settings.ts';
import { nearestSpelling } from '../../domain/text/nearest.ts';
import { rule as ruleEntry } from '../model/entry-checks.ts';
import { MODES, parseMode } from '../model/modes.ts';
import { RULE_SOURCES, ruleSourceOf } from '../model/sources.ts';
import type { ToolRegistry } from '../model/tools.ts';
import type { RuleInput, RuleSource } from '../model/types.ts';
import { checkRules } from './check-rules.ts';
import type { CompiledPolicy, RuleProblem } from './compile.ts';
import {
  checkChange,
  checkUpdate,
  effectOf,
  type RuleAuthor,
  type RuleUpdate,
  RuleUpdateError,
  type RuleUpdateResult,
} from './rule-update.ts';

/** The rules of one service, changed as a whole or not at all. */
export class RuleRegistry {
  readonly #tools: ToolRegistry | undefined;
  #rules: readonly RuleInput[];
  #compiled: CompiledPolicy | undefined;
  #problems: readonly RuleProblem[] = [];

  constructor(rules?: readonly RuleInput[]);
  /** @internal */
  constructor(rules?: readonly RuleInput[], tools?: ToolRegistry);
  constructor(rules: readonly RuleInput[] = [], tools?: ToolRegistry) {
    listOf(ruleEntry)(rules, 'rules');
    this.#rules = rules;
    this.#tools = tools;
  }

  get rules(): readonly RuleInput[] {
    return this.#rules;
  }

  get problems(): readonly RuleProblem[] {
    this.compiled();
    return this.#problems;
  }

  /** @internal Compiled when it is next needed. */
  compiled(): CompiledPolicy {
    if (this.#compiled === undefined) {
      const { policy, problems } = checkRules(this.#rules, { tools: this.#tools });
      this.#compiled = policy;
      this.#problems = problems;
    }
    return this.#compiled;
  }

  /** Adds a rule that is already checked; a malformed one throws and changes nothing. */
  add(rule: RuleInput): void {
    checkChange(ruleEntry, rule, 'rule');
    const { problems } = checkRules([rule], { tools: this.#tools });
    const wrong = problems.find((problem) => problem.level === 'error');
    if (wrong !== undefined) throw new RuleUpdateError(wrong.code, wrong.message, wrong.suggestion);
    this.#replace([...this.#rules, rule]);
  }

  #replace(rules: readonly RuleInput[]): void {
    this.#rules = rules;
    this.#compiled = undefined;
  }

  #source(name: string, author: RuleAuthor): RuleSource | undefined {
    const source = ruleSourceOf(name);
    return source === undefined || (author === 'user' && source === 'managed') ? undefined : source;
  }

  /** Applies one update; the mode is given back, the caller holds it. Throws `RuleUpdateError`. */
  apply(update: RuleUpdate, author: RuleAuthor = 'user'): RuleUpdateResult {
    checkUpdate(update);
    if ('AddRule' in update) {
      const { matcher, behavior, source: name, description, reason, suggestions } = update.AddRule;
      const effect = effectOf(String(behavior));
      const source = this.#source(String(name), author);
      if (source === undefined) {
        return {
          kind: 'dropped',
          why:
            ruleSourceOf(String(name)) === 'managed'
              ? 'only the deployment holds managed rules'
              : `the source is one of ${RULE_SOURCES.join(', ')}`,
        };
      }
      const rule: RuleInput = { effect, pattern: matcher, source, description, reason, suggestions };
      this.add(rule);
      return { kind: 'added', rule };
    }
    if ('RemoveRule' in update) {
      const { matcher } = update.RemoveRule;
      const named = this.#rules.filter((rule) => rule.pattern === matcher);
      const removed = named.filter((rule) => author === 'deployment' || rule.source !== 'managed');
      this.#replace(this.#rules.filter((rule) => !removed.includes(rule)));
      return { kind: 'removed', count: removed.length, kept: named.length - removed.length };
    }
    const mode = parseMode(String(update.SetMode.mode));
    if (mode === undefined) {
      throw new RuleUpdateError(
        'unknown_mode',
        `The mode is one of ${MODES.join(', ')}.`,
        nearestSpelling(String(update.SetMode.mode), MODES),
      );
    }
    return { kind: 'mode', mode };
  }

  /** The rule that a person's lasting answer becomes. */
  static lasting(
    answer: 'allow-for-session' | 'allow-always' | 'deny-always',
    pattern: string,
    expiresAt?: number,
  ): RuleInput {
    switch (answer) {
      case 'allow-for-session':
        return { effect: 'allow', pattern, source: 'session', expiresAt };
      case 'allow-always':
        return { effect: 'allow', pattern, source: 'user', expiresAt };
      case 'deny-always':
        return { effect: 'deny', pattern, source: 'user', expiresAt };
    }
  }
}

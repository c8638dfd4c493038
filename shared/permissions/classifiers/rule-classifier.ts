/** Decides by patterns alone: deny first, so that it agrees with the rule system. */
import { checkSettings, texts } from '../../domain/settings.ts';
import type { ClassifierResult } from '../model/types.ts';
import { parsePattern } from '../rules/parse.ts';
import {
  allowResult,
  blockResult,
  type ClassifierRequest,
  type PermissionClassifier,
  undecidedResult,
} from './classifier.ts';
import { MATCHER_CHECKS, PatternMatcher, type PatternMatcherOptions } from './pattern-matcher.ts';

/**
 * Judges calls by lists of patterns to allow and to deny; a deny wins.
 *
 * @example
 * const classifier = new RuleClassifier({ allow: ['Read', 'Grep'], deny: ['Bash'] });
 * const service = new PermissionService({ mode: 'auto', classifier });
 * console.log(await service.check('Read', { file_path: 'README.md' }));
 */
export class RuleClassifier implements PermissionClassifier {
  readonly #allow: readonly string[];
  readonly #deny: readonly string[];
  readonly #matcher: PatternMatcher;
  readonly #options: PatternMatcherOptions;

  constructor(options: PatternMatcherOptions & { allow?: readonly string[]; deny?: readonly string[] } = {}) {
    checkSettings(options, { ...MATCHER_CHECKS, allow: texts, deny: texts });
    const { allow, deny, ...matching } = options;
    this.#allow = checked(allow ?? []);
    this.#deny = checked(deny ?? []);
    this.#options = options;
    this.#matcher = new PatternMatcher(matching);
  }

  withAllowPatterns(allow: readonly string[]): RuleClassifier {
    return new RuleClassifier({ ...this.#options, allow, deny: this.#deny });
  }

  withDenyPatterns(deny: readonly string[]): RuleClassifier {
    return new RuleClassifier({ ...this.#options, allow: this.#allow, deny });
  }

  async classify({ toolName, input }: ClassifierRequest): Promise<ClassifierResult> {
    for (const pattern of this.#deny) {
      if (await this.#matcher.fires(pattern, toolName, input))
        return blockResult(`the deny pattern ${pattern} matches`);
    }
    for (const pattern of this.#allow) {
      if (await this.#matcher.allows(pattern, toolName, input))
        return allowResult(`the allow pattern ${pattern} matches`);
    }
    return undecidedResult('no pattern matches');
  }
}

/** A malformed pattern is refused when it is given, not when it is needed. */
function checked(patterns: readonly string[]): readonly string[] {
  for (const pattern of patterns) parsePattern(pattern);
  return patterns;
}

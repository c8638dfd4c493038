/** Says whether allow rules cover a call, and why not. */
import type { CompiledRule } from '../rules/compiled-rule.ts';

export type Coverage =
  | { readonly kind: 'covered'; readonly rule: CompiledRule }
  /** A shell command that needs no rule: it changes nothing, or only edits files as the mode accepts it. */
  | { readonly kind: 'needless'; readonly by: 'free' | 'edits' }
  /** No allow is enough; `why` is a clause, `tried` the rule that was not enough, `write` one that would cover it. */
  | {
      readonly kind: 'not-covered';
      readonly why: string;
      readonly write?: string | undefined;
      readonly tried?: CompiledRule | undefined;
    }
  | { readonly kind: 'none' };

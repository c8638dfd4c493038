/** Declares a rule as the index and the stages use it: read, with its place in the order. */
import type { RuleInput, RuleRef } from '../model/types.ts';
import type { ParsedPattern } from './parse.ts';

export interface CompiledRule {
  readonly ref: RuleRef;
  readonly input: RuleInput;
  readonly parsed: ParsedPattern;
  readonly priority: number;
  readonly order: number;
}

/** Compiles rules for those who report what is wrong with them, warnings included. */
import type { RuleInput } from '../model/types.ts';
import { type CompileOptions, type CompileResult, compileRules } from './compile.ts';
import { warningsOf } from './rule-warnings.ts';

export const checkRules = (rules: readonly RuleInput[], { tools }: Pick<CompileOptions, 'tools'> = {}): CompileResult =>
  compileRules(rules, { tools, warningsOf });

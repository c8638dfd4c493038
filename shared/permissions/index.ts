/** The public entry of the permission room. */
export { evaluateCall, STAGES } from './evaluate.ts';
export { isMode, MODES, modeDisplayName, modeFlags, modeOf } from './modes.ts';
export { ProtectedPathChecker, type ProtectedPathResult } from './paths/protected.ts';
export { DEFAULT_PROTECTED } from './paths/protected-names.ts';
export {
  type CompileOptions,
  type CompileResult,
  compileRules,
  EMPTY_POLICY,
  type RuleProblem,
  ruleDigest,
} from './rules/compile.ts';
export { loadShellParser, type ShellParserLocation } from './shell/parser.ts';
export { isRuleSource, RULE_SOURCES, ruleSourceOf, SOURCE_BY_SEED_NAME, sourcePriority } from './sources.ts';
export { createToolRegistry, riskLevel, type ToolLookup } from './tools.ts';
export type * from './types.ts';

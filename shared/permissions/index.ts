/**
 * Exports the names of the permission room that the repository itself uses.
 *
 * `public.ts` is the part that is published.
 */
export type { CallContext } from './call/call-context.ts';
export { PatternMatcher } from './classifiers/pattern-matcher.ts';
export { isMode, MODES, modeOf } from './model/modes.ts';
export { RULE_SOURCES } from './model/sources.ts';
export type { StageSettings } from './model/stages.ts';
export { createToolRegistry, riskLevel, type ToolRegistry } from './model/tools.ts';
export type {
  ClassifierFact,
  Decided,
  DenialFact,
  Evaluation,
  GrantFact,
  Need,
  ParentFact,
  RefusalFact,
  RuleRef,
  SessionFacts,
  TraceEntry,
} from './model/types.ts';
export { DEFAULT_PROTECTED, WRITE_PROTECTED } from './protected/protected-names.ts';
export * from './public.ts';
export type { RuleProblem } from './rules/compile.ts';
export { RuleRegistry } from './rules/registry.ts';
export { AgentPermissions } from './service/agent-permissions.ts';
export type { ParentService } from './service/config.ts';
export type { HookAnswer, PermissionHook } from './service/permission-hooks.ts';
export { loadShellParser } from './shell/parser.ts';
export type { ShellParser } from './shell/syntax/shell-parser.ts';
export { evaluateCall } from './stages/evaluate.ts';

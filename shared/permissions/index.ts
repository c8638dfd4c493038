/** The public entry of the permission room. */

export type { CallContext } from './call/call-context.ts';
export {
  allowResult,
  blockResult,
  type ClassifierRequest,
  type PermissionClassifier,
  undecidedResult,
} from './classifiers/classifier.ts';
export { CompositeClassifier } from './classifiers/composite-classifier.ts';
export {
  type AddedRule,
  ClassifierContext,
  type MessageContext,
  NO_RISK,
  type RiskContext,
} from './classifiers/context.ts';
export { DenialTracker, denialKey } from './classifiers/denial-tracker.ts';
export { readClassifierAnswer } from './classifiers/llm-answer.ts';
export { type ClassifiedByModel, LlmClassifier, type LlmClassifierOptions } from './classifiers/llm-classifier.ts';
export { PatternMatcher, type PatternMatcherOptions } from './classifiers/pattern-matcher.ts';
export { RuleClassifier } from './classifiers/rule-classifier.ts';
export { type Exclusions, type ReadingContext, readExclusions } from './matching/read-exclusions.ts';
export { savedPattern } from './matching/saved-pattern.ts';
export { isMode, MODES, modeDisplayName, modeFlags, modeOf } from './model/modes.ts';
export { isRuleSource, RULE_SOURCES, ruleSourceOf, SOURCE_BY_SEED_NAME, sourcePriority } from './model/sources.ts';
export { createToolRegistry, riskLevel, type ToolLookup, type ToolRegistry } from './model/tools.ts';
export type * from './model/types.ts';
export { DEFAULT_PROTECTED, WRITE_PROTECTED } from './protected/protected-names.ts';
export { ProtectedPathChecker, type ProtectedPathResult } from './protected/protected-paths.ts';
export {
  type CompiledPolicy,
  type CompileOptions,
  type CompileResult,
  compileRules,
  EMPTY_POLICY,
  type RuleProblem,
  ruleDigest,
} from './rules/compile.ts';
export { RuleRegistry, type RuleUpdate, RuleUpdateError, type RuleUpdateResult } from './rules/registry.ts';
export { AgentPermissions, type HookAnswer, type PermissionHook } from './service/agent-permissions.ts';
export { type ApprovalCacheOptions, type CacheScope, SessionApprovalCache } from './service/approval-cache.ts';
export {
  type AuditLogger,
  CompositePermissionAuditSink,
  InMemoryPermissionAuditSink,
  LoggingPermissionAuditSink,
  type PermissionAuditEntry,
  type PermissionAuditSink,
} from './service/audit-sinks.ts';
export { PermissionServiceBuilder } from './service/builder.ts';
export type { CheckOptions, ParentService, PermissionDecision, PermissionServiceConfig } from './service/config.ts';
export { argsDigest, argsHash, type Grant, type GrantBinding, grantCovers, grantKey } from './service/grants.ts';
export {
  CallbackHumanLoopProvider,
  type HumanLoopProvider,
  type HumanLoopRequest,
  type HumanLoopResponse,
  type PermissionRequest,
  type PermissionRequestHandler,
  type PermissionResponse,
  ProviderRequestHandler,
  responseOf,
} from './service/human-loop.ts';
export { PermissionService } from './service/permission-service.ts';
export { loadShellParser } from './shell/parser.ts';
export type { ShellParser } from './shell/syntax/shell-parser.ts';
export { evaluateCall, STAGES } from './stages/evaluate.ts';

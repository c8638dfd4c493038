/** The public entry of the permission room. */

export { type ApprovalCacheOptions, type CacheScope, SessionApprovalCache } from './approval-cache.ts';
export {
  type AuditLogger,
  CompositePermissionAuditSink,
  InMemoryPermissionAuditSink,
  LoggingPermissionAuditSink,
  type PermissionAuditEntry,
  type PermissionAuditSink,
} from './audit-sinks.ts';
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
export { readClassifierAnswer } from './classifiers/llm-answer.ts';
export { type ClassifiedByModel, LlmClassifier, type LlmClassifierOptions } from './classifiers/llm-classifier.ts';
export { RuleClassifier } from './classifiers/rule-classifier.ts';
export { DenialTracker, denialKey } from './denial-tracker.ts';
export { evaluateCall, STAGES } from './evaluate.ts';
export { argsDigest, argsHash, type Grant, type GrantBinding, grantCovers, grantKey } from './grants.ts';
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
} from './human-loop.ts';
export { isMode, MODES, modeDisplayName, modeFlags, modeOf } from './modes.ts';
export { ProtectedPathChecker, type ProtectedPathResult } from './paths/protected.ts';
export { DEFAULT_PROTECTED, WRITE_PROTECTED } from './paths/protected-names.ts';
export { PatternMatcher, type PatternMatcherOptions } from './pattern-matcher.ts';
export { type Exclusions, type ReadingContext, readExclusions } from './read-exclusions.ts';
export {
  type CompileOptions,
  type CompileResult,
  compileRules,
  EMPTY_POLICY,
  type RuleProblem,
  ruleDigest,
} from './rules/compile.ts';
export { RuleRegistry, type RuleUpdate, RuleUpdateError, type RuleUpdateResult } from './rules/registry.ts';
export { savedPattern } from './rules/saved-pattern.ts';
export { AgentPermissions, type HookAnswer, type PermissionHook } from './service/agent-permissions.ts';
export { PermissionServiceBuilder } from './service/builder.ts';
export type { CheckOptions, ParentService, PermissionDecision, PermissionServiceConfig } from './service/config.ts';
export { PermissionService } from './service/permission-service.ts';
export { loadShellParser, type ShellParserLocation } from './shell/parser.ts';
export { isRuleSource, RULE_SOURCES, ruleSourceOf, SOURCE_BY_SEED_NAME, sourcePriority } from './sources.ts';
export { createToolRegistry, riskLevel, type ToolLookup } from './tools.ts';
export type * from './types.ts';

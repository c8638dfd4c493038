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
export { type AddedRule, ClassifierContext, type MessageContext, type RiskContext } from './classifiers/context.ts';
export { DenialTracker } from './classifiers/denial-tracker.ts';
export { type ClassifiedByModel, LlmClassifier, type LlmClassifierOptions } from './classifiers/llm-classifier.ts';
export { PatternMatcher, type PatternMatcherOptions } from './classifiers/pattern-matcher.ts';
export { RuleClassifier } from './classifiers/rule-classifier.ts';
export { isMode, MODES, modeOf } from './model/modes.ts';
export { RULE_SOURCES } from './model/sources.ts';
export type { Reason, StageName, StageSettings } from './model/stages.ts';
export { createToolRegistry, riskLevel, type ToolLookup, type ToolRegistry } from './model/tools.ts';
export type {
  ClassifierFact,
  ClassifierResult,
  Decided,
  DenialFact,
  Effect,
  Evaluation,
  FileSystemView,
  GrantFact,
  HookFact,
  Mode,
  Need,
  ParentFact,
  PresetName,
  RefusalFact,
  RuleInput,
  RuleRef,
  RuleSource,
  SessionFacts,
  Severity,
  ToolEffect,
  ToolEntry,
  ToolPermission,
  TraceEntry,
} from './model/types.ts';
export { DEFAULT_PROTECTED, WRITE_PROTECTED } from './protected/protected-names.ts';
export { ProtectedPathChecker, type ProtectedPathResult } from './protected/protected-paths.ts';
export type { RuleProblem } from './rules/compile.ts';
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
export type {
  CheckOptions,
  ParentService,
  PermissionDecision,
  PermissionServiceConfig,
  PermissionVerdict,
} from './service/config.ts';
export type { Grant, GrantBinding } from './service/grants.ts';
export {
  CallbackHumanLoopProvider,
  type HumanLoopCallback,
  type HumanLoopProvider,
  type HumanLoopRequest,
  type HumanLoopResponse,
  type PermissionRequest,
  type PermissionRequestHandler,
  type PermissionResponse,
  ProviderRequestHandler,
} from './service/human-loop.ts';
export { PermissionService } from './service/permission-service.ts';
export { loadShellParser } from './shell/parser.ts';
export type { ShellParser } from './shell/syntax/shell-parser.ts';
export { evaluateCall } from './stages/evaluate.ts';

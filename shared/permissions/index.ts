/**
 * Exports `countersign/permissions`: the permission stages as a service.
 *
 * Classifiers, caches and audit sinks are part of it.
 */
export type { Duration } from '../domain/duration.ts';
export { CountersignError, InvalidSettingError } from '../domain/errors.ts';
export type { Answer, CallAsker, CallQuestion } from '../ports/asker.ts';
export type { Clock } from '../ports/clock.ts';
export type { ApprovalScope } from '../ports/human-loop.ts';
export type { Completion, LlmClient, Message, TokenUsage } from '../ports/llm-client.ts';
export {
  allowResult,
  blockResult,
  type ClassifierRequest,
  type PermissionClassifier,
  undecidedResult,
} from './classifiers/classifier.ts';
export { CompositeClassifier } from './classifiers/composite-classifier.ts';
export { ClassifierContext } from './classifiers/context.ts';
export { DenialTracker } from './classifiers/denial-tracker.ts';
export { LlmClassifier, type LlmClassifierOptions } from './classifiers/llm-classifier.ts';
export type { PatternMatcherOptions } from './classifiers/pattern-matcher.ts';
export { RuleClassifier } from './classifiers/rule-classifier.ts';
export type { Reason, StageName, StageSettings } from './model/stages.ts';
export type {
  ClassifierResult,
  FileSystemView,
  HookFact,
  Mode,
  RuleInput,
  RuleMatcher,
  RuleSource,
  Severity,
  ToolEntry,
  ToolPermission,
} from './model/types.ts';
export { ProtectedPathChecker, type ProtectedPathResult } from './protected/protected-paths.ts';
export {
  type RuleAuthor,
  type RuleUpdate,
  RuleUpdateError,
  type RuleUpdateResult,
} from './rules/rule-update.ts';
export { type ApprovalCacheOptions, SessionApprovalCache } from './service/approval-cache.ts';
export {
  type AuditLogger,
  CompositePermissionAuditSink,
  InMemoryPermissionAuditSink,
  LoggingPermissionAuditSink,
  type PermissionAuditEntry,
  type PermissionAuditSink,
} from './service/audit-sinks.ts';
export type {
  CheckOptions,
  PermissionDecision,
  PermissionServiceConfig,
  PermissionVerdict,
} from './service/config.ts';
export type { Grant, GrantBinding } from './service/grants.ts';
export type { PermissionRequest, PermissionRequestHandler, PermissionResponse } from './service/human-loop.ts';
export { type ModeFlags, modeDisplayName, modeFlags } from './service/mode-flags.ts';
export { PermissionService } from './service/permission-service.ts';

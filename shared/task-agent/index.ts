/** Exports the task agent: a public entry. */

export type { HistoryMessage } from '../contract/task-conversation.ts';
export type { Duration } from '../domain/duration.ts';
export { CountersignError } from '../domain/errors.ts';
export type { Clock } from '../ports/clock.ts';
export type { Completion, LlmClient, Message, TokenUsage } from '../ports/llm-client.ts';
export type { Task, TaskStore } from '../ports/stores/task-store.ts';
export type { AuditRecord, ToolInvocationRecord } from './decisions/audit-record.ts';
export { DeadlineError } from './decisions/deadline.ts';
export type { AuditSink, Deadline, IntentClassifier, TaskAgentPorts, ToolRunner } from './decisions/ports.ts';
export type {
  AgentDecision,
  DecisionContext,
  PendingAction,
  PendingConfirmation,
  UserIntent,
} from './decisions/schemas.ts';
export { type Validation, validateDecision, validateToolCall } from './decisions/validate-output.ts';
export { classifyIntent } from './intent/classify-intent.ts';
export { type ModelClassifierOptions, modelClassifier } from './intent/model-classifier.ts';
export { processMessage } from './process-message.ts';
export {
  defineTools,
  InvalidToolResultError,
  type TaskTools,
  type ToolAnswer,
  type ToolResults,
} from './tools/define-tools.ts';
export type {
  TaskRow,
  ToolCall,
  ToolName,
  ToolParameters,
  ToolResult,
} from './tools/tool-schemas.ts';
export { toolsOfStore } from './tools/tools-of-store.ts';
export { callsToRun } from './two-phase.ts';

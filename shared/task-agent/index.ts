/** Public entry: the task agent. */

export type { HistoryMessage } from '../contract/task-conversation.ts';
export type { Duration } from '../domain/duration.ts';
export { CountersignError } from '../domain/errors.ts';
export type { Clock } from '../ports/clock.ts';
export type { Completion, LlmClient, Message, TokenUsage } from '../ports/llm-client.ts';
export type { Task, TaskStore } from '../ports/stores/task-store.ts';
export type { AuditRecord, ToolInvocationRecord } from './audit-record.ts';
export { classifyIntent } from './classify-intent.ts';
export { DeadlineError } from './deadline.ts';
export {
  defineTools,
  InvalidToolResultError,
  type TaskTools,
  type ToolAnswer,
  type ToolResults,
} from './define-tools.ts';
export { type ModelClassifierOptions, modelClassifier } from './model-classifier.ts';
export type { AuditSink, Deadline, IntentClassifier, TaskAgentPorts, ToolRunner } from './ports.ts';
export { processMessage } from './process-message.ts';
export type {
  AgentDecision,
  DecisionContext,
  PendingAction,
  PendingConfirmation,
  UserIntent,
} from './schemas.ts';
export type {
  TaskRow,
  ToolCall,
  ToolName,
  ToolParameters,
  ToolResult,
} from './tool-schemas.ts';
export { toolsOfStore } from './tools-of-store.ts';
export { callsToRun } from './two-phase.ts';
export { type Validation, validateDecision, validateToolCall } from './validate-output.ts';

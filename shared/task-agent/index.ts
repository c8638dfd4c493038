/** Public entry: the task agent. */
export * from './audit-record.ts';
export { classifyIntent } from './classify-intent.ts';
export { DEFAULT_TIMEOUT_MS, DeadlineError, timerDeadline } from './deadline.ts';
export { isUndecided, type ModelClassifierOptions, modelClassifier } from './model-classifier.ts';
export type { AuditSink, Deadline, IntentClassifier, TaskAgentPorts, ToolRunner } from './ports.ts';
export { processMessage } from './process-message.ts';
export { CONFIRMATION_LIFETIME_MS } from './rule-1-pending-confirmation.ts';
export { type ReferableTask, resolveTaskReference } from './rule-3-task-reference.ts';
export * from './schemas.ts';
export * from './templates.ts';
export { TASK_TOOLS, type ToolDefinition } from './tool-definitions.ts';
export * from './tool-schemas.ts';
export { toolsOfStore } from './tools-of-store.ts';
export { callsToRun, recordedTools } from './two-phase.ts';
export { type OutputProblem, type Validation, validateDecision, validateToolCall } from './validate-output.ts';

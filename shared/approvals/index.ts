/**
 * Exports `countersign/approvals`: ways to ask people, and the gate in front of an agent's tools.
 *
 * People are asked outside the gate's own Slack.
 */
export type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
export type { Decision } from '../contract/decision.ts';
export type { Duration } from '../domain/duration.ts';
export { CountersignError, InvalidSettingError } from '../domain/errors.ts';
export { webhookSignature } from '../domain/record/webhook-signature.ts';
export type { SchemaIssue, SchemaOutput, StandardSchema } from '../domain/standard-schema.ts';
export type {
  Answer,
  Asker,
  CallQuestion,
  ChoiceQuestion,
  Question,
  TextQuestion,
} from '../ports/asker.ts';
export type { Clock } from '../ports/clock.ts';
export type { ApprovalScope } from '../ports/human-loop.ts';
export { withDeadline } from '../ports/with-deadline.ts';
export { callbackAsker } from './askers/callback.ts';
export { consoleAsker } from './askers/console.ts';
export type { DeployedGate } from './askers/deployed-gate.ts';
export { GateAskerError, type GateAskerOptions, gateAsker } from './askers/gate.ts';
export { queued } from './askers/queued.ts';
export type { Terminal } from './askers/terminal.ts';
export { type WebhookAskerOptions, WebhookError, webhookAsker } from './askers/webhook.ts';
export {
  type WebSocketAsker,
  WebSocketError,
  type WebSocketOptions,
  webSocketAsker,
} from './askers/websocket.ts';
export { type Agent, AgentBuilder } from './tool-gate/agent-builder.ts';
export {
  AgentCancelledError,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  type AgentResult,
  type Model,
  type ModelTurn,
} from './tool-gate/agent-loop.ts';
export type { ApprovalDecision, ApprovalHandler } from './tool-gate/approval-handler.ts';
export type { AskedHandlerOptions } from './tool-gate/asked-handler.ts';
export { ToolConcurrency } from './tool-gate/concurrency.ts';
export { type SubAgentOptions, subAgentTool } from './tool-gate/sub-agent.ts';
export {
  type AgentTool,
  type AgentToolCall,
  type AgentToolDefinition,
  type AgentToolResult,
  type GatedExecutor,
  type ToolClass,
  type ToolContext,
  type ToolOutput,
  type ToolSummary,
  tool,
} from './tool-gate/tool.ts';
export type { ToolPolicy } from './tool-gate/tool-policy.ts';

/** `countersign/approvals`: ways to ask a person outside the gate's own Slack: channels of policies, providers of sessions, and the gate in front of an agent's tools. */
export { webhookSignature } from '../domain/webhook-signature.ts';
export * from './channels/callback.ts';
export * from './channels/deadline.ts';
export type { DeployedGate } from './channels/deployed-gate.ts';
export * from './channels/slack.ts';
export { StdinApprovalChannel } from './channels/stdin.ts';
export { processTerminal, type Terminal } from './channels/terminal.ts';
export * from './channels/webhook.ts';
export * from './providers/console.ts';
export { WebhookError, WebhookHumanLoopProvider, type WebhookOptions } from './providers/webhook.ts';
export * from './providers/websocket.ts';
export {
  type Agent,
  AgentBuilder,
  AgentCancelledError,
  type AgentEvent,
  type AgentOptions,
  type AgentResult,
  AllowAll,
  ApprovalDecision,
  type ApprovalHandler,
  AutoApprove,
  type ExecutionContext,
  type ExecutorOptions,
  type GatedExecutor,
  type Message,
  type Model,
  type ModelTurn,
  type Prompt,
  QueuedApprovalHandler,
  type QueuedOptions,
  runAgent,
  type Screen,
  SlackApprovalHandler,
  type SlackApprovalOptions,
  type SubAgentOptions,
  subAgentTool,
  type Tool,
  type ToolCall,
  type ToolClass,
  ToolConcurrency,
  type ToolContext,
  ToolExecutor,
  type ToolOutput,
  type ToolPolicy,
  ToolRegistry,
  type ToolResult,
} from './tool-gate/index.ts';

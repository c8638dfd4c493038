/**
 * Adapts askers to the spelling of tkach's documents: `countersign/seeds/tkach`.
 *
 * Has approval handlers.
 */
export type { DeployedGate } from '../approvals/askers/deployed-gate.ts';
export { AgentBuilder } from '../approvals/tool-gate/agent-builder.ts';
export { ApprovalDecision, type ApprovalHandler, AutoApprove } from '../approvals/tool-gate/approval-handler.ts';
export { type AskedHandlerOptions, asHandler } from '../approvals/tool-gate/asked-handler.ts';
export { ToolConcurrency } from '../approvals/tool-gate/concurrency.ts';
export {
  type Prompt,
  QueuedApprovalHandler,
  type QueuedOptions,
  type Screen,
} from '../approvals/tool-gate/queued-approval-handler.ts';
export { SlackApprovalHandler, type SlackApprovalOptions } from '../approvals/tool-gate/slack-approval-handler.ts';
export type { ToolClass } from '../approvals/tool-gate/tool.ts';
export { AllowAll, type ToolPolicy } from '../approvals/tool-gate/tool-policy.ts';

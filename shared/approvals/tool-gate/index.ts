/** Exports tkach's gate in front of an agent's tools, as its tests import it. */
export { type Agent, AgentBuilder } from './agent-builder.ts';
export * from './agent-loop.ts';
export { ApprovalDecision, type ApprovalHandler, AutoApprove } from './approval-handler.ts';
export { ToolConcurrency } from './concurrency.ts';
export { type ExecutorOptions, ToolExecutor } from './executor.ts';
export { type Prompt, QueuedApprovalHandler, type QueuedOptions, type Screen } from './queued-approval-handler.ts';
export { ToolRegistry } from './registry.ts';
export { type Route, type Run, routeOf, runsOf } from './runs.ts';
export { SlackApprovalHandler, type SlackApprovalOptions } from './slack-approval-handler.ts';
export { type SubAgentOptions, subAgentTool } from './sub-agent.ts';
export * from './tool.ts';
export { AllowAll, type ToolPolicy } from './tool-policy.ts';

/**
 * Adapts askers to the spelling of Tenor's documents: `countersign/seeds/tenor`.
 *
 * Has approval channels.
 */

export { type ApprovalCallback, CallbackApprovalChannel } from '../approvals/channels/callback.ts';
export { DeadlineApprovalChannel, type Timer } from '../approvals/channels/deadline.ts';
export { SlackApprovalChannel } from '../approvals/channels/slack.ts';
export { StdinApprovalChannel } from '../approvals/channels/stdin.ts';
export { WebhookApprovalChannel } from '../approvals/channels/webhook.ts';
export type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
export type { Duration } from '../domain/duration.ts';
export { type ApprovalChannel, ApprovalResult, TimeoutBehavior } from '../policies/approval-channel.ts';
export { asChannel } from '../policies/asked-channel.ts';

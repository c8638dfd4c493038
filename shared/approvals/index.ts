/** `countersign/approvals`: ways to ask a person outside the gate's own Slack: channels of policies, providers of sessions, and the gate in front of an agent's tools. */
export { webhookSignature } from '../domain/webhook-signature.ts';
export * from './channels/callback.ts';
export * from './channels/deadline.ts';
export type { DeployedGate } from './channels/deployed-gate.ts';
export * from './channels/slack.ts';
export * from './channels/stdin.ts';
export { processTerminal, StreamTerminal, type Terminal } from './channels/terminal.ts';
export * from './channels/webhook.ts';
export * from './providers/console.ts';
export * from './providers/webhook.ts';
export * from './providers/websocket.ts';
export * from './tool-gate/index.ts';

/**
 * Adapts askers to the spelling of echo-agent's documents: `countersign/seeds/echo-agent`.
 *
 * Has human-loop providers and the builder.
 */
export { asProvider } from '../approvals/providers/asked-provider.ts';
export { ConsoleHumanLoopProvider } from '../approvals/providers/console.ts';
export { WebhookHumanLoopProvider, type WebhookOptions } from '../approvals/providers/webhook.ts';
export { WebSocketHumanLoopProvider } from '../approvals/providers/websocket.ts';
export type { RuleProblem } from '../permissions/rules/compile.ts';
export { RuleRegistry } from '../permissions/rules/registry.ts';
export { AgentPermissions } from '../permissions/service/agent-permissions.ts';
export { asRequestHandler } from '../permissions/service/asked-handler.ts';
export { PermissionServiceBuilder } from '../permissions/service/builder.ts';
export {
  CallbackHumanLoopProvider,
  type HumanLoopCallback,
  type HumanLoopProvider,
  type HumanLoopRequest,
  type HumanLoopResponse,
  type PermissionRequest,
  type PermissionRequestHandler,
  type PermissionResponse,
  ProviderRequestHandler,
} from '../permissions/service/human-loop.ts';
export type { HookAnswer, PermissionHook } from '../permissions/service/permission-hooks.ts';

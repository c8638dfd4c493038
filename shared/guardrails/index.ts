/** Exports the guardrails: agents, `redeem` and `execute-tool` run permitted calls through them. */

export { isSecretName } from '../domain/redaction/words/names.ts';
export { type Entered, enterWithin } from './enter.ts';
export {
  Admission,
  type AdmissionRequest,
  type AdmissionResult,
  type AdmissionTicket,
  type CallEnd,
} from './limits/admission.ts';
export { checkedCost } from './limits/budget.ts';
export { CIRCUIT_GAUGE } from './limits/circuit-breaker.ts';
export { GuardrailMetrics, percentile, type SeriesSnapshot } from './metrics.ts';
export { type Gauges, type GuardrailDependencies, Guardrails } from './pipeline.ts';
export { redact } from './redaction.ts';
export { scrub } from './scrub.ts';
export type {
  Attempt,
  Authorizer,
  FindTool,
  GuardedResult,
  GuardedTool,
  PolicySnapshot,
  ToolInvocation,
} from './settings/call.ts';
export { type Effect, type GuardrailsConfig, guardrailsConfig, loadGuardrails } from './settings/config.ts';
export {
  asGuardrailError,
  authError,
  budgetExceededError,
  circuitOpenError,
  concurrencyLimitedError,
  contractError,
  type DetailsOf,
  type EffectKnowledge,
  type ErrorCategory,
  executionError,
  type GuardrailDetails,
  GuardrailError,
  isGuardrailError,
  providerThrottledError,
  rateLimitedError,
  systemError,
  type ToolError,
  timeoutError,
} from './settings/errors.ts';
export { type ExplainedSetting, explainGuardrails } from './settings/explain.ts';
export { type ResolvedGuardrails, type ResolveRequest, resolveGuardrails } from './settings/resolve.ts';
export {
  BUILT_IN,
  type InvocationLimits,
  MCP_OVERLAY,
  type Settings,
  type SettingsLayer,
} from './settings/settings.ts';
export { backoffDelay } from './time/backoff.ts';
export { allowedRetries } from './time/retry.ts';

/** The guardrails as a library: what agents, `redeem` and `execute-tool` run a permitted call through. */

export { isSecretName } from '../domain/redaction/names.ts';
export {
  Admission,
  type AdmissionRequest,
  type AdmissionResult,
  type AdmissionTicket,
  type CallEnd,
} from './admission.ts';
export { backoffDelay } from './backoff.ts';
export { checkedCost } from './budget.ts';
export type {
  Attempt,
  Authorizer,
  FindTool,
  GuardedResult,
  GuardedTool,
  PolicySnapshot,
  ToolInvocation,
} from './call.ts';
export { CIRCUIT_GAUGE } from './circuit-breaker.ts';
export { type Effect, type GuardrailsConfig, guardrailsConfig, loadGuardrails } from './config.ts';
export { type Entered, enterWithin } from './enter.ts';
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
} from './errors.ts';
export { type ExplainedSetting, explainGuardrails } from './explain.ts';
export { GuardrailMetrics, percentile, type SeriesSnapshot } from './metrics.ts';
export { type Gauges, type GuardrailDependencies, Guardrails } from './pipeline.ts';
export { redact } from './redaction.ts';
export { type ResolvedGuardrails, type ResolveRequest, resolveGuardrails } from './resolve.ts';
export { allowedRetries } from './retry.ts';
export { scrub } from './scrub.ts';
export { BUILT_IN, type InvocationLimits, MCP_OVERLAY, type Settings, type SettingsLayer } from './settings.ts';

/** `countersign/guardrails`: the guardrails as a library, with state in memory and on DynamoDB. */

export type { Duration } from '../../domain/duration.ts';
export { CountersignError, InvalidSettingError } from '../../domain/errors.ts';
export { providerThrottledError } from '../../guardrails/limits/limit-errors.ts';
export type { SeriesSnapshot } from '../../guardrails/metrics.ts';
export type { Gauges } from '../../guardrails/pipeline.ts';
export type {
  Attempt,
  Execute,
  GuardedResult,
  GuardedTool,
  OpenTool,
  PolicySnapshot,
  ToolFacts,
} from '../../guardrails/settings/call.ts';
export { type GuardrailsConfig, loadGuardrails } from '../../guardrails/settings/config.ts';
export {
  type DetailsOf,
  type EffectKnowledge,
  type ErrorCategory,
  executionError,
  type GuardrailDetails,
  GuardrailError,
  type GuardrailErrorFacts,
  isGuardrailError,
  type ToolError,
} from '../../guardrails/settings/errors.ts';
export type { ExplainedSetting } from '../../guardrails/settings/explain.ts';
export type { InvocationLimits } from '../../guardrails/settings/settings.ts';
export type { EventSink, GuardrailEvent, GuardrailEventName } from '../../ports/guardrail-events.ts';
export type { CircuitState } from '../../ports/stores/guardrail-state.ts';
export { type Guard, guardrails } from './guard.ts';
export type { GuardedCallOptions, GuardrailsOptions } from './guard-options.ts';
export { type DynamoGuardrailsOptions, dynamoGuardrails, type GuardrailParts, memoryGuardrails } from './parts.ts';

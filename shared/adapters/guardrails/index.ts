/** `countersign/guardrails`: the guardrails as a library, with state in memory and on DynamoDB. */
export * from '../../guardrails/index.ts';
export type { EventSink, GuardrailEvent, GuardrailEventName } from '../../ports/guardrail-events.ts';
export type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
export type { GuardrailState } from '../../ports/guardrail-state.ts';
export { type DynamoGuardrailsOptions, dynamoGuardrails, type GuardrailParts, memoryGuardrails } from './parts.ts';

/** Declares the options of `guardrails` and of a call, and checks them. */
import { type Duration, duration } from '../../domain/duration.ts';
import { type Checks, fn, having, signal as isSignal, listOf, record, text, unfit } from '../../domain/settings.ts';
import type { GuardedTool } from '../../guardrails/settings/call.ts';
import type { GuardrailsConfig } from '../../guardrails/settings/config.ts';
import type { InvocationLimits } from '../../guardrails/settings/settings.ts';
import type { EventSink } from '../../ports/guardrail-events.ts';
import type { GuardrailParts } from './parts.ts';

/** The settings, the tools and the state of `guardrails`. */
export interface GuardrailsOptions {
  /** As the section `guardrails` of a policy file has it. */
  readonly config: GuardrailsConfig;
  readonly tools: readonly GuardedTool[];
  /** State and time. Default: `memoryGuardrails()`; for all processes together: `await dynamoGuardrails({ table })`. */
  readonly parts?: GuardrailParts | undefined;
  /** Is told what happens. Default: nobody. */
  readonly events?: EventSink | undefined;
}

/** One call of a guarded tool. */
export interface GuardedCallOptions {
  /** The agent that calls: budgets and shares are counted by agent. */
  readonly agent: string;
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take; the settings' own time-out holds if it is shorter. */
  readonly timeout?: Duration | undefined;
  /** Tighter limits for this call. */
  readonly limits?: InvocationLimits | undefined;
  /** The same for every repetition of the call: without one nothing is tried again. */
  readonly idempotencyKey?: string | undefined;
}

export const CHECKS: Checks<GuardrailsOptions> = {
  config: record,
  tools: listOf(isTool),
  parts(value, setting) {
    record(value, setting);
    const { state, runtime } = value as Partial<GuardrailParts>;
    if (!state || !runtime) throw unfit(value, setting, 'made by memoryGuardrails or dynamoGuardrails');
  },
  events: having('emit'),
};

export const CALL_CHECKS: Checks<GuardedCallOptions> = {
  agent: text,
  signal: isSignal,
  timeout: duration,
  limits: record,
  idempotencyKey: text,
};

function isTool(value: unknown, setting: string): void {
  record(value, setting);
  const { name, origin, execute, open } = value as Partial<GuardedTool>;
  text(name, `${setting}.name`);
  text(origin, `${setting}.origin`);
  fn(open ?? execute, `${setting}.execute`);
}

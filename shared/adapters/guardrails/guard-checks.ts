/** Checks the options of `guardrails`, and those of a call. */
import { duration } from '../../domain/duration.ts';
import { type Checks, fn, having, signal as isSignal, listOf, record, text, unfit } from '../../domain/settings.ts';
import type { GuardedTool } from '../../guardrails/call.ts';
import type { GuardedCallOptions, GuardrailsOptions } from './guard.ts';
import type { GuardrailParts } from './parts.ts';

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
